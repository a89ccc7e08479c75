import type { Ticks } from "../base/units.js";
import { PREPROCESS_ROWS, PreprocessVisitor } from "../load/preprocess/logged-code.js";
import { preprocessLines } from "../load/preprocess/preprocess-lines.js";
import { nameLibraries, vmSymbolLines } from "../load/preprocess/vm-symbols.js";
import { type ReadRun, readLog } from "../load/read-log.js";
import { type LibraryFunction, readableNames } from "../native/readable-names.js";
import { mergeDiagnostics } from "../profile/merge.js";
import type { Diagnostic, LibraryInfo } from "../profile/profile.js";
import { type VmStateName, vmState } from "../profile/vm-state.js";
import { LibraryLoader, LibraryMap } from "../replay/libraries.js";
import type { ReplayVisitor } from "../replay/replayed-log.js";
import type { TickRangeOptions } from "../replay/tick-range.js";
import { type LogFlags, openLogInput } from "./log-input.js";

/** The problems of a log that was converted. */
export interface DumpProblems {
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly libraries: readonly LibraryInfo[];
}

/** A converted log. */
interface LogDump {
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
  { range, states }: DumpedTicks,
): Promise<LogDump & { readonly ticks: Ticks }> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const kept = states?.map(vmState);
  const visitor = new PreprocessVisitor((state) => kept?.includes(state) ?? true);
  const runs = await readLog(chunks, {
    name: input.name,
    range,
    visitor,
    optionalRows: PREPROCESS_ROWS,
    openLoader: () => new LibraryLoader(input),
  });
  visitor.finish();
  const libraries = await nameLibraries(visitor.libraries, { ...input, readNames });
  return {
    lines: preprocessLines(visitor, libraries),
    ticks: visitor.ticks.length,
    problems: problemsOf(input.name, runs, libraries),
  };
}

/** Reads all of a log and keeps nothing of it. */
const NOTHING: ReplayVisitor = { beginRun() {}, tick() {}, record() {}, endRun() {} };

/** Converts the C++ symbols of a log's libraries to the JSON of `--serialize-vm-symbols`. */
export async function vmSymbols(log: string, flags: LogFlags): Promise<LogDump> {
  const { chunks, ...input } = await openLogInput(log, flags);
  const runs = await readLog(chunks, {
    name: input.name,
    range: {},
    visitor: NOTHING,
    openLoader: () => new LibraryLoader(input),
  });
  const map = new LibraryMap();
  for (const { replayed } of runs) for (const library of replayed.libraries.libraries) map.add(library);
  const libraries = await nameLibraries(map.libraries, { ...input, readNames });
  return { lines: vmSymbolLines(libraries), problems: problemsOf(input.name, runs, libraries) };
}

function problemsOf(
  name: string,
  runs: readonly ReadRun[],
  libraries: readonly { readonly info: LibraryInfo }[],
): DumpProblems {
  return {
    name,
    diagnostics: mergeDiagnostics(runs.flatMap(({ diagnostics }) => diagnostics)),
    libraries: libraries.map(({ info }) => info),
  };
}
