import { WAITS } from "../profile/categories.js";
import { SAMPLED_FREEDOM, warmUpVariance } from "./measures.js";
import type { SelectedRun, Selection, Selector } from "./selections.js";
import {
  differenceOf,
  moderated,
  type Sample,
  sampleOf,
  studentQuantile,
  studentTails,
} from "./statistics.js";

/** What a budget limits of some code. */
export const CODE_METRICS = ["self", "total", "ticks", "deopts", "growth", "allocated"] as const;
/** What a budget limits. */
export const METRICS = [...CODE_METRICS, "longestTurn"] as const;

/**
 * `self`, `total`: percent of all ticks, in the code itself or with what it calls. `ticks`: total ticks for each unit of work.
 * `deopts`: discarded optimized code in each run. `growth`: growth of the total against the baseline, in percent: of its share, of memory of its bytes. `allocated`: bytes
 * of memory with what it calls, in each run or unit of work. `longestTurn`: milliseconds of the longest turn of an event
 * loop once scripts were loaded, in each run.
 */
export type Metric = (typeof METRICS)[number];

/** A limit. */
export interface Budget {
  /** What reports call it. */
  readonly title: string;
  readonly selector: Selector;
  readonly metric: Metric;
  /** In the unit of the metric. */
  readonly max: number;
  readonly level: "error" | "warn";
}

/**
 * Whether a limit is kept. `broken`: the value is surely above it, see {@link FALSE_FAILURES}. `inconclusive`: it
 * may be, because a part of its interval is.
 */
export type BudgetVerdict = "holds" | "inconclusive" | "broken";

/** A limit, and the number that it limits. */
export interface CheckedBudget {
  readonly budget: Budget;
  readonly verdict: BudgetVerdict;
  /** The mean of the runs, in the unit of the metric. */
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

interface CheckedRuns {
  readonly runs: readonly SelectedRun[];
  /** The runs that growth is measured against; empty if there are none. */
  readonly baseline: readonly SelectedRun[];
  /** The units of work of each run. Default: 1. */
  readonly units?: number | undefined;
}

/**
 * The part of checks that may fail although every value is at its limit, for all limits together: a check in CI
 * must not fail now and then by chance. Intervals of 95 % would fail 1 of 40 for each limit.
 */
const FALSE_FAILURES = 0.01;
/**
 * How much a number is taken to differ from run to run, as a part of it, where one run alone cannot tell: what
 * it does in recorded runs on a busy machine (docs/diff.md).
 */
export const LONE_SPREAD = 0.1;
/** The normal distribution has 95 % within this many standard errors. */
const NORMAL_QUANTILE = 1.959964;
/** With so many degrees of freedom, Student's distribution is as good as the normal one. */
const NORMAL_FREEDOM = 1e4;

/** Returns the budgets that select nothing in any of these runs, which have a selection for each. */
export function unknownSelectors(budgets: readonly Budget[], runs: readonly SelectedRun[]): Budget[] {
  return budgets.filter((_, i) => !runs.some(({ selections }) => selections[i]!.isFound));
}

/** Returns the limits of waits, which nothing can break where ticks that waited are left out. */
export function budgetsOfWaits(budgets: readonly Budget[]): Budget[] {
  return budgets.filter(
    ({ selector: { kind, name } }) => kind === "category" && WAITS.some((one) => one === name),
  );
}

/** A run whose times are not known. */
const UNKNOWN_TURN = { least: 0, length: 0, most: Number.POSITIVE_INFINITY } as const;

/** Checks limits. Each run has a selection for each budget. */
export function checkBudgets(budgets: readonly Budget[], checked: CheckedRuns): CheckedBudget[] {
  const measured = budgets.map((budget, i) => measure(budget, i, checked));
  const isBroken = surelyAbove(measured.map(({ tails }) => tails));
  return budgets.map((budget, i) => {
    const { value, low, high, baseline } = measured[i]!;
    const places = checked.runs.map(({ selections }) => selections[i]!);
    const turns =
      budget.metric === "longestTurn" ? checked.runs.flatMap((run) => run.longestTurn ?? []) : places;
    const place = turns.find(({ file }) => file !== undefined);
    const verdict = isBroken[i] ? "broken" : high > budget.max ? "inconclusive" : "holds";
    return { budget, verdict, value, low, high, baseline, file: place?.file, line: place?.line };
  });
}

/**
 * Returns which limits are broken, by how likely each value is if it is at its limit.
 *
 * Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
 * Statistics 6 (1979).
 */
function surelyAbove(tails: readonly number[]): boolean[] {
  const isBroken = tails.map(() => false);
  const order = Array.from(tails.keys()).sort((a, b) => tails[a]! - tails[b]!);
  for (const [rank, i] of order.entries()) {
    if (tails[i]! > FALSE_FAILURES / (tails.length - rank)) break;
    isBroken[i] = true;
  }
  return isBroken;
}

interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly baseline: number | undefined;
  /** How likely so high a value is if the true one is at the limit. */
  readonly tails: number;
}

