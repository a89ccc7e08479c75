import { existsSync } from "node:fs";
import { badOption, TicksError } from "../../base/errors.js";
import { SOURCE_MAP_BYTES } from "../../base/limits.js";
import { Analysis } from "../../facts/analysis.js";
import { faultsOf, isSampled, WITHOUT_PROF } from "../../facts/coverage.js";
import { filterProfile } from "../../facts/filter-profile.js";
import { printable } from "../../facts/label.js";
import type { SeparateOptions } from "../../facts/stack-labels.js";
import { mapUrl, SourceMap } from "../../infer/source-maps.js";
import { openLog, STDIN } from "../../io/input.js";
import { readRegularFile } from "../../io/regular-file.js";
import { sourceFilesUnder } from "../../io/source-files.js";
import { feedLog } from "../../load/log-feeder.js";
import { LogParser } from "../../log/parser.js";
import type { RecordSink } from "../../log/rows/row-decoders.js";
import { Diagnostics } from "../../profile/diagnostics.js";
import type { RangeRows } from "../../profile/profile.js";
import type { VmStateName } from "../../profile/vm-state.js";
import { Script } from "../../replay/scripts.js";
import type { TickRangeOptions } from "../../replay/tick-range.js";
import { findUnmatched, keptStates, profileFilter, timeRange } from "../filter-options.js";
import { loadProfile, warnProblems } from "../load-profile.js";
import type { DumpedTicks } from "../log-dumps.js";
import { logsOrDefault, onlyOneLog } from "../log-paths.js";
import type { FormatFlags, ViewFlags } from "../options.js";
import { printReport } from "../print-report.js";
import { sourceRoots } from "../source-roots.js";
import { warn, writeReport } from "../terminal.js";
import { warnDumpProblems, warnIdle } from "../warnings.js";

/** Runs `ticks process`. Returns the exit status. */
export async function runProcess(args: readonly string[], flags: ProcessFlags): Promise<number> {
  refuseOutput(args, flags);
  for (const reason of given(flags, WITHOUT_EFFECT)) warn(reason);
  if (flags.preprocess || flags.serializeVmSymbols) return runDump(await logsOrDefault(args), flags);
  const roots = sourceRoots(args, flags);
  const files = sourceFilesUnder(roots);
  const loading = import("../../reports/process.js"); // While a second thread starts, not after it.
  const {
    profile: all,
    infos,
    skipped,
    refusedMaps,
  } = await loadProfile(args, flags, {
    range: rangeOptions(flags),
    inlines: flags.inlines ?? false,
    mayLackTicks: flags.strict,
    isNamedByLog: true,
    onlyInLogs: {
      what: "the libraries and C++ functions of this report",
      record: "ticks record -- node app.js. The report of a profile: ticks top FILE",
    },
    inferred: flags.inferred,
    asNm: flags.format === "text",
    mapRoots: flags.sourceMaps && flags.sourceMap === undefined ? roots : undefined,
  });
  for (const reason of flagsWithoutRows(flags, all.info.rangeRows)) warn(reason);
  // As Node has it: ticks that waited count, unless their state is left out.
  const filter = { ...profileFilter(flags), states: statesOf(flags), idle: true };
  const unmatched = await findUnmatched(all, filter);
  const profile = Analysis.of(filterProfile(all, filter));
  const report = {
    profile,
    separate: separateOptions(flags),
    ignoreUnknown: flags.ignoreUnknown,
    callGraphSize: flags.callGraphSize,
    onlySummary: flags.onlySummary,
    rename: flags.sourceMap === undefined ? undefined : await loadSourceMap(flags.sourceMap),
  };
  await printReport((await loading).PROCESS, report, flags);
  warnProblems({ profile, infos, files, refusedMaps, unmatched });
  warnIdle(profile);
  if (process.stderr.isTTY) await hintAtInlines(all.info.logs, flags);
  if (!isSampled(all.info)) {
    warn(`${all.info.title} was ${WITHOUT_PROF}`);
    return 1;
  }
  return flags.strict && (faultsOf(all.info).length > 0 || skipped > 0) ? 1 : 0;
}

