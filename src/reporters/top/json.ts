import type { Ticks } from "../../profile/units.js";
import { longestThread, type NextCommand, nextCommands, type TopReport } from "../../reports/top.js";
import type { Category } from "../../views/breakdown.js";
import type { ShareRange } from "../../views/confidence.js";
import type { SharedFile, Warning } from "../../views/coverage.js";
import type { HotLine, HotLines, NoLineReason } from "../../views/hot-lines.js";
import { percentOf } from "../../views/shares.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import type { FunctionRow } from "../../views/top-functions.js";
import type { WeightRanges } from "../../views/top-ranges.js";
import { type CostData, costOf } from "../deopts/json.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type CallableData,
  type FromOne,
  type FunctionData,
  type InferredData,
  type Integer,
  type JsonHead,
  jsonCallable,
  jsonFunction,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonScripts,
  jsonTiers,
  type Microseconds,
  type MissingCallersData,
  type Percent,
  type PositionData,
  type ScriptsData,
  shownTicks,
  type TierShares,
} from "../layout/json-parts.js";
import { textAround } from "../layout/source-line.js";

/**
 * All weights are numbers of ticks. A tick is not a time. Every list is ranked, most ticks first.
 * @id top.schema.json
 * @title ticks top --format json, schema version 1
 */
export interface TopData extends JsonHead<"top">, HotLinesData {
  readonly sampling: TopSamplingData;
  readonly missingCallers: MissingCallersData;
  /** Reasons to doubt the numbers. */
  readonly warnings: readonly WarningData[];
  /** What the ticks were spent on. Each tick is in exactly one row. */
  readonly breakdown: readonly BreakdownData[];
  /**
   * Where the innermost function of the program itself was, whatever it called. Each tick is in one row, or in
   * ticksWithoutProgram.
   */
  readonly app: HotLinesData;
  /**
   * Each tick is in the innermost package of its stack: the program, an npm package, or Node's JavaScript. Node's module
   * loader belongs to the package that required a module.
   */
  readonly packages: readonly PackageData[];
  /** The heaviest stacks, folded. No tick is in two of them. */
  readonly stacks: readonly StackData[];
  /** Ticks in no row of stacks. */
  readonly otherStacks: Ticks;
  readonly functions: TopFunctionsData;
  /** Deoptimizations that cost ticks, the costliest first. `ticks deopts` has all. */
  readonly deopts: readonly TopDeoptData[];
  /** The command line about the function to look at. null if there is none. */
  readonly next: string | null;
  /**
   * Up to three commands that fit what was found, the most telling first.
   * @maxItems 3
   */
  readonly nextSteps: readonly NextCommand[];
}

export interface TopSamplingData {
  /** The interval asked for. null if the log does not say. */
  readonly intervalAskedUs: number | null;
  /** The mean time between ticks, without gaps. null with fewer than two ticks. */
  readonly intervalUs: number | null;
  /** From the first tick of a thread to its last; of several threads, the longest. */
  readonly spanUs: Microseconds;
  /** The sum of these times of all threads. */
  readonly threadTimeUs: Microseconds;
  /** The CPU time of all threads of the processes, as ticks record measured it; null if it is not known. */
  readonly cpuUs: number | null;
}

export type WarningData =
  | { readonly kind: "no-function"; readonly ticks: Ticks; readonly percent: number }
  | {
      /** Most ticks are idle, and --idle counts them. */
      readonly kind: "idle";
      readonly ticks: Ticks;
      readonly percent: number;
    }
  | {
      /** A file has more than the log of one run. */
      readonly kind: "shared-file";
      /**
       * Several runs follow each other, and are threads; several processes wrote at once; or a part of another run is in the
       * file.
       */
      readonly fault: SharedFile["fault"];
      /** Where that shows first. */
      readonly line: FromOne;
      /** How often it shows. */
      readonly count: FromOne;
    }
  | {
      /** V8 does not say so, but in these ticks the thread most likely waited: they count as idle. */
      readonly kind: "inferred-idle";
      readonly ticks: Ticks;
      readonly percent: number;
      /** The library with the system call that waits. */
      readonly library: string;
    }
  | { readonly kind: "few-ticks"; readonly ticks: Ticks }
  | {
      /** The ticks of a log have no times, and count as intervalUs apart. */
      readonly kind: "no-times";
      readonly intervalUs: number;
    }
  | {
      readonly kind: "slow-sampling";
      readonly intervalAskedUs: number;
      readonly intervalUs: number;
      /** Whether the timer of Windows is no finer; else the machine was busy. */
      readonly isWindowsTimer: boolean;
    }
  | { readonly kind: "lost-ticks"; readonly times: Integer }
  | {
      readonly kind: "bursts";
      readonly ticks: Ticks;
      readonly percent: number;
      readonly withinUs: Microseconds;
    }
  | {
      /** Much of the CPU time of the processes is of threads that V8 does not sample. */
      readonly kind: "unsampled-cpu";
      /** Of all threads. */
      readonly cpuUs: Microseconds;
      /** Of the threads that run JavaScript. */
      readonly sampledUs: Microseconds;
    }
  | {
      readonly kind: "no-cpu";
      readonly gapTimeUs: Microseconds;
      readonly spanUs: Microseconds;
      readonly percent: number;
    }
  | { readonly kind: "system-calls"; readonly ticks: Ticks; readonly percent: number; readonly most: string }
  | { readonly kind: "dependent-ticks"; readonly ticks: Ticks; readonly effectiveTicks: Ticks }
  | {
      readonly kind: "missing-callers";
      readonly callers: Integer;
      readonly missing: Integer;
      readonly percent: number;
    }
  | { readonly kind: "diagnostics"; readonly count: Integer };