function measure(
  { metric, max }: Budget,
  index: number,
  { runs, baseline, units = 1 }: CheckedRuns,
): Interval {
  switch (metric) {
    case "allocated":
      return around(sizesOf(runs, index, units), { runs: runs.length, max });
    case "self":
    case "total": {
      const share = around(shareOf(runs, index, metric), { runs: runs.length, max });
      return { ...share, high: Math.min(100, share.high) };
    }
    case "ticks": {
      const share = shareOf(runs, index, "total");
      const ticks = runs.reduce((sum, run) => sum + run.ticks, 0) / runs.length / 100 / units;
      const sample = sampleOf(runs.map(({ selections }) => selections[index]!.total / units));
      return around(
        { ...sample, variance: Math.max(sample.variance, share.variance * ticks ** 2) },
        { runs: runs.length, max },
      );
    }
    case "deopts": {
      // They are counted, not sampled.
      const sample = sampleOf(runs.map(({ selections }) => selections[index]!.deopts));
      const measured = around(sample, { runs: runs.length, max });
      // A mean that is not 0 is above 0.
      return max <= 0 && sample.mean > max ? { ...measured, tails: 0 } : measured;
    }
    case "longestTurn": {
      const turns = runs.map(({ longestTurn = UNKNOWN_TURN }) => longestTurn);
      const of = (part: "least" | "length" | "most") =>
        around(sampleOf(turns.map((turn) => turn[part])), { runs: runs.length, max });
      // What is sure of the turns breaks it, and what they are at most keeps it.
      const { low, tails } = of("least");
      return { ...of("length"), low, high: of("most").high, tails };
    }
    case "growth": {
      const of = (side: readonly SelectedRun[]) =>
        isOfMemory(side)
          ? withWarmUp(sizesOf(side, index, units), side, units)
          : shareOf(side, index, "total");
      const [before, after] = [of(baseline), of(runs)];
      const { change, error, freedom } = differenceOf(before, after);
      const isSingle = runs.length < 2 || baseline.length < 2;
      const half = (isSingle ? NORMAL_QUANTILE : studentQuantile(0.975, freedom)) * error;
      const inPercent = (points: number) =>
        before.mean > 0 ? (points * 100) / before.mean : points > 0 ? Number.POSITIVE_INFINITY : 0;
      return {
        value: inPercent(change),
        low: inPercent(change - half),
        high: inPercent(change + half),
        baseline: before.mean,
        // In points: so is the error. What the baseline does not have is above any limit.
        tails: tailsAbove(change - (max * before.mean) / 100, error, isSingle ? NORMAL_FREEDOM : freedom),
      };
    }
  }
}

/** Whether the samples of runs weigh memory. */
export function isOfMemory(runs: readonly Pick<SelectedRun, "memory">[]): boolean {
  return runs.some(({ memory }) => memory !== undefined);
}

