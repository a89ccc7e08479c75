import { TicksError } from "../../../errors.js";
import type { RangeRows } from "../../../profile/profile.js";
import type { VmStateName } from "../../../profile/vm-state.js";
import type { TickRangeOptions } from "../../../recorder/tick-range.js";
import type { SeparateOptions } from "../../../views/stack-labels.js";
import { keptStates, timeRange } from "../../filter-options.js";
import type { DumpedTicks } from "../../log-dumps.js";
import type { FormatFlags, ViewFlags } from "../../options.js";

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
