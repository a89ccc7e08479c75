import jstat from "jstat";
import { partitionPoint } from "../base/sorted.js";

const { jStat } = jstat;

/** Returns the probability that Student's t is at least so far from 0, on either side. */
export function studentTails(t: number, freedom: number): number {
  if (Number.isNaN(t)) return 1;
  if (!Number.isFinite(t)) return 0;
  return jStat.ibeta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/** Quantiles that were asked for: each takes the library some 20 µs. */
const quantiles = new Map<string, number>();
/** As many are kept. */
const KEPT_QUANTILES = 10_000;

/** Returns the value that Student's t is below with a probability; the degrees of freedom count in hundredths. */
export function studentQuantile(probability: number, freedom: number): number {
  const hundredths = Math.max(100, Math.floor(freedom * 100));
  const key = `${probability} ${hundredths}`;
  let quantile = quantiles.get(key);
  if (quantile === undefined) {
    quantile = jStat.studentt.inv(probability, hundredths / 100);
    if (quantiles.size >= KEPT_QUANTILES) quantiles.clear();
    quantiles.set(key, quantile);
  }
  return quantile;
}

/** A number that was measured in several runs. */
export interface Sample {
  readonly mean: number;
  /** The variance between runs. */
  readonly variance: number;
  readonly runs: number;
  /** The degrees of freedom of the variance. */
  readonly freedom: number;
}

/** Returns the mean and the variance of values. */
export function sampleOf(values: readonly number[]): Sample {
  const runs = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / runs;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: runs > 1 ? squares / (runs - 1) : 0, runs, freedom: Math.max(1, runs - 1) };
}

/** What is known of a variance apart from the runs of one sample. */
interface UsualVariance {
  readonly variance: number;
  /** How many degrees of freedom it is worth; 0 for none. */
  readonly freedom: number;
  /** The variance that counting ticks alone causes. */
  readonly least: number;
}

/** A variance that chance alone makes so large in fewer cases than this is less and less believed to be usual. */
const ODD = 0.01;

/**
 * Returns a sample whose variance is estimated from its runs and from what is usual. It is at least the one
 * that counting causes: a few runs can be alike by chance, and would then look surer than they are. A sample
 * that spreads far more than is usual has its own reasons to, and tells by itself how much.
 *
 * Source: B. Phipson and others, "Robust hyperparameter estimation protects against hypervariable genes and
 * improves power to detect differential expression", Annals of Applied Statistics 10 (2016).
 */
export function moderated(sample: Sample, { variance: usual, freedom: worth, least }: UsualVariance): Sample {
  const own = sample.runs - 1;
  const isKnown = own > 0 && worth > 0 && usual > 0;
  const excess = isKnown ? varianceTail(sample.variance / usual, own, worth) : 1;
  const trusted = worth * Math.min(1, excess / ODD);
  const freedom = own + trusted;
  const mixed = freedom === 0 ? 0 : (own * sample.variance + trusted * usual) / freedom;
  return { ...sample, variance: Math.max(least, mixed), freedom: Math.max(1, freedom) };
}

/**
 * Returns the probability that a variance is found to be at least so many times another one though they are the
 * same: Fisher's and Snedecor's F, by the degrees of freedom of both.
 */
export function varianceTail(ratio: number, freedom: number, other: number): number {
  return jStat.ibeta(other / (other + freedom * ratio), other / 2, freedom / 2);
}

/** The difference of two means, and how sure it is. */
export interface Difference {
  /** The second mean less the first. */
  readonly change: number;
  /** The standard error of `change`. */
  readonly error: number;
  /** The degrees of freedom of its t distribution. */
  readonly freedom: number;
}

/**
 * Returns the difference of two samples whose variances may differ.
 *
 * Source: B. L. Welch, "The generalization of 'Student's' problem when several different population variances
 * are involved", Biometrika 34 (1947).
 */
export function differenceOf(before: Sample, after: Sample): Difference {
  const [first, second] = [before.variance / before.runs, after.variance / after.runs];
  const variance = first + second;
  const weights = first ** 2 / before.freedom + second ** 2 / after.freedom;
  const fewest = Math.min(before.freedom, after.freedom);
  return {
    change: after.mean - before.mean,
    error: Math.sqrt(variance),
    freedom: weights > 0 ? variance ** 2 / weights : fewest,
  };
}

/** Returns how likely a difference at least this large is if nothing changed. */
export function welchTails({ change, error, freedom }: Difference): number {
  if (change === 0) return 1;
  return studentTails(change / error, freedom);
}

/** Less sure is not told apart: one test that sees nothing must not outweigh others that do. */
const MOST_TAILS = 0.99;

/** How likely a change is by one of several tests, if nothing changed, and how much that test matters. */
interface WeightedTest {
  readonly probability: number;
  readonly weight: number;
}

/**
 * Returns how likely the results of several tests of one change are together, whether the tests depend on each
 * other or not: about the harmonic mean of their probabilities.
 *
 * Source: Y. Liu and J. Xie, "Cauchy combination test: a powerful test with analytic p-value calculation under
 * arbitrary dependency structures", Journal of the American Statistical Association 115 (2020).
 */