/** Returns the bytes of a selection with what it calls in a run, or a unit of work, with their variance. */
function sizesOf(runs: readonly SelectedRun[], index: number, units: number): Sample {
  const size = ({ memory }: SelectedRun) => (memory?.tick ?? 1) / units;
  const sample = sampleOf(runs.map((run) => run.selections[index]!.total * size(run)));
  const counting = runs.map((run) => {
    if (run.isCountUnknown) return UNKNOWN_VARIANCE * Math.max(1, sample.mean) ** 2;
    const { total, totalEffect = 1 } = run.selections[index]!;
    // No sample does not prove that there is nothing.
    return Math.max(1, total * totalEffect) * size(run) ** 2;
  });
  const lone = runs.length > 1 ? 0 : (LONE_SPREAD * sample.mean) ** 2;
  const least = counting.reduce((sum, variance) => sum + variance, lone) / counting.length;
  // What sampling makes sizes differ by is known.
  return moderated(sample, { variance: least, freedom: SAMPLED_FREEDOM, least });
}

/** Returns sizes with what V8 makes runs differ by: two sides of the same code do. */
function withWarmUp(sizes: Sample, runs: readonly SelectedRun[], units: number): Sample {
  const { mean } = sampleOf(runs.map(({ ticks, memory }) => (ticks * (memory?.tick ?? 1)) / units));
  return { ...sizes, variance: sizes.variance + warmUpVariance(sizes.mean, mean) };
}

/** The variance of shares of which nothing is known: with the runs that anybody has, none is surely above a limit. */
const UNKNOWN_VARIANCE = 1e6;

/** Returns the share of a selection in percent, with the variance of a run. */
function shareOf(runs: readonly SelectedRun[], index: number, weight: "self" | "total"): Sample {
  const effectOf = ({ selfEffect, totalEffect }: Selection) => (weight === "self" ? selfEffect : totalEffect);
  const shares = runs.map(({ ticks, selections }) =>
    ticks > 0 ? (selections[index]![weight] * 100) / ticks : 0,
  );
  const sample = sampleOf(shares);
  const fraction = Math.min(1, sample.mean / 100);
  const counting = runs.map(({ ticks, selections, isCountUnknown, mayWait }) => {
    // All of the run may be one sample, which tells nothing; or most of it waited, so that the rest has another share.
    if (isCountUnknown || mayWait) return UNKNOWN_VARIANCE;
    const effect = runs.length > 1 && !isOfMemory(runs) ? 1 : (effectOf(selections[index]!) ?? 1);
    // No tick of 1,000 does not prove that there is none.
    const sure = Math.max(fraction * (1 - fraction), ticks > 0 ? 1 / ticks : 1);
    return ticks > 0 ? (sure * 1e4 * effect) / ticks : 1e4;
  });
  const lone = runs.length > 1 ? 0 : (LONE_SPREAD * sample.mean) ** 2;
  const least = counting.reduce((sum, variance) => sum + variance, lone) / counting.length;
  return moderated(sample, { variance: 0, freedom: 0, least });
}

function around(
  { mean, variance, freedom }: Sample,
  { runs, max }: { readonly runs: number; readonly max: number },
): Interval {
  const quantile = runs < 2 ? NORMAL_QUANTILE : studentQuantile(0.975, freedom);
  const error = Math.sqrt(variance / runs);
  return {
    value: mean,
    low: Math.max(0, mean - quantile * error),
    high: mean + quantile * error,
    baseline: undefined,
    tails: tailsAbove(mean - max, error, runs < 2 ? NORMAL_FREEDOM : freedom),
  };
}

/** Returns how likely it is to be so far above a limit if the true value is at it. */
function tailsAbove(distance: number, error: number, freedom: number): number {
  if (distance <= 0) return 1;
  return studentTails(distance / error, freedom) / 2;
}
