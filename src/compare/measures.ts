import type { Ticks } from "../base/units.js";
import type { DiffRow } from "./diff-model.js";
import type { RowMatch } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import { median, type Scale } from "./scales.js";
import { type Difference, differenceOf, moderated, type Sample, sampleOf } from "./statistics.js";

/** Rows with fewer ticks in the mean of all runs are not tested: hardly any change of theirs could be seen. */
export const TESTED_TICKS = 5;
/** Numbers of fewer ticks are not distributed normally. */
const NORMAL_TICKS = 10;

export interface SideRow extends RowName {
  readonly runs: readonly (RunRow | undefined)[];
}

/** A row of both sides with the ticks of each run. */
export interface Ticked {
  readonly match: RowMatch<SideRow>;
  readonly runs: DiffRow["runs"];
  readonly self: Weights;
  readonly total: Weights;
}

interface Weights {
  readonly before: readonly Ticks[];
  readonly after: readonly Ticks[];
}

/** A number of a row in one scale, before and after. */
export interface Measure {
  readonly kind: "self" | "total";
  /** Whether it is of the program or its packages. */
  readonly isOwn: boolean;
  /** Whether its source is another one after. */
  readonly isOtherSource: boolean;
  /** The share of ticks, 0 to 1, in all runs. */
  readonly share: number;
  /** By run of each side. */
  readonly values: readonly [readonly number[], readonly number[]];
  /** By side, with what all rows say about the spread of one. */
  readonly samples: readonly [Sample, Sample];
  readonly difference: Difference;
  /** The variance that counting alone would cause in one run, on the mean of both sides. */
  readonly counting: number;
  /** Whether there are ticks and runs enough to test it. */
  readonly isTested: boolean;
  /** Whether it is a total that equals self in all runs, so that testing self is enough. */
  readonly isRepeated: boolean;
  /** Whether the ticks are so many that their numbers are distributed normally. */
  readonly isNormal: boolean;
}

/** Both sides in one scale. */
export interface MeasureOptions {
  readonly sides: readonly [readonly RunSummary[], readonly RunSummary[]];
  readonly scale: Scale;
  readonly hasVerdict: boolean;
}

/** Measures a number of a row. */
export type Measurer = (row: Ticked, kind: Measure["kind"]) => Measure;

/** Measures both numbers of rows in one scale: self and total of each follow each other. */
export function measuresOf(rows: readonly Ticked[], measure: Measurer): Measure[] {
  return rows.flatMap((row) => [measure(row, "self"), measure(row, "total")]);
}

/** Returns what measures rows in one scale, by what is usual. */
export function measurerOf(options: MeasureOptions, spread: UsualSpread): Measurer {
  const ticks = ticksOf(options);
  return (row, kind) => {
    const raw = rawOf(row, kind, ticks, options);
    const { counting, mean, samples } = raw;
    const ratio = spread.ratioAt(mean);
    const surer = (side: 0 | 1) =>
      moderated(samples[side], {
        variance: ratio * counting[side],
        freedom: spread.freedom,
        least: counting[side],
      });
    const [before, after] = [surer(0), surer(1)];
    // Field by field: V8 keeps an object made of the rest of another as a table, which takes 3 KB.
    return {
      kind,
      isOwn: raw.isOwn,
      isOtherSource: raw.isOtherSource,
      share: raw.share,
      values: raw.values,
      samples: [before, after],
      difference: differenceOf(before, after),
      counting: (counting[0] + counting[1]) / 2,
      isTested: raw.isTested,
      isRepeated: raw.isRepeated,
      isNormal: raw.isNormal,
    };
  };
}

/** Whether a row is code of the program or of its packages. */
export function isOwn({ match }: Ticked): boolean {
  const { origin } = (match.after ?? match.before)!;
  return origin === "app" || origin === "deps";
}

/** Whether the source of a row is known on both sides, and not the same. */
function isOtherSource({ match: { before, after } }: Ticked): boolean {
  const [old, now] = [before?.sourceHash, after?.sourceHash];
  return old !== undefined && now !== undefined && old !== now;
}

/** Whether there are ticks and runs enough to test a number of a row. */
export function isTested(row: Ticked, { hasVerdict }: Pick<MeasureOptions, "hasVerdict">): boolean {
  const isEnough = isLarge(row.self) || (isLarge(row.total) && !isEqual(row.self, row.total));
  return hasVerdict && isEnough && !isOfThreads(row);
}

/** What threads wait for each other in, and wake each other by: parts of names in C libraries. */
const BETWEEN_THREADS = ["futex", "lll_lock", "pthread_cond_", "pthread_mutex_"];

/** Whether a row says when threads had a CPU, and not what the program does: its callers say that. */
function isOfThreads({ match }: Ticked): boolean {
  const { origin, title } = (match.after ?? match.before)!;
  return origin === "native" && BETWEEN_THREADS.some((part) => title.includes(part));
}

function isLarge({ before, after }: Weights): boolean {
  const sum = before.reduce((all, count) => all + count, 0) + after.reduce((all, count) => all + count, 0);
  return sum / (before.length + after.length) >= TESTED_TICKS;
}