/**
 * The lower end of the 95 % confidence interval of this percentage. Wilson score interval, wider where ticks come in bursts.
 * @minimum 0
 * @maximum 100
 */
export type LowPercent = number;

/**
 * The upper end of that interval.
 * @minimum 0
 * @maximum 100
 */
export type HighPercent = number;

/** A share of the ticks. */
export interface ShareData {
  readonly ticks: Ticks;
  readonly percent: Percent;
  readonly percentLow: LowPercent;
  readonly percentHigh: HighPercent;
}

export interface SelfData {
  /** In its own JavaScript; of a function, in the function itself. */
  readonly self: Ticks;
  readonly selfPercent: Percent;
  readonly selfPercentLow: LowPercent;
  readonly selfPercentHigh: HighPercent;
}

export interface TotalData {
  /** In its code and all that it called. A stack counts once, with recursion too. */
  readonly total: Ticks;
  readonly totalPercent: Percent;
  readonly totalPercentLow: LowPercent;
  readonly totalPercentHigh: HighPercent;
}

export interface BreakdownData extends ShareData {
  readonly category: Category;
  readonly title: string;
  /**
   * With one decimal. The rows sum to exactly 100.0, or to 0 without ticks.
   * @minimum 0
   * @maximum 100
   */
  readonly percent: number;
  readonly tiers: TierShares;
}

export interface HotLinesData {
  /** Where the innermost function of the program or of a package was. No tick is in two of them. */
  readonly lines: readonly HotLineData[];
  /**
   * Functions of the program or of a package whose lines are unknown. lines and this list are ranked together, so they share
   * the limit.
   */
  readonly functionsWithoutLine: readonly FunctionWithoutLine[];
  /** Of them, at unknown lines. */
  readonly ticksWithoutLine: Ticks;
  /** In stacks without a function of the program, and for all lines also without one of a package. */
  readonly ticksWithoutProgram: Ticks;
}

export interface HotLineData extends ShareData, ScriptsData {
  /** As logged. */
  readonly file: string;
  readonly line: FromOne;
  /**
   * Where the function begins, if that is in this line and the line is longer than 200 characters; `text` is then what is
   * around it.
   */
  readonly column?: FromOne;
  /** The function with most ticks in the line. */
  readonly function: FunctionData;
  /** In the line, or in what it called of Node, V8 and native code: each tick is at the innermost line only. */
  readonly ticks: Ticks;
  /** In the line's own code. */
  readonly self: Ticks;
  /** In the line and in all that it called, as ticks lines has it. A stack counts once. */
  readonly total: Ticks;
  /** Of ticks, those whose line is not in the log, but the only one possible. Absent if there are none. */
  readonly inferred?: Ticks;
  /** The line, or 160 characters of a line longer than 200. null if the log has no source. */
  readonly text: string | null;
}

export interface FunctionWithoutLine extends ShareData, ScriptsData {
  readonly function: FunctionData;
  /**
   * sparkplug: V8 logs no positions of Sparkplug code before Node 26; peeled-loop: Maglev's code has lines for the first round
   * of a loop only; interpreter: it knows where it is only while it calls; old-node: none at all before Node 16; webassembly:
   * it has no lines; not-logged: the log has none of this function.
   */
  readonly reason: NoLineReason;
  /** The line where the loop begins that the ticks are in. Only for peeled-loop; a function has a row for each loop. */
  readonly loop?: FromOne;
  /** In the function's own code. */
  readonly self: Ticks;
  /** At these lines and in all that they called. A stack counts once. */
  readonly total: Ticks;
}

