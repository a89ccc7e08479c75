import { widened } from "../profile/columns.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Timeline } from "../profile/timeline.js";
import type { Ticks } from "../profile/units.js";

/** The 95 % confidence interval of a share, in percent. */
export interface ShareRange {
  readonly low: number;
  readonly high: number;
}

/** The normal distribution has 95 % within this many standard deviations. */
const Z = 1.959964;

/**
 * Returns the Wilson score interval of a share, as fractions: where the true share lies in 95 % of samples of
 * this size. It stays within 0 and 1 and holds for few ticks too. `quantile` replaces 1.96 if the spread is
 * itself an estimate.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of
 * the American Statistical Association 22 (1927).
 */
export function wilson(share: number, size: number, quantile = Z): ShareRange {
  if (!(size > 0)) return { low: 0, high: 1 };
  const z2 = quantile * quantile;
  const middle = share + z2 / (2 * size);
  const half = quantile * Math.sqrt((share * (1 - share)) / size + z2 / (4 * size * size));
  const scale = 1 + z2 / size;
  return {
    low: share <= 0 ? 0 : Math.max(0, (middle - half) / scale),
    high: share >= 1 ? 1 : Math.min(1, (middle + half) / scale),
  };
}

/** The maximum number of batches that the ticks of a thread are cut into. */
const BATCHES = 32;
/** With fewer degrees of freedom, bursts cannot be told from chance. */
const LEAST_FREEDOM = 5;

/**
 * Which rows each sample belongs to: a function that calls `count` with each of them; or, faster, columns by
 * sample. `row` has the only row, another number for none. `mask` has a bit for each of the first 31 rows.
 */
export type RowsOf =
  | ((sample: number, count: (row: number) => void) => void)
  | { readonly row: ArrayLike<number> }
  | { readonly mask: Int32Array };

/** A row's design effect: how many ticks tell as much as one tick would if ticks were independent. */
interface Spread {
  readonly effect: number;
  readonly quantile: number;
}

const INDEPENDENT: Spread = { effect: 1, quantile: Z };

/**
 * Measures how sure the shares of a profile are. Ticks often come in bursts, such as a collection of garbage
 * or one phase of a program, and then tell less than as many independent ticks. The effective number of ticks
 * is `n / (1 + 2 Σ ρ)`, where ρ are the autocorrelations of "is the tick in this row". It is estimated by
 * batch means, in one pass: the ticks of each thread, in order, are cut into √n batches, at most 32, and the
 * spread of the row's share between batches is compared with what independent ticks would show. An interval
 * is never narrower than for independent ticks, and at most as wide as for one.
 *
 * Source: C. Geyer, "Introduction to Markov Chain Monte Carlo" (2011), 1.10.1; J. Flegal and G. Jones, "Batch
 * means and spectral variance estimators in Markov chain Monte Carlo", Annals of Statistics 38 (2010).
 */
export class Confidence {
  readonly #runs: readonly Run[];
  /** The number of batches less one for each run. */
  readonly #freedom: number;
  readonly #whole: Ticks;

  /** Without a timeline, ticks count as independent. */
  constructor({ samples, timeline }: Pick<Profile, "samples" | "timeline">) {
    this.#runs = timeline === undefined ? [] : runsOf(timeline, samples);
    this.#freedom = this.#runs.reduce((sum, { batches }) => sum + batches.length - 1, 0);
    let whole = 0;
    for (let i = 0; i < samples.length; i++) whole += samples.ticks[i]!;
    this.#whole = whole;
  }

  /** Returns the interval of each row by its ticks, given the rows of each sample. */
  ranges(ticks: readonly Ticks[], rowsOf: RowsOf): ShareRange[] {
    const spreads = this.#spreads(ticks.length, rowsOf);
    return ticks.map((part, row) => this.#range(part, spreads[row] ?? INDEPENDENT));
  }

  /**
   * Returns the design effect of each row: how many of its ticks tell as much as one independent tick. At
   * least 1.
   */
  effects(ticks: ArrayLike<Ticks>, rowsOf: RowsOf): number[] {
    const spreads = this.#spreads(ticks.length, rowsOf);
    return Array.from(ticks, (_, row) => (spreads[row] ?? INDEPENDENT).effect);
  }

  /** Returns the interval of ticks that count as independent. */
  independent(ticks: Ticks): ShareRange {
    return this.#range(ticks, INDEPENDENT);
  }

  #range(part: Ticks, { effect, quantile }: Spread): ShareRange {
    const whole = this.#whole;
    if (whole === 0) return { low: 0, high: 100 };
    const share = Math.min(1, part / whole);
    const { low, high } = wilson(share, Math.max(1, whole / effect), quantile);
    return { low: Math.floor(low * 1000) / 10, high: Math.ceil(high * 1000) / 10 };
  }

