import { Diagnostics } from "../diagnostics.js";
import { feedLog } from "../log-feeder.js";
import { LogParser } from "../parser/parser.js";
import type { RecordSink } from "../parser/record-sink.js";
import type { TickRecord } from "../parser/rows/tick.js";
import { TickReader } from "../parser/rows/tick-fields.js";
import { nameLibraries } from "../preprocess/named-libraries.js";
import { preprocessLines } from "../preprocess/preprocess-lines.js";
import { PREPROCESS_ROWS, PreprocessRecorder } from "../preprocess/preprocess-recorder.js";
import { vmSymbolLines } from "../preprocess/vm-symbol-lines.js";
import type { Diagnostic, LibraryInfo } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { type VmStateName, vmState } from "../profile/vm-state.js";
import { LogRuns } from "../recorder/joined-runs.js";
import { LibraryMap } from "../recorder/library-map.js";
import { TickRange, type TickRangeOptions } from "../recorder/tick-range.js";
import { type LibraryFunction, readableNames } from "../symbols/readable-names.js";
import { type LogFlags, openLogInput } from "./log-input.js";

/** The problems of a log that was converted. */
export interface DumpProblems {
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly libraries: readonly LibraryInfo[];
}

/** A converted log. */
export interface LogDump {
  readonly lines: Iterable<string>;
  readonly problems: DumpProblems;
}

/** The ticks that a dump includes. */
export interface DumpedTicks {
  readonly range: TickRangeOptions;
  /** Undefined for all states. */
  readonly states: readonly VmStateName[] | undefined;
}

/** Names functions as Node's own processor does. */
const readNames = (functions: readonly LibraryFunction[]) => readableNames(functions, { asNm: true });

/** Converts a log to the JSON of `--preprocess`, with the ticks that `included` allows. */
export async function preprocess(
  log: string,
  flags: LogFlags,
  included: DumpedTicks,
): Promise<LogDump & { readonly ticks: Ticks }> {
  const range = new TickRange(included.range);
  const states = included.states?.map(vmState);
  const includes = (tick: TickRecord) =>
    range.includes(tick.timestamp) && (states?.includes(tick.vmState) ?? true);
  const { chunks, ...input } = await openLogInput(log, flags);
  const { name } = input;
  const diagnostics = new Diagnostics();
  const optionalRows = PREPROCESS_ROWS;
  let line = 0;
  const ticks = new TickReader((record) => recorder.apply(record));
  const runs = new LogRuns({
    takeTicks: (fields) => ticks.read(fields),
    takeRecord(record, at) {
      line = at;
      recorder.apply(record);
    },
    beginRun(at) {
      diagnostics.add("another-run", at);
      recorder.beginRun();
    },
  });
  const sink: RecordSink = {
    takeTicks: (fields, count) => runs.takeTicks(fields, count, parser.line),
    takeRecord: (record) => runs.takeRecord(record, parser.line),
  };
  const parser = new LogParser(sink, diagnostics, { optionalRows });
  const recorder = new PreprocessRecorder(diagnostics, () => line, { includes });
  await feedLog(chunks, parser, name);
  runs.end();
  recorder.finish();
  const libraries = await nameLibraries(recorder.libraries, { ...input, readNames });
  return {
    lines: preprocessLines(recorder, libraries),
    ticks: recorder.ticks.length,
    problems: { name, diagnostics: diagnostics.list(), libraries: libraries.map(({ info }) => info) },
  };
}

/** Converts the C++ symbols of a log's libraries to the JSON of `--serialize-vm-symbols`. */
export async function vmSymbols(log: string, flags: LogFlags): Promise<LogDump> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const { name } = input;
  const diagnostics = new Diagnostics();
  const map = new LibraryMap();
  const sink: RecordSink = {
    takeTicks() {},
    takeRecord(record) {
      if (record.type === "shared-library") map.add(record);
    },
  };
  const parser = new LogParser(sink, diagnostics);
  await feedLog(chunks, parser, name);
  const libraries = await nameLibraries(map.libraries, { ...input, readNames });
  return {
    lines: vmSymbolLines(libraries),
    problems: { name, diagnostics: diagnostics.list(), libraries: libraries.map(({ info }) => info) },
  };
}