export interface PackageData extends ShareData, SelfData, TotalData {
  /** An npm package, app, node or ticks record. Empty for stacks without JavaScript. */
  readonly name: string;
  /** null for stacks without JavaScript. */
  readonly origin: "app" | "deps" | "node" | "recorder" | null;
  /** self and throughNative. */
  readonly ticks: Ticks;
  /**
   * With one decimal. All packages sum to exactly 100.0.
   * @minimum 0
   * @maximum 100
   */
  readonly percent: number;
  /** In native code, V8 and Node's module loader that it called, with no other package between. */
  readonly throughNative: Ticks;
  readonly throughNativePercent: Percent;
  readonly throughNativePercentLow: LowPercent;
  readonly throughNativePercentHigh: HighPercent;
}

export interface StackData extends ShareData {
  /** In this stack, and in the lighter ones that continue it. */
  readonly ticks: Ticks;
  /**
   * Outermost first: functions of the program, what they called of Node, and the leaf or what V8 did.
   * @minItems 1
   */
  readonly path: readonly CallableData[];
}

export interface TopFunctionsData {
  readonly bySelf: readonly TopFunctionData[];
  /** Without the Node functions that are mostly above the program. */
  readonly byTotal: readonly TopFunctionData[];
  /**
   * The functions by total. Functions that own the same ticks are one chain: each has less than 1 % of the ticks without the
   * next. Without Node's module loader, V8's entry to C++ functions, and native functions that are in bySelf.
   */
  readonly chains: readonly ChainData[];
}

export interface TopFunctionData extends FunctionData, SelfData, TotalData, InferredData {
  readonly tiers: TierShares;
}

export interface ChainData extends TotalData {
  /**
   * Outermost first.
   * @minItems 1
   */
  readonly functions: readonly FunctionData[];
  /** In the functions themselves. */
  readonly self: Ticks;
  /** The most of a function of the chain. */
  readonly total: Ticks;
}

export interface TopDeoptData extends CostData {
  /** The function's name, or what is shown for it. */
  readonly title: string;
  readonly functionPosition: PositionData | null;
  /** Where it happened, innermost first: each position is inlined at the next. */
  readonly position: readonly PositionData[];
  readonly reason: string;
  readonly count: FromOne;
  readonly costPercentLow: LowPercent;
  readonly costPercentHigh: HighPercent;
  readonly costByTier: TierShares;
  readonly isLoop: boolean;
}

/** Yields the summary for programs. */
export function topJson(report: TopReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(topData(report), layout);
}

export function topData(report: TopReport): TopData {
  const { profile, top, limit } = report;
  const { ranges } = top;
  const whole = shownTicks(profile);
  const { asked, got, span } = profile.info.sampling;
  const next = nextCommands(report);
  const names = tierNamesOf(profile.info);
  const functions = (rows: readonly FunctionRow[], weights: readonly WeightRanges[]) =>
    rows.slice(0, limit).map((row, i) => functionRow(row, { whole, names }, weights[i]!));
  return {
    ...jsonHead("top", profile),
    sampling: {
      intervalAskedUs: asked ?? null,
      intervalUs: got ?? null,
      spanUs: longestThread(profile),
      threadTimeUs: span,
      cpuUs: profile.info.cpu?.all ?? null,
    },
    missingCallers: jsonMissingCallers(profile),
    warnings: top.warnings.map(warningOf),
    breakdown: top.breakdown.map(({ category, title, ticks, percent, tiers }, i) => ({
      category,
      title,
      ticks,
      percent,
      ...rangeOf("percent", ranges.breakdown[i]!),
      tiers: jsonTiers(tiers, names),
    })),
    app: linesOf(top.app, ranges.app, { whole, limit }),
    packages: top.packages.rows.slice(0, limit).map((row, i) => ({
      name: row.origin?.name ?? "",
      origin: (row.origin?.kind ?? null) as PackageData["origin"],
      ticks: row.ticks,
      percent: row.percent,
      ...rangeOf("percent", ranges.packages[i]!.ticks),
      ...weight("self", row.self, whole, ranges.packages[i]!.self),
      ...weight("throughNative", row.throughNative, whole, ranges.packages[i]!.throughNative),
      ...weight("total", row.total, whole, ranges.packages[i]!.total),
    })),
    stacks: top.stacks.stacks.map(({ ticks, path }, i) => ({
      ticks,
      percent: percentOf(ticks, whole),
      ...rangeOf("percent", ranges.stacks[i]!),
      path: path.map(jsonCallable),
    })),
    otherStacks: top.stacks.rest,
    functions: {
      bySelf: functions(top.functions.bySelf, ranges.bySelf),
      byTotal: functions(top.functions.byTotal, ranges.byTotal),
      chains: top.chains.slice(0, limit).map(({ rows, self, total }, i) => ({
        functions: rows.map((row) => jsonFunction(row.function)),
        self,
        ...weight("total", total, whole, ranges.chains[i]!),
      })),
    },
    ...linesOf(top.lines, ranges.lines, { whole, limit }),
    deopts: top.deopts
      .slice(0, limit)
      .map(({ title, position, at, reason, count, cost, costByTier, isLoop }, i) => ({
        title,
        functionPosition: position ?? null,
        position: at,
        reason,
        count,
        ...costOf(cost, whole),
        ...rangeOf("costPercent", ranges.deopts[i]!),
        costByTier: jsonTiers(costByTier, names),
        isLoop,
      })),
    next: next.find(({ kind }) => kind === "function")?.command ?? null,
    nextSteps: next,
  };
}

