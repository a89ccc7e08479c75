import type { Micros, Ticks } from "../base/units.js";
import { Analysis } from "../facts/analysis.js";
import type { ShareRange } from "../facts/confidence.js";
import type { Warning } from "../facts/doubts.js";
import type { Finding, FindingKind, FindingPlace } from "../facts/findings/finding.js";
import type { FunctionChain } from "../facts/function-chains.js";
import type { HotLine, HotLines, NoLineReason } from "../facts/hot-lines.js";
import { codeMadeAt, type MadeAt, programTexts } from "../facts/made-at.js";
import { percentOf } from "../facts/shares.js";
import { SourceTexts } from "../facts/source-texts.js";
import { threadTotals } from "../facts/thread-totals.js";
import { type TierNames, tierNamesOf } from "../facts/tier-names.js";
import type { Top } from "../facts/top.js";
import type { FunctionRow } from "../facts/top-functions.js";
import type { ThreadTurns } from "../facts/turns.js";
import type { Category } from "../profile/categories.js";
import { isEvaluated } from "../profile/logged-name.js";
import type { Profile } from "../profile/profile.js";
import { type CostData, costOf } from "./deopts.js";
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
  jsonTimes,
  type Microseconds,
  type MissingCallersData,
  type OriginName,
  type Percent,
  type PositionData,
  type Scale,
  type ScriptsData,
  type Sentence,
  scaleOf,
  sentence,
  type TierShares,
  type TimesData,
} from "./json.js";
import { type ThreadAndHottest, threadAndHottest } from "./threads.js";
import { type AllocationsData, allocationsData } from "./top-allocations.js";
import { type NextCommand, type StepSource, topSteps } from "./top-steps.js";
import { type HolderData, holderData } from "./turns.js";
import { textAround } from "./words.js";

/**
 * All weights are numbers of ticks. A tick is not a time. Every list is ranked, most ticks first.
 * @id top.schema.json
 * @title ticks top --format json, schema version 1
 */
export interface TopData extends JsonHead<"top">, HotLinesData {
  /** One per isolate, by process, main threads first. Their ticks sum to ticks. */
  readonly threads: readonly ThreadAndHottest[];
  readonly sampling: TopSamplingData;
  readonly missingCallers: MissingCallersData;
  /** What held an event loop. Absent if no turn is over 50 ms. */
  readonly holder?: HolderData;
  /** Reasons to doubt the numbers. */
  readonly warnings: readonly Warning[];
  /** What stands out and is known well enough to say what it means, the largest share first. */
  readonly findings: readonly FindingData[];
  /** What the ticks were spent on. Each tick is in exactly one row. */
  readonly breakdown: readonly BreakdownData[];
  /** Who allocates, of a folder that has heap profiles too. Absent without. */
  readonly allocations?: AllocationsData;
  /**
   * Where the innermost function of the program itself was, whatever it called. Each tick is in one row, or in
   * ticksWithoutProgram.
   */
  readonly app: HotLinesData;
  /** Those of lines and functionsWithoutLine that are of packages. */
  readonly packageLines: HotLinesData;
  /** Where the code is made that has no file. Absent if no line has such code, and if it is made nowhere, or at several places. */
  readonly codeMadeAt?: PlaceMade;
  /**
   * Each tick is in the innermost package of its stack: the program or an npm package. Node's JavaScript has only the ticks of
   * stacks without one.
   */
  readonly packages: readonly PackageData[];
  /** Ticks of the packages that the limit leaves out. */
  readonly otherPackages: Ticks;
  /** How many they are. */
  readonly otherPackageRows: Integer;
  /** The heaviest stacks, folded. No tick is in two of them. */
  readonly stacks: readonly StackData[];
  /** Ticks in no row of stacks. */
  readonly otherStacks: Ticks;
  readonly functions: TopFunctionsData;
  /** Deoptimizations that cost ticks, the costliest first. `ticks deopts` has all. */
  readonly deopts: readonly TopDeoptData[];
  /** Those that the limit leaves out. */
  readonly otherDeopts: OtherRows;
  /** The command line about the function to look at. null if there is none. */
  readonly next: string | null;
  /**
   * Up to three commands that fit what was found, the most telling first.
   * @maxItems 3
   */
  readonly nextSteps: readonly NextCommand[];
}

