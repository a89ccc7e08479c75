import type { SelectedRun, Selection, Selector } from "./selections.js";
import { differenceOf, moderated, type Sample, sampleOf, studentQuantile } from "./statistics.js";

/** What a budget limits. */
export const METRICS = ["self", "total", "ticks", "deopts", "growth"] as const;

/**
 * `self` and `total`: percent of all ticks; `ticks`: total ticks for each unit of work; `deopts`: discarded
 * code in each run; `growth`: percent by which the share of the total has grown against a baseline.
 */
export type Metric = (typeof METRICS)[number];

/** A limit. */
export interface Budget {
  /** What reports call it. */
  readonly title: string;
  readonly selector: Selector;
  readonly metric: Metric;
  readonly max: number;
  readonly level: "error" | "warn";
}

/** Whether a limit is kept. `inconclusive`: the limit is within the interval of the value. */
export type BudgetVerdict = "holds" | "inconclusive" | "broken";

/** A limit, and the number that it limits. */
export interface CheckedBudget {
  readonly budget: Budget;
  readonly verdict: BudgetVerdict;
  readonly value: number;
  /** The 95 % interval of the value. */
  readonly low: number;
  readonly high: number;
  /** The mean of the baseline; undefined except for growth. */
  readonly baseline: number | undefined;
  /** Where the code is, as logged; undefined if it has no place. */
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/** The runs to check. */
export interface CheckedRuns {
  readonly runs: readonly SelectedRun[];
  /** The runs that growth is measured against; empty if there are none. */
  readonly baseline: readonly SelectedRun[];
  /** The units of work of each run. Default: 1. */
  readonly units?: number | undefined;
}

/** The normal distribution has 95 % within this many standard errors. */
const NORMAL_QUANTILE = 1.959964;

/** Returns the selectors that select nothing in any run. */
export function unknownSelectors(budgets: readonly Budget[], { runs, baseline }: CheckedRuns): Budget[] {
  const all = [...runs, ...baseline];
  return budgets.filter((_, i) => !all.some(({ selections }) => selections[i]!.isFound));
}

/** Checks limits. Each run has a selection for each budget. */
export function checkBudgets(budgets: readonly Budget[], checked: CheckedRuns): CheckedBudget[] {
  return budgets.map((budget, i) => {
    const { value, low, high, baseline } = measure(budget, i, checked);
    const places = checked.runs.map(({ selections }) => selections[i]!);
    const place = places.find(({ file }) => file !== undefined);
    const verdict = low > budget.max ? "broken" : high > budget.max ? "inconclusive" : "holds";
    return { budget, verdict, value, low, high, baseline, file: place?.file, line: place?.line };
  });
}

interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly baseline: number | undefined;
}

function measure({ metric }: Budget, index: number, { runs, baseline, units = 1 }: CheckedRuns): Interval {
  switch (metric) {
    case "self":
    case "total":
      return around(shareOf(runs, index, metric), runs.length);
    case "ticks": {
      const share = shareOf(runs, index, "total");
      const ticks = runs.reduce((sum, run) => sum + run.ticks, 0) / runs.length / 100 / units;
      const sample = sampleOf(runs.map(({ selections }) => selections[index]!.total / units));
      return around(
        { ...sample, variance: Math.max(sample.variance, share.variance * ticks ** 2) },
        runs.length,
      );
    }
    case "deopts": {
      // They are counted, not sampled.
      const sample = sampleOf(runs.map(({ selections }) => selections[index]!.deopts));
      return around(sample, runs.length);
    }
    case "growth": {
      const [before, after] = [shareOf(baseline, index, "total"), shareOf(runs, index, "total")];
      const { change, error, freedom } = differenceOf(before, after);
      const isSingle = runs.length < 2 || baseline.length < 2;
      const half = (isSingle ? NORMAL_QUANTILE : studentQuantile(0.975, freedom)) * error;
      const of = (points: number) =>
        before.mean > 0 ? (points * 100) / before.mean : points > 0 ? Number.POSITIVE_INFINITY : 0;
      return { value: of(change), low: of(change - half), high: of(change + half), baseline: before.mean };
    }
  }
}

/** Returns the share of a selection in percent, with the variance of a run. */
function shareOf(runs: readonly SelectedRun[], index: number, weight: "self" | "total"): Sample {
  const effectOf = ({ selfEffect, totalEffect }: Selection) => (weight === "self" ? selfEffect : totalEffect);
  const shares = runs.map(({ ticks, selections }) =>
    ticks > 0 ? (selections[index]![weight] * 100) / ticks : 0,
  );
  const sample = sampleOf(shares);
  const fraction = Math.min(1, sample.mean / 100);
  const counting = runs.map(({ ticks, selections }) => {
    const effect = runs.length > 1 ? 1 : (effectOf(selections[index]!) ?? 1);
    // No tick of 1,000 does not prove that there is none.
    const sure = Math.max(fraction * (1 - fraction), ticks > 0 ? 1 / ticks : 1);
    return ticks > 0 ? (sure * 1e4 * effect) / ticks : 1e4;
  });
  const least = counting.reduce((sum, variance) => sum + variance, 0) / counting.length;
  return moderated(sample, { variance: 0, freedom: 0, least });
}

function around({ mean, variance, freedom }: Sample, runs: number): Interval {
  const quantile = runs < 2 ? NORMAL_QUANTILE : studentQuantile(0.975, freedom);
  const half = quantile * Math.sqrt(variance / runs);
  return { value: mean, low: Math.max(0, mean - half), high: mean + half, baseline: undefined };
}
