import type { Change, Verdict } from "./diff-model.js";
import { type Measure, type MeasureOptions, measuresOf, type SideRow, type Ticked } from "./measures.js";
import type { RowMatch } from "./row-matches.js";
import type { Scale } from "./scales.js";
import {
  falseDiscoveryRates,
  leastChange,
  permutationTails,
  studentQuantile,
  welchTails,
} from "./statistics.js";
import { type Tested, testWeights } from "./test-weights.js";
import type { Witnesses } from "./witnesses.js";

/** The false discovery rate up to which a change counts. */
export const FALSE_RATE = 0.05;
/** The normal distribution has 95 % within this many standard errors. */
const NORMAL_QUANTILE = 1.959964;

/** A number of a row, measured and judged. */
export interface Judged {
  readonly measure: Measure;
  /** How likely its change is if nothing changed; undefined if it is not tested. */
  readonly tails: Tails | undefined;
  /** The false discovery rate at which the change counts; undefined if it is not tested. */
  readonly rate: number | undefined;
}

/** How likely a change is if nothing changed, on either side. */
interface Tails {
  /** If it has all reasons to be one. */
  readonly all: number;
  /** If the length of the runs is none. */
  readonly ofAnyLength: number;
}

/** What {@link judge} judges by. */
export interface JudgeOptions extends MeasureOptions {
  readonly witnesses: Witnesses;
}

/** All numbers of a comparison: self and total of each row follow each other. */
export interface Judgement {
  readonly all: readonly Judged[];
  readonly tests: number;
  /** The largest probability at which a number of weight 1 counts. */
  readonly level: number;
  readonly weightOf: (tested: Tested) => number;
  /** How many rows have no verdict only because the lengths of the runs may be the reason. */
  readonly changedByLength: number;
}

/** Tests and judges all numbers of the rows. */
export function judge(rows: readonly Ticked[], options: JudgeOptions): Judgement {
  const { all: measures, spread } = measuresOf(rows, options);
  const { usual, lengths } = options.witnesses;
  const inScale = (scale: Scale) => measuresOf(rows, { ...options, scale }, spread).all;
  const besideRest = usual === undefined ? undefined : inScale(usual);
  const ofLength = lengths.map(inScale);
  const tails = measures.map((one, i) =>
    one.isTested
      ? tailsOf(
          one,
          besideRest?.[i],
          ofLength.map((of) => of[i]!),
        )
      : undefined,
  );
  const tested = measures.flatMap((measure, i) =>
    tails[i] === undefined ? [] : [{ measure, tails: tails[i] }],
  );
  const weightOf = testWeights(tested.map(({ measure }) => measure));
  const weights = tested.map(({ measure }) => weightOf(measure));
  const ratesOf = (probability: (of: Tails) => number) => {
    const rates = falseDiscoveryRates(
      tested.map(({ tails }) => probability(tails)),
      weights,
    ).values();
    return tails.map((of) => (of === undefined ? undefined : rates.next().value));
  };
  const rates = ratesOf(({ all }) => all);
  const found = rates.filter(isFound).length;
  // The total of a row that calls nothing is its self.
  const shown = rates.map((rate, i) =>
    i % 2 === 1 && rate === undefined && measures[i]!.share === measures[i - 1]!.share ? rates[i - 1] : rate,
  );
  return {
    all: measures.map((measure, i) => ({ measure, tails: tails[i], rate: shown[i] })),
    tests: tested.length,
    level: (FALSE_RATE * Math.max(1, found)) / Math.max(1, tested.length),
    weightOf,
    changedByLength:
      lengths.length === 0
        ? 0
        : rowsFoundOnlyBy(
            ratesOf(({ ofAnyLength }) => ofAnyLength),
            rates,
          ),
  };
}

function isFound(rate: number | undefined): boolean {
  return rate !== undefined && rate <= FALSE_RATE;
}

/** Returns how many rows have a number that counts by the first rates, and none that counts by the second. */
function rowsFoundOnlyBy(
  rates: readonly (number | undefined)[],
  others: readonly (number | undefined)[],
): number {
  const rowsOf = (all: readonly (number | undefined)[]) =>
    new Set(all.flatMap((rate, i) => (isFound(rate) ? [i >> 1] : [])));
  const known = rowsOf(others);
  return Array.from(rowsOf(rates)).filter((row) => !known.has(row)).length;
}

/**
 * Returns how likely a change is. What the row takes beside the rest must have changed too, in the same
 * direction, if that is known: the shares of all others fall if one rises.
 */
function tailsOf(one: Measure, besideRest: Measure | undefined, ofLength: readonly Measure[]): Tails {
  const own = one.isNormal ? welchTails(one.difference) : permutationTails(one.values[0], one.values[1]);
  const inSameDirection = ({ difference }: Measure) =>
    difference.change * one.difference.change <= 0 ? 1 : welchTails(difference);
  const ofAnyLength = besideRest === undefined ? own : Math.max(own, inSameDirection(besideRest));
  return {
    all: ofLength.map(inSameDirection).reduce((most, one) => Math.max(most, one), ofAnyLength),
    ofAnyLength,
  };
}

/** Returns what a row shows of a number. */
export function changeOf(
  { measure, rate }: Judged,
  match: RowMatch<SideRow>,
  { hasVerdict, judgement }: { readonly hasVerdict: boolean; readonly judgement: Judgement },
): Change {
  const { change, error, freedom } = measure.difference;
  const [before, after] = measure.samples;
  const quantile = hasVerdict ? studentQuantile(0.975, freedom) : NORMAL_QUANTILE;
  const level = judgement.level * judgement.weightOf(measure);
  return {
    before: before.mean,
    after: after.mean,
    change,
    low: change - quantile * error,
    high: change + quantile * error,
    rate,
    least: rate !== undefined && error > 0 ? leastChange(measure.difference, level) : undefined,
    verdict: rate === undefined || rate > FALSE_RATE ? "same" : verdictOf(change, match),
  };
}

function verdictOf(change: number, { before, after }: RowMatch<SideRow>): Verdict {
  if (before === undefined) return "new";
  if (after === undefined) return "gone";
  return change > 0 ? "slower" : "faster";
}