export interface FindingData {
  readonly kind: FindingKind;
  /** What a fix would save. */
  readonly ticks: Ticks;
  /** Of the ticks that are shown; of idle, of all ticks, or of the time. */
  readonly percent: Percent;
  /** The line of the program, or of a package, with most of it. null if the log does not tell. */
  readonly place: FindingPlaceData | null;
  /** All such lines, most ticks first. */
  readonly places: readonly FindingPlaceData[];
  /** The workers of one-worker, with the part of their time that they were busy; empty for other kinds. */
  readonly threads: readonly {
    readonly name: string;
    readonly ticks: Ticks;
    readonly busyPercent: Percent;
  }[];
  /** Where the regular expression is made, or the code that place is in. null if it is made there, or not known. */
  readonly made: (PlaceMade & SourceData) | null;
  /** The line that calls the function of place most often. null if none does, or the log does not tell. */
  readonly caller: FindingPlaceData | null;
  /** The hottest line near it, where the log does not tell the places of most ticks. null otherwise. */
  readonly likely: FindingPlaceData | null;
  /** The line of a package that does most of it, if the program only calls that; of a package, its hottest line. null otherwise. */
  readonly inPackage: FindingPlaceData | null;
  /** Whether much garbage is collected just after place: these ticks are not in ticks. */
  readonly makesGarbage: boolean;
  /** What it is and does. */
  readonly what: Sentence;
  /** What to do instead, or how to see more. null if nothing general can be said. */
  readonly advice: string | null;
}

export interface FindingPlaceData extends SourceData {
  readonly file: string;
  /** The line that called it, or where the function begins if that is not known. */
  readonly line: FromOne;
  /** Absent if it is not known. */
  readonly column?: FromOne;
  /** Whether the line is known, and not only its function. */
  readonly isLineKnown: boolean;
  readonly function: FunctionData;
  /** Of the finding, at this line; of gc, in the ticks that came next. */
  readonly ticks: Ticks;
  /** Whether a row of the lines below has the same ticks. */
  readonly isRow: boolean;
}

export interface SourceData {
  /** The line, or 160 characters of a line longer than 200. null if the log has no source. */
  readonly text: string | null;
}

/** Where something is made. */
export interface PlaceMade {
  readonly file: string;
  readonly line: FromOne;
  readonly column: FromOne;
}

/** The rows of a list that the limit leaves out. */
export interface OtherRows {
  readonly rows: Integer;
  readonly ticks: Ticks;
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
  /** Of them, by reason: most ticks first. */
  readonly withoutLine: readonly { readonly reason: NoLineReason; readonly ticks: Ticks }[];
  /** In rows that the limit leaves out. */
  readonly ticksOfOtherRows: Ticks;
  /** How many they are. */
  readonly otherRows: Integer;
}

export interface HotLineData extends ShareData, ScriptsData, SourceData {
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
  /** Of a long line, where the function begins. Only for peeled-loop. */
  readonly column?: FromOne;
  /** The line where the loop begins, as text of lines has it. null for others. */
  readonly text: string | null;
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
  /** In Node's JavaScript, native code and V8 that it called, with no other package between. */
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
  /** How many functions have self ticks. */
  readonly selfRows: Integer;
  /** Those of them that are native, and that the program or a package called in most of their ticks. */
  readonly explained: OtherRows;
  /** Self ticks of the functions that the limit leaves out of bySelf. */
  readonly otherSelf: Ticks;
  /** Without the Node functions that are mostly above the program. */
  readonly byTotal: readonly TopFunctionData[];
  /**
   * The functions by total. Functions that own the same ticks are one chain: each has less than 1 % of the ticks without the
   * next. Without Node's module loader, V8's entry to C++ functions, and native functions that are in bySelf.
   */
  readonly chains: readonly ChainData[];
}

