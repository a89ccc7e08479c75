import { type Command, InvalidArgumentError, Option } from "commander";
import { TicksError } from "../../../errors.js";
import type { RangeRows } from "../../../profile/profile.js";
import type { VmStateName } from "../../../profile/vm-state.js";
import type { TickRangeOptions } from "../../../recorder/tick-range.js";
import type { SeparateOptions } from "../../../views/stack-labels.js";
import { addFilterOptions, keptStates, timeRange } from "../../filter-options.js";
import type { DumpedTicks } from "../../log-dumps.js";
import {
  addFormatOptions,
  addSourceRootDetails,
  addSymbolOptions,
  colorOption,
  type FormatFlags,
  inferredOption,
  noColorOption,
  sourceMapsOption,
  sourceRootOption,
  threadOption,
  type ViewFlags,
  wholeNumber,
} from "../../options.js";

/** The options of `ticks process`, as commander parses them. */
export interface ProcessFlags extends ViewFlags, FormatFlags {
  strict?: boolean;
  js?: boolean;
  gc?: boolean;
  parser?: boolean;
  bytecodeCompiler?: boolean;
  compiler?: boolean;
  other?: boolean;
  external?: boolean;
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
  objdump?: string;
  readelf?: string;
  linux?: boolean;
  windows?: boolean;
  mac?: boolean;
  useBigintAddresses?: boolean;
  bigintAddresses?: boolean;
}

/** Adds the options of `ticks process`, in the order and the groups of its help. */
export function addProcessOptions(command: Command): void {
  addFormatOptions(command.optionsGroup("Output:"), ["text", "json", "md"]);
  command
    .addOption(colorOption())
    .addOption(noColorOption())
    .option("--only-summary", "print only the summary")
    .option(
      "--call-graph-size <n>",
      "number of caller levels in the bottom-up profile, up to 1000",
      levels,
      5,
    )
    .option("--ignore-unknown", "exclude unaccounted ticks from percentages")
    .option("--inlines", "credit ticks to inlined functions, named by source maps (Node 16+)")
    .addOption(inferredOption())
    .addOption(sourceMapsOption())
    .addOption(sourceRootOption())
    .option("--source-map <file>", "show positions in the original sources of this source map")
    .option(
      "--preprocess",
      "print code, functions, ticks and scripts as JSON for viewers, instead of a report",
    )
    .option(
      "--serialize-vm-symbols",
      "print the C++ symbols and libraries of the log as JSON, instead of a report",
    )
    .option("--strict", "exit with 1 if anything is wrong in the log");
  command
    .optionsGroup("Filters of --prof-process (several states add up):")
    .option("-j, --js", "keep only ticks in JavaScript")
    .option("-g, --gc", "keep only ticks in garbage collection")
    .option("-p, --parser", "keep only ticks in the parser")
    .option("-b, --bytecode-compiler", "keep only ticks in the bytecode compiler")
    .option("-c, --compiler", "keep only ticks in the optimizing compilers")
    .option("-o, --other", "keep only ticks in other work of V8")
    .option("-e, --external", "keep only ticks in native code called from JavaScript")
    .addOption(new Option("--no-idle", "drop idle ticks (-ni in --prof-process)"))
    .option(
      "--range <start,end>",
      "keep only ticks in this range of milliseconds; either end may be auto",
      range,
    )
    .option("--distortion <ps>", "time that V8 took to write a row, in picoseconds, for --range", wholeNumber)
    .option("--timed-range", "keep only ticks between the first and the last current-time row")
    .option("--pairwise-timed-range", "keep only ticks between pairs of current-time rows")
    .addOption(new Option("--ptr", "the same").hideHelp())
    .option("--filter-runtime-timer <name>", "keep only ticks while this runtime timer is active")
    .addOption(threadOption());
  command
    .optionsGroup("Separate rows for V8 code (--separate-X=true and =false work too):")
    .option("--separate-ic", "show inline caches", true)
    .option("--no-separate-ic", "credit inline caches to their callers")
    .option("--separate-bytecodes", "show bytecode handlers", false)
    .addOption(new Option("--no-separate-bytecodes").hideHelp())
    .option("--separate-builtins", "show builtins", true)
    .option("--no-separate-builtins", "credit builtins to their callers")
    .option("--separate-stubs", "show stubs", true)
    .option("--no-separate-stubs", "credit stubs to their callers")
    .option("--separate-sparkplug-handlers", "show builtins of Sparkplug code", true)
    .option("--no-separate-sparkplug-handlers", "credit these to their callers");
  addFilterOptions(command);
  addSymbolOptions(command);
  addSourceRootDetails(command);
  command
    .optionsGroup("Accepted as in --prof-process, but without effect:")
    .option("--objdump <path>", "not needed: ticks reads program headers itself")
    .option("--readelf <path>", "not needed: ticks reads build ids itself")
    .option("--linux", "not needed: the log says the platform")
    .option("--windows", "not needed, like --linux")
    .option("--mac", "not needed, like --linux")
    .option("--use-bigint-addresses", "not needed: addresses are always exact")
    .addOption(new Option("--bigint-addresses").hideHelp());
}