/** Whether the samples of the runs weigh memory. */
export function isOfMemory(sides: MeasureOptions["sides"]): boolean {
  return sides.some((runs) => runs.some(({ memory }) => memory !== undefined));
}

function ticksOf({ sides }: MeasureOptions): Ticks {
  return sides.flat().reduce((sum, run) => sum + run.ticks, 0);
}

/** A number before it is known what is usual. */
interface Raw extends Omit<Measure, "difference" | "counting"> {
  /** By side: the variance that counting alone causes in one run. */
  readonly counting: readonly [number, number];
  /** The mean of all runs. */
  readonly mean: Ticks;
}

function rawOf(
  row: Ticked,
  kind: Measure["kind"],
  allTicks: Ticks,
  { sides, scale, hasVerdict }: MeasureOptions,
): Raw {
  const { self, total, runs } = row;
  const ticks = kind === "self" ? self : total;
  const all = [...ticks.before, ...ticks.after];
  const sum = all.reduce((whole, count) => whole + count, 0);
  const share = allTicks > 0 ? Math.min(1, sum / allTicks) : 0;
  const valuesOf = (side: "before" | "after") => ticks[side].map((count, run) => count * scale[side][run]!);
  const values = [valuesOf("before"), valuesOf("after")] as const;
  const effectsOf = (side: "before" | "after") =>
    runs[side].flatMap((row) => (kind === "self" ? row?.selfEffect : row?.totalEffect) ?? []);
  const isMemory = isOfMemory(sides);
  const ofMemory = isMemory ? median([...effectsOf("before"), ...effectsOf("after")]) : 1;
  // Shares of a whole that is sampled itself depend on each other, sizes do not.
  const rest = isMemory && scale.unit !== "percent" ? 1 : 1 - share;
  const countingOf = (side: "before" | "after") => {
    const of = sides[side === "before" ? 0 : 1];
    const spreads = of.map((run, i) => run.ticks * share * rest * scale[side][i]! ** 2);
    const mean = spreads.reduce((whole, one) => whole + one, 0) / of.length;
    // The times of ticks tell how much surer many ticks are than one; with several runs, these tell.
    if (!isMemory) return mean * Math.max(1, hasVerdict ? 1 : median(effectsOf(side)));
    const size = sampleOf(values[side === "before" ? 0 : 1]).mean;
    const whole = sampleOf(of.map((run, i) => run.ticks * scale[side][i]!)).mean;
    return mean * ofMemory + warmUpVariance(size, whole);
  };
  const mean = sum / all.length;
  /** How many independent ticks it is. */
  const known = mean / (ofMemory || 1);
  const isRepeated = kind === "total" && isEqual(self, total);
  return {
    kind,
    isOwn: isOwn(row),
    isOtherSource: isOtherSource(row),
    share,
    values,
    samples: [sampleOf(values[0]), sampleOf(values[1])],
    counting: [countingOf("before"), countingOf("after")],
    mean,
    isRepeated,
    isTested: hasVerdict && known >= TESTED_TICKS && !isRepeated,
    isNormal: known >= NORMAL_TICKS,
  };
}

/** What all rows together say about the spread of one. */
interface UsualSpread {
  /** How many degrees of freedom it is worth. */
  readonly freedom: number;
  /** The usual variance of a row with so many ticks, relative to what counting alone causes. */
  readonly ratioAt: (ticks: Ticks) => number;
}

/** Returns what rows in one scale say. */
export function usualSpread(rows: readonly Ticked[], options: MeasureOptions): UsualSpread {
  const { sides, hasVerdict } = options;
  const freedom = sides.reduce((sum, { length }) => sum + length - 1, 0);
  const ticks = ticksOf(options);
  const used: Raw[] = [];
  for (const row of hasVerdict ? rows : []) {
    for (const kind of ["self", "total"] as const) {
      const raw = rawOf(row, kind, ticks, options);
      if (raw.isTested && raw.isNormal && raw.counting[0] > 0) used.push(raw);
    }
  }
  const spreads = used.map(({ samples, counting, mean }) => {
    const squares = samples.reduce(
      (sum, { runs, variance }, side) => sum + ((runs - 1) * variance) / counting[side]!,
      0,
    );
    return { ratio: squares / freedom, ticks: mean };
  });
  const trend = varianceTrend(spreads);
  const usual = (ticks: Ticks) => trend.base + trend.slope * ticks;
  const ratios = spreads.map(({ ratio, ticks }) => ratio / usual(ticks));
  const prior = variancePrior(ratios, freedom);
  return { freedom: prior.freedom, ratioAt: (ticks) => Math.max(1, prior.ratio * usual(ticks)) };
}

function isEqual(a: Weights, b: Weights): boolean {
  const equal = (one: readonly Ticks[], other: readonly Ticks[]) =>
    one.every((count, i) => count === other[i]);
  return equal(a.before, b.before) && equal(a.after, b.after);
}

/** What the spreads of many functions say about the spread of one. */
interface VariancePrior {
  /** The typical variance, relative to what counting alone causes. */
  readonly ratio: number;
  /** How many degrees of freedom it is worth; 0 if the functions say nothing. */
  readonly freedom: number;
}