export interface TopFunctionData extends FunctionData, SelfData, TotalData, InferredData, TimesData {
  /** Set if it is native, and the program or a package called it in most of its ticks: their lines have these. */
  readonly isExplained?: true;
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
  /** Of a single function, those of its ticks that are inferred. Absent if there are none. */
  readonly inferred?: Ticks;
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

/** What the document of `ticks top` is made of. */
export interface TopSource extends StepSource {
  /** Undefined if they are not known. */
  readonly turns?: readonly ThreadTurns[] | undefined;
  /** The heap profiles beside the logs; undefined if there are none. */
  readonly memory?: Analysis | undefined;
  /** The number of rows of each list. */
  readonly limit: number;
}

/**
 * Returns the document of `ticks top`. Lists are short already, but for functions and chains that the page shows in place of others:
 * {@link cutTop} leaves these out.
 */
export function topFacts(source: TopSource): TopData {
  const { profile, top, limit, memory } = source;
  const scale = scaleOf(profile);
  const { whole } = scale;
  const { asked, got, span } = profile.info.sampling;
  const names = tierNamesOf(profile.info);
  const rowOf = (row: FunctionRow) => functionRow(row, { ...scale, names });
  const isExplained = (row: FunctionRow) => top.explained.has(row.function);
  const explained = top.functions.bySelf.filter(isExplained);
  const threads = threadTotals(profile);
  const held = holderData(source.turns, profile.info.threads);
  const nextSteps = topSteps(source, held);
  return {
    ...jsonHead("top", profile, threads),
    threads: threads.map(threadAndHottest),
    ...held,
    sampling: {
      intervalAskedUs: asked ?? null,
      intervalUs: got ?? null,
      spanUs: longestThread(profile),
      threadTimeUs: span,
      cpuUs: profile.info.cpu?.all ?? null,
    },
    missingCallers: jsonMissingCallers(profile),
    warnings: top.warnings,
    findings: findingsData(profile, top, memory !== undefined),
    breakdown: top.breakdown.map(({ category, title, ticks, percent, tiers, range }) => ({
      category,
      title,
      ticks,
      percent,
      ...rangeOf("percent", range),
      tiers: jsonTiers(tiers, names),
    })),
    ...(memory && { allocations: allocationsData(memory, profile, limit) }),
    app: linesOf(top.app, { whole, limit }),
    packageLines: linesOf(top.packageLines, { whole, limit }),
    ...madeAt(profile, top, limit),
    packages: top.packages.rows.slice(0, limit).map((row) => ({
      name: row.origin?.name ?? "",
      origin: (row.origin?.kind ?? null) as PackageData["origin"],
      ticks: row.ticks,
      percent: row.percent,
      ...rangeOf("percent", row.range),
      ...weight("self", row.self, whole, row.selfRange),
      ...weight("throughNative", row.throughNative, whole, row.throughNativeRange),
      ...weight("total", row.total, whole, row.totalRange),
    })),
    otherPackages: ticksAfter(top.packages.rows, limit, ({ ticks }) => ticks),
    otherPackageRows: Math.max(0, top.packages.rows.length - limit),
    stacks: top.stacks.stacks.map(({ ticks, path, range }) => ({
      ticks,
      percent: percentOf(ticks, whole),
      ...rangeOf("percent", range),
      path: path.map(jsonCallable),
    })),
    otherStacks: top.stacks.rest,
    functions: {
      bySelf: firstOf(top.functions.bySelf, limit, (row) => !isExplained(row)).map((row) => ({
        ...rowOf(row),
        ...(isExplained(row) && { isExplained: true as const }),
      })),
      selfRows: top.functions.bySelf.length,
      explained: { rows: explained.length, ticks: explained.reduce((sum, { self }) => sum + self, 0) },
      otherSelf: ticksAfter(top.functions.bySelf, limit, ({ self }) => self),
      byTotal: top.functions.byTotal.slice(0, limit).map(rowOf),
      chains: firstOf(top.chains, limit, (chain) => isShownByTotal(originsOf(chain), chain, whole)).map(
        ({ rows, self, total, totalRange }) => ({
          functions: rows.map((row) => jsonFunction(row.function)),
          self,
          ...jsonInferred(rows.length === 1 ? rows[0]!.inferred : 0),
          ...weight("total", total, whole, totalRange),
        }),
      ),
    },
    ...linesOf(top.lines, { whole, limit }),
    deopts: top.deopts
      .slice(0, limit)
      .map(({ title, position, at, reason, count, cost, costByTier, isLoop, costRange }) => ({
        title,
        functionPosition: position ?? null,
        position: at,
        reason,
        count,
        ...costOf(cost, whole),
        ...rangeOf("costPercent", costRange),
        costByTier: jsonTiers(costByTier, names),
        isLoop,
      })),
    otherDeopts: {
      rows: Math.max(0, top.deopts.length - limit),
      ticks: ticksAfter(top.deopts, limit, ({ cost }) => cost),
    },
    next: nextSteps.find(({ kind }) => kind === "function")?.command ?? null,
    nextSteps,
  };
}

/** Returns what of a document has more rows than the limit. */
export function cutTop({ functions }: TopData, limit: number): Pick<TopData, "functions"> {
  const { bySelf, chains } = functions;
  return { functions: { ...functions, bySelf: bySelf.slice(0, limit), chains: chains.slice(0, limit) } };
}

/** Returns the longest time from the first tick of a thread to its last. */
export function longestThread({ info }: Pick<Profile, "info">): Micros {
  return info.threads.reduce((most, thread) => Math.max(most, thread.span), 0);
}

/** Returns the first rows of a list, and the first of those that a page shows, in the order of the list. */
function firstOf<Row>(rows: readonly Row[], limit: number, isShown: (row: Row) => boolean) {
  const found: Row[] = [];
  let shown = 0;
  for (const [i, row] of rows.entries()) {
    if (shown >= limit) break;
    const is = isShown(row);
    if (is) shown++;
    if (is || i < limit) found.push(row);
  }
  return found;
}

/** Rows with a smaller share, in percent, are left out of a page, unless more rows were asked for. */
const LIGHT = 3;
/** So many times that share is the least of stacks, and of functions that are not the program's. */
export const LIGHT_FOREIGN = 2;

/** Returns the ticks that rows of a page are for; so many times the usual of some. */
export function leastTicks(whole: Ticks, times = 1): Ticks {
  return Math.max(1, (whole * times * LIGHT) / 100);
}

/**
 * Returns whether a page of the usual length tells of functions by total, by whose they are: of the program's, and of others that have many
 * ticks. Builtins that call nothing have the same numbers by self.
 */
export function isShownByTotal(
  origins: readonly OriginName[],
  { self, total }: { readonly self: Ticks; readonly total: Ticks },
  whole: Ticks,
): boolean {
  const isBuiltin = origins.every((origin) => origin === "v8" || origin === "native");
  const isLeaf = isBuiltin && origins.length === 1 && self >= total;
  return origins.includes("app") || (total >= leastTicks(whole, LIGHT_FOREIGN) && !isLeaf);
}

function originsOf({ rows }: FunctionChain): OriginName[] {
  return rows.map((row) => row.function.origin.kind);
}

/** Returns where the code is made that has no file. */
function madeAt(of: Profile, top: Top, limit: number): Pick<TopData, "codeMadeAt"> {
  const isMade = ({ lines }: HotLines) => lines.slice(0, limit).some(({ file }) => isEvaluated(file));
  if (!isMade(top.app) && !isMade(top.packageLines)) return {};
  const made = codeMadeAt(programTexts(of.sources, Analysis.of(of).table));
  return made === undefined ? {} : { codeMadeAt: made };
}

/** `hasMemory`: whether the page tells who allocates. */
function findingsData(profile: Profile, { findings }: Top, hasMemory: boolean): FindingData[] {
  const texts = new SourceTexts(profile.sources, () => undefined);
  const sourceOf = (file: string, line: number, column: number | undefined): SourceData => {
    const source = texts.lineOf(file, line);
    return { text: source === undefined ? null : textAround(source, column ?? 1).trim() };
  };
  const placeOf = ({ function: owner, line, column, ...place }: FindingPlace): FindingPlaceData => ({
    file: owner.file ?? "",
    line,
    ...(column !== undefined && { column }),
    isLineKnown: place.isLineKnown,
    function: jsonFunction(owner),
    ticks: place.ticks,
    isRow: place.isRow,
    ...sourceOf(owner.file ?? "", line, column),
  });
  const orNone = (place: FindingPlace | undefined) => (place === undefined ? null : placeOf(place));
  const madeOf = (made: MadeAt | undefined) =>
    made === undefined ? null : { ...made, ...sourceOf(made.file, made.line, made.column) };
  return findings.map(({ kind, ticks, percent, what, advice, ...at }: Finding) => ({
    kind,
    ticks,
    percent: Number(percent.toFixed(1)),
    place: orNone(at.place),
    places: at.places.map(placeOf),
    caller: orNone(at.caller),
    threads: at.threads.map(({ name, ticks, busy }) => ({
      name,
      ticks,
      busyPercent: Number(busy.toFixed(1)),
    })),
    made: madeOf(at.made),
    likely: orNone(at.likely),
    inPackage: orNone(at.inPackage),
    makesGarbage: at.makesGarbage,
    what: sentence(what),
    advice: kind === "gc" && hasMemory ? "see below who allocates" : (advice ?? null),
  }));
}

interface Part {
  readonly whole: Ticks;
  readonly limit: number;
}

/** Returns the ticks of the rows of a list that the limit leaves out. */
function ticksAfter<T>(rows: readonly T[], limit: number, ticksOf: (row: T) => Ticks): Ticks {
  return rows.slice(limit).reduce((sum, row) => sum + ticksOf(row), 0);
}

/** Returns lines, and the functions without lines. */
function linesOf(hot: HotLines, { whole, limit }: Part): HotLinesData {
  const rows = hot.lines.slice(0, limit);
  const weights = ({ ticks, self, total, range }: HotLine) => ({
    ticks,
    percent: percentOf(ticks, whole),
    ...rangeOf("percent", range),
    self,
    total,
  });
  const textOf = ({ text, column }: HotLine) =>
    text === undefined ? null : textAround(text, column ?? 1).trim();
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
        text: textOf(row),
      })),
    functionsWithoutLine: rows
      .filter(({ line }) => line === 0)
      .map((row) => ({
        function: jsonFunction(row.function),
        reason: row.reason!,
        ...jsonScripts(row.scripts),
        ...(row.loop !== undefined && { loop: row.loop }),
        ...(row.column !== undefined && { column: row.column }),
        ...weights(row),
        text: textOf(row),
      })),
    ticksWithoutLine: Array.from(hot.withoutLine.values()).reduce((sum, ticks) => sum + ticks, 0),
    withoutLine: Array.from(hot.withoutLine, ([reason, ticks]) => ({ reason, ticks })).sort(
      (a, b) => b.ticks - a.ticks,
    ),
    ticksWithoutProgram: hot.outside,
    ticksOfOtherRows: ticksAfter(hot.lines, limit, ({ ticks }) => ticks),
    otherRows: Math.max(0, hot.lines.length - limit),
  };
}

/** Any share is possible. */
const UNKNOWN: ShareRange = { low: 0, high: 100 };

function functionRow(
  { function: fn, self, total, inferred, tiers, selfRange, totalRange }: FunctionRow,
  { whole, names, ...sizes }: Scale & { readonly names: TierNames },
): TopFunctionData {
  return {
    ...jsonFunction(fn),
    ...weight("self", self, whole, selfRange),
    ...weight("total", total, whole, totalRange),
    ...jsonTimes({ self, total }, sizes),
    ...jsonInferred(inferred),
    tiers: jsonTiers(tiers, names),
  };
}

/** Returns ticks with their percentage and its interval. */
function weight<Key extends string>(key: Key, ticks: Ticks, whole: Ticks, range?: ShareRange) {
  const percent = `${key}Percent` as const;
  return {
    ...({ [key]: ticks, [percent]: percentOf(ticks, whole) } as Record<Key | typeof percent, number>),
    ...rangeOf(percent, range),
  };
}

/** Returns the interval of a percentage. */
function rangeOf<Key extends string>(key: Key, { low, high } = UNKNOWN) {
  return { [`${key}Low`]: low, [`${key}High`]: high } as Record<`${Key}Low` | `${Key}High`, number>;
}
