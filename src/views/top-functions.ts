import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
import { functionTicks } from "./function-ticks.js";
import { ticksAboveProgram } from "./program-frames.js";
import { type TierTicks, tierTicks } from "./tier-ticks.js";

/** A function with its ticks, in all tiers and wherever it was inlined. */
export interface FunctionRow {
  readonly function: ProfiledFunction;
  /** In the function itself. */
  readonly self: Ticks;
  /** In the function and in what it called; a recursive function counts once a stack. */
  readonly total: Ticks;
  /** `self` by tier; sums up to it for JavaScript, is empty for the rest. */
  readonly tiers: readonly TierTicks[];
  /** Its number in the table. */
  readonly id: number;
}

/** The functions of a profile, ranked. */
export interface TopFunctions {
  /** Those with ticks of their own; they sum to the ticks of the profile. Most first. */
  readonly bySelf: readonly FunctionRow[];
  /**
   * Those with ticks in or under them, most first; without code that nobody knows, and without what of Node mostly stands
   * above the program: it is in every stack.
   */
  readonly byTotal: readonly FunctionRow[];
}

/** Ranks the functions of a profile. */
export function topFunctions(profile: Profile, table: FunctionTable): TopFunctions {
  const { self, total } = functionTicks(profile, table);
  const tiers = tierTicks(profile, table);
  const above = ticksAboveProgram(profile, table);
  const isLeadIn = (id: number) => table.functions[id]!.origin.kind === "node" && above[id]! * 2 > total[id]!;
  const rows = table.functions
    .map((fn, id) => ({ function: fn, self: self[id]!, total: total[id]!, tiers: tiers[id]!, id }))
    .filter((row) => row.total > 0);
  return {
    bySelf: rows
      .filter((row) => row.self > 0)
      .sort((a, b) => b.self - a.self || b.total - a.total || compareFunctions(a.function, b.function)),
    byTotal: rows
      .filter(({ id, function: { frame } }) => frame.kind !== "unknown" && !isLeadIn(id))
      .sort((a, b) => b.total - a.total || b.self - a.self || compareFunctions(a.function, b.function)),
  };
}

/** An order of functions by name and place that no locale changes. */
export function compareFunctions(a: ProfiledFunction, b: ProfiledFunction): number {
  return (
    compare(a.title, b.title) ||
    compare(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0)
  );
}

/** The order of strings by their UTF-16 units. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