/** Returns a warning for each given flag that never has an effect. */
export function flagsWithoutEffect(flags: ProcessFlags): string[] {
  const reasons: [unknown, string][] = [
    [flags.objdump, "--objdump has no effect: ticks reads program headers itself"],
    [flags.readelf, "--readelf has no effect: ticks reads build ids itself"],
    [flags.linux, "--linux has no effect: the log says the platform"],
    [flags.windows, "--windows has no effect: the log says the platform"],
    [flags.mac, "--mac has no effect: the log says the platform"],
    [
      flags.useBigintAddresses ?? flags.bigintAddresses,
      "--use-bigint-addresses has no effect: addresses are always exact",
    ],
  ];
  return reasons.filter(([value]) => value !== undefined).map(([, reason]) => reason);
}

/** Returns a warning for each given flag that has no effect on this log. */
export function flagsWithoutRows(flags: ProcessFlags, { currentTime, runtimeTimers }: RangeRows): string[] {
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
export function separateOptions(flags: ProcessFlags): SeparateOptions {
  return {
    ic: flags.separateIc,
    bytecodes: flags.separateBytecodes,
    builtins: flags.separateBuiltins,
    stubs: flags.separateStubs,
    sparkplugHandlers: flags.separateSparkplugHandlers,
  };
}

/** Returns the range of ticks that the flags ask for. */
export function rangeOptions(flags: ProcessFlags): TickRangeOptions {
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

/** Returns the VM states to keep; undefined for all. */
export function statesOf(flags: ProcessFlags): VmStateName[] | undefined {
  const oldFlags: [boolean | undefined, VmStateName][] = [
    [flags.js, "js"],
    [flags.gc, "gc"],
    [flags.parser, "parser"],
    [flags.bytecodeCompiler, "bytecode-compiler"],
    [flags.compiler, "compiler"],
    [flags.other, "other"],
    [flags.external, "external"],
  ];
  const given = oldFlags.flatMap(([isGiven, state]) => (isGiven ? [state] : []));
  given.push(...(flags.state ?? []));
  return keptStates({ idle: flags.idle, ...(given.length > 0 && { state: given }) });
}

/**
 * Returns the ticks that `--preprocess` writes. Throws a {@link TicksError} for flags that do not work with
 * it.
 */
export function dumpedTicks(flags: ProcessFlags): DumpedTicks {
  const options = rangeOptions(flags);
  if (options.timedRange !== "off" || options.runtimeTimer !== undefined) {
    throw new TicksError(
      "BAD_OPTION",
      "--preprocess does not support timed ranges and runtime timers",
      "Use --range START,END.",
    );
  }
  const ofStacks = (["focus", "ignore", "hide", "only"] as const).find((name) => flags[name] !== undefined);
  if (ofStacks !== undefined) {
    throw new TicksError("BAD_OPTION", `--preprocess writes whole stacks and does not support --${ofStacks}`);
  }
  return { range: options, states: statesOf(flags) };
}

function levels(text: string): number {
  const number = wholeNumber(text);
  if (number > 1000) throw new InvalidArgumentError("Expected 1000 or less.");
  return number;
}

function range(text: string): { from?: number; to?: number } {
  const match = /^(\d+|auto)?,(\d+|auto)?$/.exec(text);
  if (match === null) throw new InvalidArgumentError("Expected START,END in milliseconds.");
  const bound = (word: string | undefined) =>
    word === undefined || word === "auto" ? undefined : Number(word);
  const from = bound(match[1]);
  const to = bound(match[2]);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