  /**
   * Returns the spread of each row. With c ticks of a row in a batch of n and m in the thread of N, the sum of
   * n (c/n - m/N)² over the batches of a thread, which is Σ c²/n - m²/N, has the expectation (batches - 1)
   * m/N (1 - m/N) for independent ticks.
   */
  #spreads(rows: number, rowsOf: RowsOf): Spread[] {
    if (this.#freedom < LEAST_FREEDOM) return [];
    const { found, expected } = this.#squares(rows, rowsOf);
    const quantile = studentQuantile(this.#freedom);
    return Array.from(found, (square, row) => {
      const effect = expected[row]! > 0 ? square / expected[row]! : 1;
      return effect > 1 ? { effect, quantile } : INDEPENDENT;
    });
  }

  /**
   * Returns how many independent ticks tell as much as the ticks do, over all rows together; undefined if that
   * cannot be told. It is at most the number of ticks.
   *
   * Source: J. Rao and A. Scott, "The analysis of categorical data from complex sample surveys", Journal of the
   * American Statistical Association 76 (1981): the mean of the rows' design effects, by their variance.
   */
  effectiveTicks(rows: number, rowsOf: RowsOf): Ticks | undefined {
    if (this.#freedom < LEAST_FREEDOM) return undefined;
    const { found, expected } = this.#squares(rows, rowsOf);
    const sum = (numbers: Float64Array) => numbers.reduce((total, number) => total + number, 0);
    const effect = sum(found) / sum(expected);
    return effect > 1 ? this.#whole / effect : this.#whole;
  }

  /** Returns, by row, the squares of {@link #spreads} as found and as expected of independent ticks. */
  #squares(rows: number, rowsOf: RowsOf): { found: Float64Array; expected: Float64Array } {
    const found = new Float64Array(rows);
    const expected = new Float64Array(rows);
    const inBatch = new Counts(rows);
    const inRun = new Counts(rows);
    for (const { size, batches } of this.#runs) {
      for (const batch of batches) {
        const take = (row: number, c: number) => {
          found[row]! += (c * c) / batch.size;
          inRun.add(row, c);
        };
        if (typeof rowsOf === "object" && "row" in rowsOf && rows < batch.samples.length) {
          takeFewRows(batch, rowsOf.row, rows, take);
          continue;
        }
        countRows(batch, rowsOf, rows, inBatch);
        inBatch.take(take);
      }
      inRun.take((row, c) => {
        found[row]! -= (c * c) / size;
        expected[row]! += (batches.length - 1) * (c / size) * (1 - c / size);
      });
    }
    return { found, expected };
  }
}

/** Ticks that follow each other in one thread. */
interface Run {
  readonly size: Ticks;
  readonly batches: readonly Batch[];
}

/** Ticks that follow each other: the samples among them, each once, and how often. */
interface Batch {
  readonly size: Ticks;
  readonly samples: Int32Array;
  readonly ticks: Uint32Array;
}

function runsOf({ length, sample }: Timeline, { thread, length: rows }: SampleTable): Run[] {
  const counts = new Counts(rows);
  const runs: Run[] = [];
  const isOneThread = thread.subarray(0, rows).every((of) => of === thread[0]);
  let at = 0;
  while (at < length) {
    const start = at;
    const of = thread[sample[start]!]!;
    let end = isOneThread ? length : start + 1;
    while (end < length && thread[sample[end]!] === of) end++;
    const size = end - start;
    const number = Math.min(BATCHES, Math.floor(Math.sqrt(size)));
    const batches = Array.from({ length: number }, (_, i): Batch => {
      const first = at;
      const last = start + Math.round((size * (i + 1)) / number);
      for (; at < last; at++) counts.add(sample[at]!, 1);
      const samples = new Int32Array(counts.length);
      const ticks = new Uint32Array(counts.length);
      let found = 0;
      counts.take((row, c) => {
        samples[found] = row;
        ticks[found++] = c;
      });
      return { size: last - first, samples, ticks };
    });
    runs.push({ size, batches });
  }
  return runs;
}

/** Counts the ticks of a batch by row. */
function countRows({ samples, ticks }: Batch, rowsOf: RowsOf, rows: number, counts: Counts): void {
  if (typeof rowsOf === "function") {
    let now = 0;
    const count = (row: number) => counts.add(row, now);
    for (let i = 0; i < samples.length; i++) {
      now = ticks[i]!;
      rowsOf(samples[i]!, count);
    }
  } else if ("row" in rowsOf) {
    for (let i = 0; i < samples.length; i++) {
      const row = rowsOf.row[samples[i]!]!;
      if (row >= 0 && row < rows) counts.add(row, ticks[i]!);
    }
  } else {
    for (let i = 0; i < samples.length; i++) {
      for (let left = rowsOf.mask[samples[i]!]!; left !== 0; left &= left - 1)
        counts.add(31 - Math.clz32(left & -left), ticks[i]!);
    }
  }
}

/** Calls `take` with the ticks of each row that has some in a batch, of few rows. */
function takeFewRows(
  { samples, ticks }: Batch,
  rowOf: ArrayLike<number>,
  rows: number,
  take: (row: number, ticks: Ticks) => void,
): void {
  // The last one is for samples in no row.
  const counts = new Float64Array(rows + 1);
  for (let i = 0; i < samples.length; i++) {
    const row = rowOf[samples[i]!]!;
    counts[row >= 0 && row < rows ? row : rows]! += ticks[i]!;
  }
  for (let row = 0; row < rows; row++) if (counts[row]! > 0) take(row, counts[row]!);
}

/** Counts by number, of which most are 0. */
class Counts {
  /** How many counts are not 0. */
  length = 0;
  readonly #counts: Float64Array;
  #touched = new Int32Array(64);

  constructor(rows: number) {
    this.#counts = new Float64Array(rows);
  }

  add(row: number, count: number): void {
    if (this.#counts[row] === 0) {
      if (this.length === this.#touched.length) this.#touched = widened(this.#touched, this.length * 2);
      this.#touched[this.length++] = row;
    }
    this.#counts[row]! += count;
  }

  /** Calls `visit` with each count that is not 0, and makes it 0. */
  take(visit: (row: number, count: number) => void): void {
    for (let i = 0; i < this.length; i++) {
      const row = this.#touched[i]!;
      visit(row, this.#counts[row]!);
      this.#counts[row] = 0;
    }
    this.length = 0;
  }
}

/**
 * Returns the number of standard deviations that hold 95 % of Student's distribution, within 1 % from 5
 * degrees of freedom.
 *
 * Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.7.5.
 */
export function studentQuantile(freedom: number): number {
  const first = (Z ** 3 + Z) / 4;
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96;
  return Z + first / freedom + second / freedom ** 2;
}
