import type { Ticks } from "../profile/units.js";
import type { Change, DiffRow, Verdict } from "./diff-model.js";
import type { RowMatch } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import { median, type Scale } from "./scales.js";
import {
  differenceOf,
  falseDiscoveryRates,
  leastChange,
  moderated,
  permutationTails,
  type Sample,
  sampleOf,
  studentQuantile,
  welchTails,
} from "./statistics.js";
import { variancePrior, varianceTrend } from "./variance-prior.js";
import type { Witness } from "./witnesses.js";

/** The false discovery rate up to which a change counts. */
export const FALSE_RATE = 0.05;
/** Rows with fewer ticks in the mean of all runs are not tested: hardly any change of theirs could be seen. */
export const TESTED_TICKS = 5;
/** Numbers of fewer ticks are not distributed normally. */
const NORMAL_TICKS = 10;
/** The normal distribution has 95 % within this many standard errors. */
const NORMAL_QUANTILE = 1.959964;

/** A row of one side. */
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

/** A number of a row, before and after. */
export interface Measured {
  readonly before: number;
  readonly after: number;
  readonly samples: readonly [Sample, Sample];
  readonly difference: ReturnType<typeof differenceOf>;
  /** How likely such a change is if nothing changed; undefined if it is not tested. */
  readonly tails: Tails | undefined;
  /** The share of ticks, 0 to 1, in all runs. */
  readonly share: number;
  /** The variance that counting alone would cause in one run, on the mean of both sides. */
  readonly counting: number;
  rate: number | undefined;
}

/** How likely a change is if nothing changed, on either side. */
interface Tails {
  /** If it has all reasons to be one. */
  readonly all: number;
  /** If the length of the runs is none. */
  readonly ofAnyLength: number;
}

/** A number of a row in each run. */
interface Raw {
  readonly ticks: Weights;
  /** By side. */
  readonly samples: readonly Sample[];
  readonly values: readonly (readonly number[])[];
  /** The variance that counting alone causes in one run. */
  readonly counting: readonly number[];
  readonly share: number;
  /** The mean of all runs. */
  readonly mean: Ticks;
  readonly isTested: boolean;
  readonly isNormal: boolean;
}

/** What all rows together say about the spread of one. */
interface UsualSpread {
  /** How many degrees of freedom it is worth. */
  readonly freedom: number;
  /** The usual variance of a row with so many ticks, relative to what counting alone causes. */
  readonly ratioAt: (ticks: Ticks) => number;
}

/** What a comparer compares. */
export interface ComparerOptions {
  readonly before: readonly RunSummary[];
  readonly after: readonly RunSummary[];
  readonly scale: Scale;
  /** The scales in which a change must be seen too: see {@link witnessesOf}. */
  readonly witnesses: readonly Witness[];
  readonly hasVerdict: boolean;
}

/** Measures and judges the rows of one comparison. */
export class Comparer {
  readonly #sides: readonly [readonly RunSummary[], readonly RunSummary[]];
  readonly #factors: readonly [readonly number[], readonly number[]];
  readonly #witnesses: readonly Witness[];
  #prior: UsualSpread = { freedom: 0, ratioAt: () => 1 };
  readonly #hasVerdict: boolean;
  /** The number of ticks of all runs. */
  readonly ticks: Ticks;
  /** The largest probability that still counts, once all are judged. */
  level = FALSE_RATE;
  tests = 0;

  constructor({ before, after, scale, witnesses, hasVerdict }: ComparerOptions) {
    this.#sides = [before, after];
    this.#factors = [scale.before, scale.after];
    this.#witnesses = witnesses;
    this.#hasVerdict = hasVerdict;
    this.ticks = [...before, ...after].reduce((sum, { ticks }) => sum + ticks, 0);
  }