interface Shown {
  readonly whole: Ticks;
  readonly limit: number;
}

/** Returns lines, and the functions without lines. */
function linesOf(hot: HotLines, ranges: readonly ShareRange[], { whole, limit }: Shown): HotLinesData {
  const rows = hot.lines.map((row, i) => ({ ...row, range: ranges[i] })).slice(0, limit);
  const weights = ({ ticks, self, total, range }: HotLine & { readonly range: ShareRange | undefined }) => ({
    ticks,
    percent: percentOf(ticks, whole),
    ...rangeOf("percent", range!),
    self,
    total,
  });
  return {
    lines: rows
      .filter(({ line }) => line > 0)
      .map((row) => ({
        file: row.file,
        line: row.line,
        ...(row.column === undefined ? {} : { column: row.column }),
        function: jsonFunction(row.function),
        ...weights(row),
        ...jsonInferred(row.inferred),
        ...jsonScripts(row.scripts),
        text: row.text === undefined ? null : textAround(row.text, row.column ?? 1).trim(),
      })),
    functionsWithoutLine: rows
      .filter(({ line }) => line === 0)
      .map((row) => ({
        function: jsonFunction(row.function),
        reason: row.reason!,
        ...jsonScripts(row.scripts),
        ...(row.loop !== undefined && { loop: row.loop }),
        ...weights(row),
      })),
    ticksWithoutLine: Array.from(hot.withoutLine.values()).reduce((sum, ticks) => sum + ticks, 0),
    ticksWithoutProgram: hot.outside,
  };
}

function functionRow(
  { function: fn, self, total, inferred, tiers }: FunctionRow,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
  range: WeightRanges,
): TopFunctionData {
  return {
    ...jsonFunction(fn),
    ...weight("self", self, whole, range.self),
    ...weight("total", total, whole, range.total),
    ...jsonInferred(inferred),
    tiers: jsonTiers(tiers, names),
  };
}

/** Returns ticks with their percentage and its interval. */
function weight<Key extends string>(key: Key, ticks: Ticks, whole: Ticks, range: ShareRange) {
  const percent = `${key}Percent` as const;
  return {
    ...({ [key]: ticks, [percent]: percentOf(ticks, whole) } as Record<Key | typeof percent, number>),
    ...rangeOf(percent, range),
  };
}

/** Returns the interval of a percentage. */
function rangeOf<Key extends string>(key: Key, { low, high }: ShareRange) {
  return { [`${key}Low`]: low, [`${key}High`]: high } as Record<`${Key}Low` | `${Key}High`, number>;
}

function warningOf(warning: Warning): WarningData {
  switch (warning.kind) {
    case "unsampled-cpu":
      return { kind: warning.kind, cpuUs: warning.all, sampledUs: warning.sampled };
    case "missing-callers": {
      const { kind, callers, missing, percent } = warning;
      return { kind, callers, missing, percent };
    }
    case "bursts": {
      const { kind, ticks, percent, within } = warning;
      return { kind, ticks, percent, withinUs: within };
    }
    case "no-cpu": {
      const { kind, gapTime, span, percent } = warning;
      return { kind, gapTimeUs: gapTime, spanUs: span, percent };
    }
    case "dependent-ticks": {
      const { kind, ticks, effective } = warning;
      return { kind, ticks, effectiveTicks: effective };
    }
    case "no-times":
      return { kind: warning.kind, intervalUs: warning.interval };
    case "slow-sampling": {
      const { kind, asked, got, isWindowsTimer } = warning;
      return { kind, intervalAskedUs: asked, intervalUs: got, isWindowsTimer };
    }
    default:
      return warning;
  }
}
