import { LogParser } from "../../src/log/parser.ts";
import { type LogRecord, OPTIONAL_ROWS, recordSink } from "../../src/log/rows/row-decoders.ts";
import { Diagnostics } from "../../src/profile/diagnostics.ts";
import { LogRedactor, NameFinder } from "../../src/redact/redact-log.ts";
import type { Redactor } from "../../src/redact/redactor.ts";

/** What a log is redacted to, read in chunks of a size. */
export function redactedLog(log: Uint8Array, redactor: Redactor, size = log.length): Buffer {
  const names = new NameFinder(redactor);
  for (let at = 0; at < log.length; at += size) names.push(log.subarray(at, at + size));
  names.end();
  const rows = new LogRedactor(redactor);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < log.length; at += size) chunks.push(rows.push(log.subarray(at, at + size)));
  return Buffer.concat([...chunks, rows.end()]);
}

/** Every record of a log, also of the rows that few reports use. */
export function recordsOfLog(log: Uint8Array, diagnostics = new Diagnostics()): LogRecord[] {
  const records: LogRecord[] = [];
  const sink = recordSink((record) => {
    const isTick = record.type === "tick";
    records.push(isTick ? { ...record, frames: record.frames.slice(0, record.depth) } : record);
  });
  const parser = new LogParser(sink, diagnostics, { optionalRows: OPTIONAL_ROWS });
  parser.push(log);
  parser.end();
  return records;
}