export function combinedTails(tests: readonly WeightedTest[]): number {
  let [sum, weights] = [0, 0];
  for (const { probability, weight } of tests) {
    sum += weight / Math.tan(Math.PI * Math.min(probability, MOST_TAILS));
    weights += weight;
  }
  // The angle is exact for the smallest probabilities too, which a difference from a half is not.
  return Math.atan2(weights, sum) / Math.PI;
}

/** The most ways to divide runs that are all tried: those of 8 runs against 8. */
const EXACT_WAYS = 12_870;
/** The number of ways that are tried if there are more. */
const RANDOM_WAYS = 4000;

/**
 * Returns how likely a difference of means at least this large is if the runs are divided at random: it holds
 * whatever the distribution of the values, but with few runs it cannot be small.
 *
 * Source: R. A. Fisher, "The Design of Experiments" (1935), 21; B. Phipson and G. Smyth, "Permutation
 * p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9 (2010).
 */
export function permutationTails(before: readonly number[], after: readonly number[]): number {
  const all = [...before, ...after];
  const whole = all.reduce((sum, value) => sum + value, 0);
  const part = after.reduce((sum, value) => sum + value, 0);
  const middle = (whole * after.length) / all.length;
  // Sums of the same numbers in another order differ by rounding.
  const far = Math.abs(part - middle) * (1 - 1e-9);
  const isFar = (sum: number) => Math.abs(sum - middle) >= far;
  const ways = waysToPick(after.length, all.length);
  let found = 0;
  if (ways <= EXACT_WAYS) {
    eachSum(all, after.length, (sum) => {
      if (isFar(sum)) found++;
    });
    return found / ways;
  }
  const random = generator();
  for (let way = 0; way < RANDOM_WAYS; way++) {
    let sum = 0;
    for (let i = 0; i < after.length; i++) {
      const other = i + Math.floor(random() * (all.length - i));
      [all[i], all[other]] = [all[other]!, all[i]!];
      sum += all[i]!;
    }
    if (isFar(sum)) found++;
  }
  return (found + 1) / (RANDOM_WAYS + 1);
}

/** Returns in how many ways some of all can be picked; infinity for more than can be tried. */
function waysToPick(some: number, all: number): number {
  let ways = 1;
  for (let i = 1; i <= some; i++) {
    ways = (ways * (all - some + i)) / i;
    if (ways > 1e9) return Number.POSITIVE_INFINITY;
  }
  return Math.round(ways);
}

/** Calls `visit` with the sum of each choice of `count` values. */
function eachSum(values: readonly number[], count: number, visit: (sum: number) => void): void {
  const pick = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      visit(sum);
      return;
    }
    for (let i = from; i <= values.length - left; i++) pick(i + 1, left - 1, sum + values[i]!);
  };
  pick(0, count, 0);
}

/** Returns a generator of numbers from 0 to 1, always the same: a report must not change by itself. */
function generator(): () => number {
  let state = 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns for each probability the smallest false discovery rate at which its test counts: of all tests that
 * count at 5 %, 5 % are expected to be wrong, and if nothing changed, 5 % of reports have any. `weights` say
 * how much each test matters; they are 1 in the mean, and may not depend on the probabilities.
 *
 * Source: Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal
 * Statistical Society B 57 (1995); C. Genovese, K. Roeder and L. Wasserman, "False discovery control with
 * p-value weighting", Biometrika 93 (2006).
 */
export function falseDiscoveryRates(
  probabilities: readonly number[],
  weights: readonly number[] = probabilities.map(() => 1),
): number[] {
  const weighted = probabilities.map((probability, test) => probability / weights[test]!);
  const order = Array.from(weighted.keys()).sort((a, b) => weighted[b]! - weighted[a]!);
  const rates = new Array<number>(weighted.length);
  let least = 1;
  for (const [i, test] of order.entries()) {
    least = Math.min(least, (weighted[test]! * weighted.length) / (weighted.length - i));
    rates[test] = least;
  }
  return rates;
}

/** The share of true changes that should be found, for {@link leastChange} and {@link runsFor}. */
const POWER = 0.8;

/** Returns the smallest true change that is found in 80 % of cases by a test at a level. */
export function leastChange({ error, freedom }: Omit<Difference, "change">, level: number): number {
  return (studentQuantile(1 - level / 2, freedom) + studentQuantile(POWER, freedom)) * error;
}

/** The most runs that {@link runsFor} answers. */
const MOST_RUNS = 10_000;

/**
 * Returns how many runs a side it takes to find a change in 80 % of cases by a test at a level, if one run a
 * side has these variances; undefined if it takes more than 10,000.
 */
export function runsFor(
  change: number,
  variances: readonly [number, number],
  level: number,
): number | undefined {
  const isEnough = (runs: number) => {
    const error = Math.sqrt((variances[0] + variances[1]) / runs);
    return leastChange({ error, freedom: 2 * runs - 2 }, level) <= Math.abs(change);
  };
  if (!isEnough(MOST_RUNS)) return undefined;
  return partitionPoint(MOST_RUNS, (runs) => runs < 2 || !isEnough(runs));
}
