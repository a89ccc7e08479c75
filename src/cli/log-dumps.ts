import { Diagnostics } from "../diagnostics.js";
import { TicksError } from "../errors.js";
import { writeLines } from "../io/output.js";
import { feedLog } from "../log-feeder.js";
import { LogParser } from "../parser/parser.js";
import { recordSink } from "../parser/record-sink.js";
import type { TickRecord } from "../parser/rows/tick.js";
import { nameLibraries } from "../preprocess/named-libraries.js";
import { preprocessLines } from "../preprocess/preprocess-lines.js";
import { PREPROCESS_ROWS, PreprocessRecorder } from "../preprocess/preprocess-recorder.js";
import type { Diagnostic, LibraryInfo } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { vmState } from "../profile/vm-state.js";
import { TickRange } from "../recorder/tick-range.js";
import { readableNames } from "../symbols/readable-names.js";
import { type LogFlags, openLogInput } from "./log-input.js";
import { type ProcessFlags, rangeOptions, statesOf } from "./options.js";

/** What was found wrong while a log was written in another form. */
export interface DumpFaults {
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly libraries: readonly LibraryInfo[];
}

/** A log in another form. */
export interface LogDump {
  readonly lines: Iterable<string>;
  readonly ticks: Ticks;
  readonly faults: DumpFaults;
}

/** Runs `ticks process --preprocess`: writes the JSON of a log to standard output. */
export async function runPreprocess(log: string, flags: ProcessFlags): Promise<DumpFaults> {
  const { lines, faults } = await preprocess(log, flags, tickFilter(flags));
  await writeLines(process.stdout, lines);
  return faults;
}

/** Reads a log as the JSON of `--preprocess`, with the ticks that a filter leaves. */
export async function preprocess(
  log: string,
  flags: LogFlags,
  includes: (tick: TickRecord) => boolean,
): Promise<LogDump> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const { name } = input;
  const diagnostics = new Diagnostics();
  const optionalRows = PREPROCESS_ROWS;
  const parser = new LogParser(
    recordSink((record) => recorder.apply(record)),
    diagnostics,
    { optionalRows },
  );
  const recorder = new PreprocessRecorder(diagnostics, () => parser.line, { includes });
  await feedLog(chunks, parser, name);
  const libraries = await nameLibraries(recorder.libraries.libraries, { ...input, readNames: readableNames });
  return {
    lines: preprocessLines(recorder, libraries),
    ticks: recorder.ticks.length,
    faults: { name, diagnostics: diagnostics.list(), libraries: libraries.map(({ info }) => info) },
  };
}

/** Which ticks the flags leave. */
function tickFilter(flags: ProcessFlags): (tick: TickRecord) => boolean {
  const options = rangeOptions(flags);
  if (options.timedRange !== "off" || options.runtimeTimer !== undefined) {
    throw new TicksError(
      "BAD_OPTION",
      "--preprocess writes all ticks of a range: it has no timed ranges and no runtime timers",
      "Use --range START,END.",
    );
  }
  const ofStacks = (["focus", "ignore", "hide", "only"] as const).find((name) => flags[name] !== undefined);
  if (ofStacks !== undefined) {
    throw new TicksError("BAD_OPTION", `--preprocess writes whole stacks: it has no --${ofStacks}`);
  }
  const range = new TickRange(options);
  const states = statesOf(flags)?.map(vmState);
  return (tick) => range.includes(tick.timestamp) && (states?.includes(tick.vmState) ?? true);
}
