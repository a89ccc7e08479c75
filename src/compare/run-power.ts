import { type Measure, TESTED_TICKS } from "./measures.js";
import type { RunSummary } from "./run-summary.js";
import { median } from "./scales.js";
import { differenceOf, leastChange, runsFor } from "./statistics.js";
import { testWeights } from "./test-weights.js";
import { FALSE_RATE, type Judged, type Judgement } from "./verdicts.js";

/** Rows with a smaller share say little about what a row of a tenth spreads. */
const LEAST_SHARE = 0.01;
const TENTH = 0.1;

type Sides = readonly [readonly RunSummary[], readonly RunSummary[]];

/**
 * Returns the smallest true change of a row of 10 % that these runs would find in 80 % of cases, as a fraction
 * of the row; undefined if no row tells.
 */
export function leastAtTenth(
  rows: readonly Judged[],
  sides: Sides,
  { level, weightOf }: Pick<Judgement, "level" | "weightOf">,
): number | undefined {
  const shown = rows.flatMap(({ measure, tails }) =>
    measure.share >= LEAST_SHARE && measure.counting > 0 && tails !== undefined ? [measure] : [],
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
  const ofTenth = level * weightOf({ kind: "self", share: TENTH });
  return leastChange(differenceOf(before!, after!), ofTenth) / TENTH;
}

/**
 * Returns how many runs a side it takes at least to settle the largest change; undefined if there is none, or
 * if it takes too many.
 */
export function runsNeeded(rows: Iterable<Measure>, sides: Sides): number | undefined {
  const ticks = sides.flat().reduce((sum, run) => sum + run.ticks, 0);
  const counted: Measure[] = [];
  for (const measure of rows) if (measure.share * ticks >= 2 * TESTED_TICKS) counted.push(measure);
  const sizeOf = ({ difference }: Measure) => Math.abs(difference.change);
  const [first, ...rest] = counted;
  if (first === undefined) return undefined;
  const largest = rest.reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most), first);
  if (sizeOf(largest) === 0) return undefined;
  const level = (FALSE_RATE * testWeights(counted)(largest)) / counted.length;
  const variances = [largest.samples[0].variance, largest.samples[1].variance] as const;
  return runsFor(largest.difference.change, variances, level);
}
