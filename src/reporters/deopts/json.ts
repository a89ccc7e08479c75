import type { Ticks } from "../../profile/units.js";
import { cachesAt, type DeoptReport } from "../../reports/deopts.js";
import type { DeoptimizedFunction, DeoptRow, WhyNoDeopts } from "../../views/deopts.js";
import { percentOf } from "../../views/shares.js";
import { type TierNames, tierNamesOf } from "../../views/tier-names.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type FromOne,
  type JsonHead,
  jsonHead,
  jsonLogged,
  jsonTiers,
  type LoggedFunction,
  loggedFunction,
  type Percent,
  type PositionData,
  shownTicks,
  type TierOrNone,
  type TierShares,
} from "../layout/json-parts.js";

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id deopts.schema.json
 * @title ticks deopts --format json, schema version 1
 */
export interface DeoptsData extends JsonHead<"deopts"> {
  /** How many deoptimizations are in the logs. */
  readonly count: Ticks;
  /** The sum of all costs. */
  readonly cost: Ticks;
  readonly costPercent: Percent;
  /**
   * Why there are none: nothing was deoptimized, --log-deopt was not given, or this V8 does not log them. null if there are
   * some.
   */
  readonly whyNone: WhyNoDeopts | null;
  /** How many functions had a tick in a lower tier after one in optimized code. */
  readonly demotedFunctions: Ticks;
  /**
   * Only without deopts, where the log would not have them: these functions, most ticks first. Each may have been
   * deoptimized.
   */
  readonly suspects?: readonly SuspectData[];
  /** By function, the costliest first. All of them without --limit: their costs sum to cost. */
  readonly functions: readonly DeoptimizedData[];
  /** By function, position and reason, the costliest first. All of them without --limit. */
  readonly deopts: readonly DeoptData[];
}

export interface SuspectData {
  readonly function: LoggedFunction;
  /** In a lower tier after the first tick in optimized code, regardless of filters. */
  readonly ticks: Ticks;
  /** How often it was optimized after that. */
  readonly optimizedAgain: Ticks;
}

/** What deoptimizations cost. */
export interface CostData {
  /** Ticks in slower code until the function was optimized again. */
  readonly cost: Ticks;
  readonly costPercent: Percent;
}

/** How often a function was deoptimized, and what that cost. */
export interface DeoptWeights extends CostData {
  /** null if no code is known at the logged address. */
  readonly function: LoggedFunction | null;
  /** How often it happened. */
  readonly count: FromOne;
  /** The tiers of the code that was left. */
  readonly tiers: readonly TierOrNone[];
  /** The cost by tier of the slower code. */
  readonly costByTier: TierShares;
  /** Whether a log ends before the function was optimized again. */
  readonly isOpen: boolean;
}

export interface DeoptimizedData extends DeoptWeights {
  /** How many of the deopts below are in this function. */
  readonly positions: FromOne;
}

export interface DeoptData extends DeoptWeights {
  /** Where it happened, innermost first: each position is inlined at the next. Empty if the log does not say. */
  readonly position: readonly PositionData[];
  /** In V8's words. */
  readonly reason: string;
  /** eager, lazy, soft, dependency-change. */
  readonly kinds: readonly string[];
  /** Whether it happened at least five times and is not part of how V8 works. */
  readonly isLoop: boolean;
  /** The inline caches at its position, which ticks ics has. Only if there are some. */
  readonly ics?: readonly DeoptIcData[];
}

export interface DeoptIcData {
  /** What the cache is for, in V8's words. */
  readonly kind: string;
  readonly keys: readonly string[];
  /** V8's marks of the states, from the first on. */
  readonly states: readonly string[];
  readonly ticks: Ticks;
}

/** Yields deoptimizations for programs. */
export function deoptsJson(report: DeoptReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(deoptsData(report), layout);
}

export function deoptsData(report: DeoptReport): DeoptsData {
  const { profile, view, limit } = report;
  const about = { whole: shownTicks(profile), names: tierNamesOf(profile.info) };
  return {
    ...jsonHead("deopts", profile),
    count: view.count,
    ...costOf(view.cost, about.whole),
    whyNone: view.whyNone ?? null,
    demotedFunctions: view.demoted,
    ...suspectsOf(report),
    functions: view.functions.slice(0, limit).map((one) => ({
      function: jsonLogged(one.function),
      ...numbersOf(one, about),
      positions: one.rows,
    })),
    deopts: view.rows.slice(0, limit).map((row) => ({
      function: jsonLogged(row.function),
      position: row.at,
      reason: row.reason,
      kinds: row.kinds,
      ...numbersOf(row, about),
      isLoop: row.isLoop,
      ...cachesOf(report, row),
    })),
  };
}

/** Returns the inline caches at a position; nothing if there are none. */
function cachesOf(report: DeoptReport, row: DeoptRow): Pick<DeoptData, "ics"> {
  const caches = cachesAt(report, row);
  if (caches.length === 0) return {};
  return {
    ics: caches.map(({ kind, keys, first, states, ticks }) => ({
      kind,
      keys,
      states: [first, ...states.map(({ state }) => state)],
      ticks,
    })),
  };
}

/** Returns the functions that may have been deoptimized; nothing if there are none. */
function suspectsOf({ view, limit }: DeoptReport): Pick<DeoptsData, "suspects"> {
  if (view.suspects.length === 0) return {};
  return {
    suspects: view.suspects.slice(0, limit).map((one) => ({
      function: loggedFunction(one.function),
      ticks: one.ticks,
      optimizedAgain: one.optimizedAgain,
    })),
  };
}

function numbersOf(
  { count, cost, costByTier, tiers, isOpen }: Omit<DeoptimizedFunction, "rows">,
  { whole, names }: { readonly whole: Ticks; readonly names: TierNames },
): Omit<DeoptWeights, "function"> {
  return {
    count,
    tiers: tiers.map((tier) => names[tier]),
    ...costOf(cost, whole),
    costByTier: jsonTiers(costByTier, names),
    isOpen,
  };
}

/** Returns a cost in ticks and percent. */
export function costOf(cost: Ticks, whole: Ticks): CostData {
  return { cost, costPercent: percentOf(cost, whole) };
}
