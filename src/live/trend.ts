import type { Ticks } from "../profile/units.js";
import type { LiveRow } from "./live-view.js";

/** Differences below this many standard errors are chance. */
const SURE = 2;

/**
 * Compares the share of a function in the later half of some seconds with that in the earlier half. `wholes` has the
 * ticks of all functions in the same seconds, oldest first.
 */
export function trendOf(ticks: readonly Ticks[], wholes: readonly Ticks[]): LiveRow["trend"] {
  const half = Math.floor(ticks.length / 2);
  const sum = (numbers: readonly Ticks[]) => numbers.reduce((total, number) => total + number, 0);
  const [before, after] = [sum(ticks.slice(-2 * half, -half)), sum(ticks.slice(-half))];
  const [allBefore, allAfter] = [sum(wholes.slice(-2 * half, -half)), sum(wholes.slice(-half))];
  if (allBefore === 0 || allAfter === 0) return "steady";
  const share = (before + after) / (allBefore + allAfter);
  const error = Math.sqrt(share * (1 - share) * (1 / allBefore + 1 / allAfter));
  const difference = after / allAfter - before / allBefore;
  if (Math.abs(difference) <= SURE * error) return "steady";
  return difference > 0 ? "rising" : "falling";
}