/** Throws a {@link TicksError} if `-o`, which selects a state here, stands before the name of a file that is not there. */
function refuseOutput(args: readonly string[], { other }: ProcessFlags): void {
  const file = other ? args.find((arg) => arg !== STDIN && !existsSync(arg)) : undefined;
  if (file === undefined) return;
  throw badOption(
    `${printable(file)}: no such file; -o keeps only ticks in other work of V8, as in --prof-process`,
    `To write the report to a file: ticks process LOG > ${printable(file)}`,
  );
}

/** Mentions `--inlines` if it would say more. */
async function hintAtInlines(logs: readonly string[], flags: ProcessFlags): Promise<void> {
  if (flags.inlines || flags.sourceMap !== undefined || !flags.sourceMaps) return;
  if (await hasSourceMaps(logs)) {
    warn("scripts of this log have source maps: --inlines shows the names and lines of their sources");
  }
}

/** Prints the contents of one log as JSON, without a report. */
async function runDump([log, ...others]: readonly string[], flags: ProcessFlags): Promise<number> {
  const isSymbols = flags.serializeVmSymbols === true;
  const flag = isSymbols ? "--serialize-vm-symbols" : "--preprocess";
  if (flags.thread !== undefined) {
    throw badOption(`${flag} does not support --thread`, "Name the log of that thread instead.");
  }
  if (log === undefined || others.length > 0) {
    throw onlyOneLog(flag);
  }
  const { preprocess, vmSymbols } = await import("../log-dumps.js"); // Most runs do not need it.
  const { lines, problems } = isSymbols
    ? await vmSymbols(log, flags)
    : await preprocess(log, flags, dumpedTicks(flags));
  await writeReport(lines, flags);
  warnDumpProblems(problems);
  return flags.strict && faultsOf(problems).length > 0 ? 1 : 0;
}

/** The options of `ticks process`, as commander parses them. */
interface ProcessFlags
  extends ViewFlags,
    FormatFlags,
    Partial<Record<keyof typeof STATES | keyof typeof WITHOUT_EFFECT, unknown>> {
  strict?: boolean;
  idle: boolean;
  filterRuntimeTimer?: string;
  range?: { from?: number; to?: number };
  distortion?: number;
  timedRange?: boolean;
  pairwiseTimedRange?: boolean;
  ptr?: boolean;
  callGraphSize: number;
  ignoreUnknown?: boolean;
  onlySummary?: boolean;
  separateIc: boolean;
  separateBytecodes: boolean;
  separateBuiltins: boolean;
  separateStubs: boolean;
  separateSparkplugHandlers: boolean;
  sourceMap?: string;
  inlines?: boolean;
  preprocess?: boolean;
  serializeVmSymbols?: boolean;
}

/** The flags that never have an effect, and why. */
const WITHOUT_EFFECT = {
  objdump: "--objdump has no effect: ticks reads program headers itself",
  readelf: "--readelf has no effect: ticks reads build ids itself",
  linux: "--linux has no effect: the log says the platform",
  windows: "--windows has no effect: the log says the platform",
  mac: "--mac has no effect: the log says the platform",
  useBigintAddresses: "--use-bigint-addresses has no effect: addresses are always exact",
  bigintAddresses: "--use-bigint-addresses has no effect: addresses are always exact",
} as const;

/** Returns what the given flags of a table stand for there, each once. */
function given<Flag extends string, Value>(
  flags: Partial<Record<NoInfer<Flag>, unknown>>,
  table: Readonly<Record<Flag, Value>>,
): Value[] {
  const found = Object.entries<Value>(table).filter(([flag]) => flags[flag as Flag] !== undefined);
  return Array.from(new Set(found.map(([, value]) => value)));
}

/** Returns a warning for each given flag that has no effect on this log. */
function flagsWithoutRows(flags: ProcessFlags, { currentTime, runtimeTimers }: RangeRows): string[] {
  const reasons: string[] = [];
  if (rangeOptions(flags).timedRange !== "off" && currentTime === 0) {
    reasons.push(
      "--timed-range has no effect: the log has no current-time rows, which Node 10 and later never write",
    );
  }
  if (flags.filterRuntimeTimer !== undefined && runtimeTimers === 0) {
    reasons.push("--filter-runtime-timer has no effect: the log has no active-runtime-timer rows");
  }
  return reasons;
}

/** Returns which code of V8 has rows of its own. */
function separateOptions(flags: ProcessFlags): SeparateOptions {
  return {
    ic: flags.separateIc,
    bytecodes: flags.separateBytecodes,
    builtins: flags.separateBuiltins,
    stubs: flags.separateStubs,
    sparkplugHandlers: flags.separateSparkplugHandlers,
  };
}

