import { marksOf } from "../base/columns.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { isInferred } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import type { ShareRange } from "./confidence.js";
import type { ProfiledFunction, ShownFunction } from "./function-table.js";
import { innermostTicks } from "./innermost-ticks.js";
import { ticksAboveProgram } from "./program-frames.js";
import { type TierTicks, tierTicks } from "./tier-ticks.js";

/** A function with its ticks, in all tiers and wherever it was inlined. */
export interface FunctionRow {
  readonly function: ProfiledFunction;
  /** Ticks in the function itself. */
  readonly self: Ticks;
  /** Ticks in the function and in what it called. Recursion counts once per stack. */
  readonly total: Ticks;
  /** The part of `total` in which the function is not in the log, but inferred. */
  readonly inferred: Ticks;
  /** `self` by tier; empty if the function is not JavaScript. */
  readonly tiers: readonly TierTicks[];
  /** Its index in the table. */
  readonly id: number;
  /** The 95 % interval of the share of `self`, in percent; undefined if nobody asked for it. */
  readonly selfRange?: ShareRange;
  /** The 95 % interval of the share of `total`, in percent; undefined if nobody asked for it. */
  readonly totalRange?: ShareRange;
}

/** The functions of a profile, ranked. */
export interface TopFunctions {
  /** Functions with self ticks, most first. They sum to the ticks of the profile. */
  readonly bySelf: readonly FunctionRow[];
  /**
   * Functions by total ticks, most first. Leaves out unknown code, and Node code that mostly calls the
   * program: it is in every stack.
   */
  readonly byTotal: readonly FunctionRow[];
}

export function topFunctions(of: Profile): TopFunctions {
  const profile = Analysis.of(of);
  const { table, byFunction } = profile;
  const { self, total } = byFunction.analysis.functionTicks;
  const inferred = inferredTicks(profile);
  const tiers = tierTicks(profile);
  const above = ticksAboveProgram(byFunction.analysis);
  const isLeadIn = (id: number) => table.functions[id]!.origin.kind === "node" && above[id]! * 2 > total[id]!;
  const rows = table.functions
    .map((fn, id) => ({
      function: fn,
      self: self[id]!,
      total: total[id]!,
      inferred: inferred[id]!,
      tiers: tiers[id]!,
      id,
    }))
    .filter((row) => row.total > 0)
    .sort((a, b) => b.total - a.total || b.self - a.self || compareFunctions(a.function, b.function));
  return {
    // Many functions have the same few ticks: sorting keeps their order, and names are compared once for both lists.
    bySelf: rows.filter((row) => row.self > 0).sort((a, b) => b.self - a.self || b.total - a.total),
    byTotal: rows.filter(({ id, function: { frame } }) => frame.kind !== "unknown" && !isLeadIn(id)),
  };
}

/**
 * Returns the ticks of each function in stacks in which it is inferred. Of several inferred functions in a stack,
 * only the innermost counts.
 */
function inferredTicks(profile: Analysis): Float64Array {
  const { functions, ofFrame } = profile.table;
  const ticks = new Float64Array(functions.length);
  const isMarked = marksOf(profile.frames, isInferred);
  if (!isMarked.includes(1)) return ticks;
  const innermost = innermostTicks(profile, isMarked);
  for (const frame of innermost.order) ticks[ofFrame[frame]!]! += innermost.ticks[frame]!;
  return ticks;
}

/** Compares functions by name and position, independent of the locale. */
export function compareFunctions(a: ShownFunction, b: ShownFunction): number {
  return (
    compareTexts(a.title, b.title) ||
    compareTexts(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0)
  );
}

/** Compares by UTF-16 units. */
