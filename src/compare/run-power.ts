import type { Ticks } from "../profile/units.js";
import { FALSE_RATE, type Measured, TESTED_TICKS } from "./measures.js";
import type { RunSummary } from "./run-summary.js";
import { median } from "./scales.js";
import { differenceOf, leastChange, runsFor } from "./statistics.js";

/** Rows with a smaller share say little about what a row of a tenth spreads. */
const LEAST_SHARE = 0.01;
const TENTH = 0.1;

/**
 * Returns the smallest true change of a row of 10 % that these runs would find in 80 % of cases, by a test at
 * `level`, as a fraction of the row; undefined if no row tells.
 */
export function leastAtTenth(
  rows: readonly Measured[],
  sides: readonly [readonly RunSummary[], readonly RunSummary[]],
  level: number,
): number | undefined {
  const shown = rows.filter(
    ({ share, counting, tails }) => share >= LEAST_SHARE && counting > 0 && tails !== undefined,
  );
  if (shown.length === 0) return undefined;
  const [before, after] = ([0, 1] as const).map((side) => {
    const runs = sides[side];
    const spread = Math.max(
      1,
      median(shown.map(({ samples, counting }) => samples[side].variance / counting)),
    );
    const ticks = runs.reduce((sum, run) => sum + run.ticks, 0) / runs.length;
    const variance = (TENTH * (1 - TENTH) * spread) / ticks;
    return {
      mean: TENTH,
      variance,
      runs: runs.length,
      freedom: median(shown.map((row) => row.samples[side].freedom)),
    };
  });
  return leastChange(differenceOf(before!, after!), level) / TENTH;
}

/**
 * Returns how many runs a side it takes at least to settle the largest change; undefined if there is none, or
 * if it takes too many. `ticks` are those of all runs.
 */
export function runsNeeded(rows: readonly Measured[], ticks: Ticks): number | undefined {
  const counted = rows.filter(({ share }) => share * ticks >= 2 * TESTED_TICKS);
  let largest: Measured | undefined;
  for (const row of counted) {
    if (Math.abs(row.difference.change) > Math.abs(largest?.difference.change ?? 0)) largest = row;
  }
  if (largest === undefined) return undefined;
  const { difference, samples } = largest;
  return runsFor(difference.change, [samples[0].variance, samples[1].variance], FALSE_RATE / counted.length);
}