/** Fewer functions say nothing. */
const LEAST_FUNCTIONS = 8;
/** The spreads of functions are never so alike that more is worth believing. */
const MOST_FREEDOM = 50;
/** As a part of the size, and of the run that it is of: runs hardly differ by less. */
const SIZE_SPREAD = 0.01;
const RUN_SPREAD = 0.002;

/**
 * Returns the least variance of a size between runs, beside that of sampling: the moment when V8 optimizes code decides what that allocates,
 * and for which function it counts. So small functions of a large run may have twice as much in one run as in another one.
 */
export function warmUpVariance(size: number, whole: number): number {
  return (SIZE_SPREAD * size) ** 2 + (RUN_SPREAD * whole) ** 2;
}

/** So much is it worth that the variance of sampled sizes is known: of what budgets limit. */
export const SAMPLED_FREEDOM = 20;
/** Runs that are alike by chance have a logarithm of their variance far below all others. */
const LEAST_RATIO = 0.05;

/**
 * Estimates the distribution of the variances of many functions, relative to what counting alone causes. Few
 * runs say little about the spread of one function, but all functions together say what is usual; a spread
 * that is estimated from both is surer. Each ratio is estimated with `freedom` degrees of freedom.
 *
 * Source: G. Smyth, "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Statistical Applications in Genetics and Molecular Biology 3 (2004), 6.2.
 */
export function variancePrior(ratios: readonly number[], freedom: number): VariancePrior {
  if (ratios.length < LEAST_FUNCTIONS || freedom < 1) return { ratio: 1, freedom: 0 };
  const half = freedom / 2;
  const logs = ratios.map((ratio) => Math.log(Math.max(ratio, LEAST_RATIO)) - digamma(half) + Math.log(half));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const excess = squares / (logs.length - 1) - trigamma(half);
  const own = excess > 0 ? Math.min(MOST_FREEDOM, 2 * inverseTrigamma(excess)) : MOST_FREEDOM;
  const ratio = Math.exp(mean + digamma(own / 2) - Math.log(own / 2));
  return { ratio, freedom: own };
}

/** A line that is not below a least base, 1 unless told otherwise: the variance of rows, relative to what counting alone causes, by their ticks. */
interface VarianceTrend {
  readonly base: number;
  /** By tick. */
  readonly slope: number;
}

/** As many steps bring the weights of a line to rest. */
const STEPS = 20;

/**
 * Returns the line of variances by ticks. Counting makes rows with many ticks surer, but what differs between
 * runs does not become less with their ticks, so that it counts for more in them.
 *
 * Source: S. Anders and W. Huber, "Differential expression analysis for sequence count data", Genome Biology 11
 * (2010): the variance of counts has a part that grows with their mean and one with its square.
 */
export function varianceTrend(
  rows: readonly { readonly ratio: number; readonly ticks: number }[],
  least = 1,
): VarianceTrend {
  let trend: VarianceTrend = { base: 1, slope: 0 };
  if (rows.length < LEAST_FUNCTIONS) return trend;
  for (let step = 0; step < STEPS; step++) {
    let [weights, x, y, xx, xy] = [0, 0, 0, 0, 0];
    for (const { ratio, ticks } of rows) {
      // The spread of an estimated variance is proportional to it.
      const weight = 1 / (trend.base + trend.slope * ticks) ** 2;
      weights += weight;
      x += weight * ticks;
      y += weight * ratio;
      xx += weight * ticks * ticks;
      xy += weight * ticks * ratio;
    }
    const spread = weights * xx - x * x;
    const slope = spread > 0 ? Math.max(0, (weights * xy - x * y) / spread) : 0;
    const base = (y - slope * x) / weights;
    // Below 1 the line would claim to be surer than counting: it then starts at the least.
    trend =
      base >= least
        ? { base, slope }
        : { base: least, slope: Math.max(0, (xy - least * x) / Math.max(xx, 1e-9)) };
  }
  return trend;
}

/** From here on the first terms of the series are exact to 12 digits. */
const SERIES_FROM = 10;

/** Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 6.3.5 and 6.3.18. */
export function digamma(x: number): number {
  let [at, sum] = [x, 0];
  for (; at < SERIES_FROM; at++) sum -= 1 / at;
  const square = 1 / (at * at);
  const series =
    square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))));
  return sum + Math.log(at) - 1 / (2 * at) - series;
}

/** Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 6.4.6 and 6.4.12. */
export function trigamma(x: number): number {
  let [at, sum] = [x, 0];
  for (; at < SERIES_FROM; at++) sum += 1 / (at * at);
  const square = 1 / (at * at);
  const series =
    square * (1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - (square * 5) / 66))));
  return sum + 1 / at + square / 2 + series / at;
}

/** Returns the number whose {@link trigamma} is `value`, which is above 0. */
export function inverseTrigamma(value: number): number {
  let [low, high] = [1e-8, 1e8];
  // Half of the logarithm of the interval is left in each step.
  for (let step = 0; step < 100; step++) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > value) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
