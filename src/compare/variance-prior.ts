/** What the spreads of many functions say about the spread of one. */
export interface VariancePrior {
  /** The typical variance, relative to what counting alone causes. */
  readonly ratio: number;
  /** How many degrees of freedom it is worth; 0 if the functions say nothing. */
  readonly freedom: number;
}

/** Fewer functions say nothing. */
const LEAST_FUNCTIONS = 8;
/** The spreads of functions are never so alike that more is worth believing. */
const MOST_FREEDOM = 50;
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

/** A line that is not below 1: the variance of rows, relative to what counting alone causes, by their ticks. */
export interface VarianceTrend {
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
    // Below 1 the line would claim to be surer than counting: it then starts at 1.
    trend = base >= 1 ? { base, slope } : { base: 1, slope: Math.max(0, (xy - x) / Math.max(xx, 1e-9)) };
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