  /** Measures all rows: self and total of each row follow each other. */
  measure(rows: readonly Ticked[]): Measured[] {
    const raw = rows.flatMap((row) => [this.#sample(row, "self"), this.#sample(row, "total")]);
    const prior = this.#priorOf(raw);
    this.#prior = prior;
    return raw.map((one): Measured => {
      const [before, after] = one.samples.map((sample, side) =>
        moderated(sample, {
          variance: prior.ratioAt(one.mean) * one.counting[side]!,
          freedom: prior.freedom,
          least: one.counting[side]!,
        }),
      );
      const difference = differenceOf(before!, after!);
      if (one.isTested) this.tests++;
      return {
        before: before!.mean,
        after: after!.mean,
        samples: [before!, after!],
        difference,
        tails: one.isTested ? this.#tails(one, difference) : undefined,
        share: one.share,
        counting: (one.counting[0]! + one.counting[1]!) / 2,
        rate: undefined,
      };
    });
  }

  #sample({ self, total, runs }: Ticked, weight: "self" | "total"): Raw {
    const ticks = weight === "self" ? self : total;
    const both = [ticks.before, ticks.after] as const;
    const sum = both.flat().reduce((all, count) => all + count, 0);
    const share = this.ticks > 0 ? Math.min(1, sum / this.ticks) : 0;
    const effects = [runs.before, runs.after].map((side) =>
      median(side.flatMap((row) => (weight === "self" ? row?.selfEffect : row?.totalEffect) ?? [])),
    );
    const values = both.map((counts, side) => counts.map((count, run) => count * this.#factors[side]![run]!));
    const counting = this.#sides.map((side, number) => {
      const of = side.map((run, i) => run.ticks * share * (1 - share) * this.#factors[number]![i]! ** 2);
      const mean = of.reduce((all, one) => all + one, 0) / of.length;
      // The times of ticks tell how much surer many ticks are than one; with several runs, these tell.
      return mean * Math.max(1, this.#hasVerdict ? 1 : effects[number]!);
    });
    const mean = sum / both.flat().length;
    const isRepeated = weight === "total" && isEqual(self, total);
    return {
      samples: values.map(sampleOf),
      ticks,
      values,
      counting,
      share,
      mean,
      isTested: this.#hasVerdict && mean >= TESTED_TICKS && !isRepeated,
      isNormal: mean >= NORMAL_TICKS,
    };
  }

  /** Returns what all rows together say about the spread of one. */
  #priorOf(raw: readonly Raw[]): UsualSpread {
    const freedom = this.#sides.reduce((sum, { length }) => sum + length - 1, 0);
    const used = raw.filter(({ isTested, isNormal, counting }) => isTested && isNormal && counting[0]! > 0);
    const spreads = used.map(({ values, counting, mean }) => {
      const squares = values.reduce((sum, side, number) => {
        return sum + ((side.length - 1) * sampleOf(side).variance) / counting[number]!;
      }, 0);
      return { ratio: squares / freedom, ticks: mean };
    });
    const trend = varianceTrend(spreads);
    const usual = (ticks: Ticks) => trend.base + trend.slope * ticks;
    const ratios = spreads.map(({ ratio, ticks }) => ratio / usual(ticks));
    const prior = variancePrior(ratios, freedom);
    return { freedom: prior.freedom, ratioAt: (ticks) => Math.max(1, prior.ratio * usual(ticks)) };
  }

  /** Sets the rates of all numbers: self and total of each row follow each other. */
  judge(measured: readonly Measured[]): void {
    const tested = measured.filter(({ tails }) => tails !== undefined);
    const rates = falseDiscoveryRates(tested.map(({ tails }) => tails!.all));
    for (const [i, one] of tested.entries()) one.rate = rates[i]!;
    // The total of a row that calls nothing is its self.
    for (let i = 1; i < measured.length; i += 2) {
      const [self, total] = [measured[i - 1]!, measured[i]!];
      if (total.tails === undefined && total.share === self.share) total.rate = self.rate;
    }
    const found = rates.filter((rate) => rate <= FALSE_RATE).length;
    this.level = (FALSE_RATE * Math.max(1, found)) / Math.max(1, tested.length);
  }

  change(measured: Measured, match: RowMatch<SideRow>): Change {
    const { before, after, difference, rate } = measured;
    const { change, error, freedom } = difference;
    const quantile = this.#hasVerdict ? studentQuantile(0.975, freedom) : NORMAL_QUANTILE;
    return {
      before,
      after,
      change,
      low: change - quantile * error,
      high: change + quantile * error,
      rate,
      least: rate !== undefined && error > 0 ? leastChange(difference, this.level) : undefined,
      verdict: rate === undefined || rate > FALSE_RATE ? "same" : verdictOf(change, match),
    };
  }

  /** Returns how likely a change is if nothing changed in the number itself and in what its witnesses say. */
  #tails(one: Raw, difference: Measured["difference"]): Tails {
    const own = one.isNormal ? welchTails(difference) : permutationTails(one.values[0]!, one.values[1]!);
    const tails = { all: own, ofAnyLength: own };
    for (const { scale, isOfLength } of this.#witnesses) {
      const also = this.#witnessTails(one, difference.change, scale);
      tails.all = Math.max(tails.all, also);
      if (!isOfLength) tails.ofAnyLength = Math.max(tails.ofAnyLength, also);
    }
    return tails;
  }

  /** Returns how likely a change in the same direction is in another scale, if nothing changed in that. */
  #witnessTails({ ticks, share, mean }: Raw, change: number, scale: Scale): number {
    const [before, after] = ([ticks.before, ticks.after] as const).map((counts, side) => {
      const factors = side === 0 ? scale.before : scale.after;
      const runs = this.#sides[side]!;
      const least =
        runs.reduce((sum, run, i) => sum + run.ticks * share * (1 - share) * factors[i]! ** 2, 0) /
        runs.length;
      const { ratioAt, freedom } = this.#prior;
      const values = sampleOf(counts.map((count, run) => count * factors[run]!));
      return moderated(values, { variance: ratioAt(mean) * least, freedom, least });
    });
    const own = differenceOf(before!, after!);
    return own.change * change <= 0 ? 1 : welchTails(own);
  }

  /** Returns how many judged rows have no verdict only because the lengths of the runs may be the reason. */
  countByLength(measured: readonly Measured[]): number {
    if (!this.#witnesses.some(({ isOfLength }) => isOfLength)) return 0;
    const tested = measured.flatMap(({ tails, rate }, i) =>
      tails === undefined ? [] : [{ row: i >> 1, tails: tails.ofAnyLength, isFound: rate! <= FALSE_RATE }],
    );
    const rates = falseDiscoveryRates(tested.map(({ tails }) => tails));
    const found = new Set(tested.filter(({ isFound }) => isFound).map(({ row }) => row));
    return new Set(tested.flatMap(({ row }, i) => (rates[i]! <= FALSE_RATE && !found.has(row) ? [row] : [])))
      .size;
  }
}

function verdictOf(change: number, { before, after }: RowMatch<SideRow>): Verdict {
  if (before === undefined) return "new";
  if (after === undefined) return "gone";
  return change > 0 ? "slower" : "faster";
}

function isEqual(a: Weights, b: Weights): boolean {
  const equal = (one: readonly Ticks[], other: readonly Ticks[]) =>
    one.every((count, i) => count === other[i]);
  return equal(a.before, b.before) && equal(a.after, b.after);
}
