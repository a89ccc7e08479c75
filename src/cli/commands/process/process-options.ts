import { type Command, InvalidArgumentError, Option } from "commander";
import { TicksError } from "../../../errors.js";
import type { RangeRows } from "../../../profile/profile.js";
import { VM_STATES, type VmStateName } from "../../../profile/vm-state.js";
import type { TickRangeOptions } from "../../../recorder/tick-range.js";
import type { SeparateOptions } from "../../../views/stack-labels.js";
import { addFilterOptions, timeRange } from "../../filter-options.js";
import type { DumpedTicks } from "../../log-dumps.js";
import {
  addFormatOptions,
  addSymbolOptions,
  colorOption,
  type FormatFlags,
  sourceMapsOption,
  sourceRootOption,
  threadOption,
  type ViewFlags,
  wholeNumber,
} from "../../options.js";

/** The options of `ticks process` as commander leaves them. */
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

/** Adds the options of `ticks process` to a command, in the order and groups of its help. */
export function addProcessOptions(command: Command): void {
  addFormatOptions(command.optionsGroup("Output:"), ["text", "json", "md"]);
  command
    .addOption(colorOption())
    .option("--only-summary", "print only the summary")
    .option("--call-graph-size <n>", "levels of callers in the heavy profile, up to 1000", levels, 5)
    .option("--ignore-unknown", "exclude unaccounted ticks from percentages")
    .option("--inlines", "give ticks to the inlined functions they are in, by their source maps (Node 16+)")
    .addOption(sourceMapsOption())
    .addOption(sourceRootOption())
    .option("--source-map <file>", "show places in the sources of this one source map")
    .option("--preprocess", "print code, functions, ticks and scripts as JSON, for viewers, no report")
    .option("--serialize-vm-symbols", "print the C++ symbols and libraries of the log as JSON, no report")
    .option("--strict", "exit with 1 when anything is wrong in the log");
  command
    .optionsGroup("Ticks that count, as --prof-process has it (several states add up):")
    .option("-j, --js", "only ticks in JavaScript")
    .option("-g, --gc", "only ticks in garbage collection")
    .option("-p, --parser", "only ticks in the parser")
    .option("-b, --bytecode-compiler", "only ticks in the bytecode compiler")
    .option("-c, --compiler", "only ticks in the optimizing compilers")
    .option("-o, --other", "only ticks in other work of V8")
    .option("-e, --external", "only ticks in native code called from JavaScript")
    .option("--no-idle", "no ticks while idle (-ni of --prof-process)")
    .option(
      "--range <start,end>",
      "only ticks in this range of milliseconds; either end may be 'auto'",
      range,
    )
    .option("--distortion <ps>", "picoseconds that writing one row took, for --range", wholeNumber)
    .option("--timed-range", "only ticks between the first and the last current-time row")
    .option("--pairwise-timed-range", "only ticks inside pairs of current-time rows")
    .addOption(new Option("--ptr", "the same").hideHelp())
    .option("--filter-runtime-timer <name>", "only ticks while this runtime timer is active")
    .addOption(threadOption());
  command
    .optionsGroup("Code with rows of its own (else its ticks go to its callers; --X=true|false too):")
    .option("--separate-ic", "inline caches", true)
    .option("--no-separate-ic", "no inline caches")
    .option("--separate-bytecodes", "bytecode handlers", false)
    .addOption(new Option("--no-separate-bytecodes").hideHelp())
    .option("--separate-builtins", "builtins", true)
    .option("--no-separate-builtins", "no builtins")
    .option("--separate-stubs", "stubs", true)
    .option("--no-separate-stubs", "no stubs")
    .option("--separate-sparkplug-handlers", "builtins of baseline code", true)
    .option("--no-separate-sparkplug-handlers", "no builtins of baseline code");
  addFilterOptions(command);
  addSymbolOptions(command);
  command
    .optionsGroup("Accepted for the sake of --prof-process, without effect:")
    .option("--objdump <path>", "program headers are read without it")
    .option("--readelf <path>", "build ids are read without it")
    .option("--linux", "the platform is read off the log")
    .option("--windows", "the same")
    .option("--mac", "the same")
    .option("--use-bigint-addresses", "addresses are exact without it")
    .addOption(new Option("--bigint-addresses").hideHelp());
}

/** The flags of `flags` that are accepted and change nothing, with the reason. */
export function flagsWithoutEffect(flags: ProcessFlags): string[] {
  const reasons: [unknown, string][] = [
    [flags.objdump, "--objdump has no effect: program headers are read without it"],
    [flags.readelf, "--readelf has no effect: build ids are read without it"],
    [flags.linux, "--linux has no effect: the platform is read off the log"],
    [flags.windows, "--windows has no effect: the platform is read off the log"],
    [flags.mac, "--mac has no effect: the platform is read off the log"],
    [
      flags.useBigintAddresses ?? flags.bigintAddresses,
      "--use-bigint-addresses has no effect: addresses are exact without it",
    ],
  ];
  return reasons.filter(([value]) => value !== undefined).map(([, reason]) => reason);
}

/** The flags that could have changed something, but not for this log. */
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

export function separateOptions(flags: ProcessFlags): SeparateOptions {
  return {
    ic: flags.separateIc,
    bytecodes: flags.separateBytecodes,
    builtins: flags.separateBuiltins,
    stubs: flags.separateStubs,
    sparkplugHandlers: flags.separateSparkplugHandlers,
  };
}

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

/** The VM states that count; undefined for all. */
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
  const wanted = oldFlags.flatMap(([isWanted, state]) => (isWanted ? [state] : []));
  wanted.push(...(flags.state ?? []));
  if (wanted.length === 0 && flags.idle) return undefined;
  const counted = wanted.length === 0 ? VM_STATES : wanted;
  return flags.idle ? [...counted] : counted.filter((state) => state !== "idle" && state !== "idle-external");
}

/** Which ticks the flags leave in what `--preprocess` writes. Throws a {@link TicksError} for flags that it does not have. */
export function dumpedTicks(flags: ProcessFlags): DumpedTicks {
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
  return { range: options, states: statesOf(flags) };
}

function levels(text: string): number {
  const number = wholeNumber(text);
  if (number > 1000) throw new InvalidArgumentError("It is over 1000.");
  return number;
}

function range(text: string): { from?: number; to?: number } {
  const match = /^(\d+|auto)?,(\d+|auto)?$/.exec(text);
  if (match === null) throw new InvalidArgumentError("It is not START,END in milliseconds.");
  const bound = (word: string | undefined) =>
    word === undefined || word === "auto" ? undefined : Number(word);
  const from = bound(match[1]);
  const to = bound(match[2]);
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
