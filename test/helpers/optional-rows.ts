import { LogParser } from "../../src/log/parser.ts";
import {
  type LogRecord,
  OPTIONAL_ROWS,
  type OptionalRow,
  recordSink,
} from "../../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { logOf } from "./logs.ts";

/** The records of a log, with the optional rows of all types or of some, and the faults found, `code×count`. */
export function recordsOf(
  rows: readonly string[],
  optionalRows: Iterable<OptionalRow> = OPTIONAL_ROWS,
): { records: LogRecord[]; faults: string[]; knownRows: number } {
  const records: LogRecord[] = [];
  const diagnostics = new Diagnostics();
  const parser = new LogParser(
    recordSink((record) => records.push(record)),
    diagnostics,
    { optionalRows },
  );
  parser.push(logOf(...rows));
  parser.end();
  const faults = diagnostics.list().map(({ code, count }) => `${code}×${count}`);
  return { records, faults, knownRows: parser.knownRows };
}
