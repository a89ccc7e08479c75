import type { Ticks } from "../base/units.js";
import type { Profile } from "../profile/profile.js";
import { allTicks, type SampleTable } from "../profile/sample-table.js";
import { type RowsOf, TickBatches } from "./tick-batches.js";

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

/** With fewer degrees of freedom, bursts cannot be told from chance. */
const LEAST_FREEDOM = 5;

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
  readonly #batches: TickBatches | undefined;
  /** The number of batches less one for each run. */
  readonly #freedom: number;
  readonly #whole: Ticks;
  /** That of any row where nobody knows how many samples there are: all ticks tell as much as one sample. */
  readonly #unknown: Spread | undefined;

  /** Without a timeline, ticks count as independent. */
  constructor(
    {
      samples,
      timeline,
      info,
    }: Pick<Profile, "samples" | "timeline"> & { readonly info?: Pick<Profile["info"], "isCountUnknown"> },
    batches: TickBatches | undefined = timeline && TickBatches.of(timeline, samples),
  ) {
    this.#batches = batches;
    this.#freedom = (batches?.runs ?? []).reduce((sum, run) => sum + run.batches.length - 1, 0);
    this.#whole = allTicks(samples);
    if (info?.isCountUnknown) this.#unknown = { effect: Math.max(1, this.#whole), quantile: Z };
  }

  /** Returns the same of merged samples. `rows` has, by sample, the one that it was merged into. */
  merged(samples: SampleTable, rows: Int32Array): Confidence {
    const info = { isCountUnknown: this.#unknown !== undefined };
    return new Confidence({ samples, info }, this.#batches?.merged(rows, samples.length));
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
    return this.#range(ticks, this.#unknown ?? INDEPENDENT);
  }

  #range(part: Ticks, { effect, quantile }: Spread): ShareRange {
    const whole = this.#whole;
    if (whole === 0 || this.#unknown !== undefined) return { low: 0, high: 100 };
    const share = Math.min(1, part / whole);
    const { low, high } = wilson(share, Math.max(1, whole / effect), quantile);
    return { low: Math.floor(low * 1000) / 10, high: Math.ceil(high * 1000) / 10 };
  }

  #spreads(rows: number, rowsOf: RowsOf): Spread[] {
    const unknown = this.#unknown;
    if (unknown !== undefined) return Array.from({ length: rows }, () => unknown);
    if (this.#batches === undefined || this.#freedom < LEAST_FREEDOM) return [];
    const { found, expected } = this.#batches.squares(rows, rowsOf);
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
    if (this.#batches === undefined || this.#freedom < LEAST_FREEDOM) return undefined;
    const { found, expected } = this.#batches.squares(rows, rowsOf);
    const sum = (numbers: Float64Array) => numbers.reduce((total, number) => total + number, 0);
    const effect = sum(found) / sum(expected);
    return effect > 1 ? this.#whole / effect : this.#whole;
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