function rangeOptions(flags: ProcessFlags): TickRangeOptions {
  const { from, to } = timeRange(flags);
  const isPairwise = flags.pairwiseTimedRange || flags.ptr;
  return {
    from: from ?? flags.range?.from,
    to: to ?? flags.range?.to,
    distortion: flags.distortion,
    timedRange: isPairwise ? "pairs" : flags.timedRange ? "all" : "off",
    runtimeTimer: flags.filterRuntimeTimer,
  };
}

/** The flags of `--prof-process` that keep ticks in a VM state. */
const STATES = {
  js: "js",
  gc: "gc",
  parser: "parser",
  bytecodeCompiler: "bytecode-compiler",
  compiler: "compiler",
  other: "other",
  external: "external",
} as const satisfies Record<string, VmStateName>;

/** Returns the VM states to keep; undefined for all. */
function statesOf(flags: ProcessFlags): VmStateName[] | undefined {
  const state = [...given(flags, STATES), ...(flags.state ?? [])];
  return keptStates({ idle: flags.idle, ...(state.length > 0 && { state }) });
}

/**
 * Returns the ticks that `--preprocess` writes. Throws a {@link TicksError} for flags that do not work with
 * it.
 */
function dumpedTicks(flags: ProcessFlags): DumpedTicks {
  const options = rangeOptions(flags);
  if (options.timedRange !== "off" || options.runtimeTimer !== undefined) {
    throw badOption(
      "--preprocess does not support timed ranges and runtime timers",
      "Use --range START,END.",
    );
  }
  const ofStacks = (["focus", "ignore", "hide", "only"] as const).find((name) => flags[name] !== undefined);
  if (ofStacks !== undefined) {
    throw badOption(`--preprocess writes whole stacks and does not support --${ofStacks}`);
  }
  return { range: options, states: statesOf(flags) };
}

const POSITION = /:(\d+):(\d+)$/;

/**
 * Reads a source map and returns a function that renames labels. A label that ends in a position of the map
 * becomes `source:line:column -> label`; other labels stay. As in `--prof-process`, the map applies to every
 * file. Throws a {@link TicksError} if the file is not a readable source map.
 */
function loadSourceMap(path: string): (label: string) => string {
  const map = readMap(path);
  return (label) => {
    const position = POSITION.exec(label);
    if (position === null) return label;
    const [line, column] = [Math.max(1, Number(position[1])), Math.max(1, Number(position[2]))];
    const original = map.original({ line, column });
    return original === undefined
      ? label
      : `${original.file}:${original.line}:${original.column} -> ${label}`;
  };
}

function readMap(path: string): SourceMap {
  try {
    return new SourceMap(readRegularFile(path, SOURCE_MAP_BYTES, "it").toString("utf8"), path);
  } catch (error) {
    const reason = printable((error as Error).message);
    throw new TicksError("BAD_SOURCE_MAP", `${printable(path)}: not a source map (${reason})`);
  }
}

/** How many bytes of a log are searched: V8 logs a script with its first functions, so most come early. */
const SEARCHED_BYTES = 16 << 20;
/** How many logs are searched. */
const SEARCHED_LOGS = 4;

/** Returns whether scripts of logs name source maps, as far as a short look shows. Skips what is no file. */
async function hasSourceMaps(logs: readonly string[]): Promise<boolean> {
  for (const log of logs.slice(0, SEARCHED_LOGS)) {
    if (await namesSourceMap(log)) return true;
  }
  return false;
}

async function namesSourceMap(log: string): Promise<boolean> {
  let isFound = false;
  const sink: RecordSink = {
    takeTicks() {},
    takeRecord(record) {
      isFound ||= record.type === "script-source" && mapUrl(new Script(record, 0)) !== undefined;
    },
  };
  const parser = new LogParser(sink, new Diagnostics(), { optionalRows: ["script-source"] });
  async function* start() {
    let bytes = 0;
    for await (const chunk of openLog(log)) {
      yield chunk;
      bytes += chunk.length;
      if (isFound || bytes >= SEARCHED_BYTES) return;
    }
  }
  try {
    await feedLog(start(), parser, log);
  } catch (error) {
    if (!(error instanceof TicksError)) throw error; // Standard input is gone; the report has told the rest.
  }
  return isFound;
}
