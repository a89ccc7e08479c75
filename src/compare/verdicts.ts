import type { Change, Verdict } from "./diff-model.js";
import { type Measure, type MeasureOptions, measuresOf, type SideRow, type Ticked } from "./measures.js";
import type { RowMatch } from "./row-matches.js";
import type { Scale } from "./scales.js";
import {
  combinedTails,
  falseDiscoveryRates,
  leastChange,
  permutationTails,
  studentQuantile,
  welchTails,
} from "./statistics.js";
import { type Tested, testWeights } from "./test-weights.js";
import { isOwn, type Witnesses } from "./witnesses.js";

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
  const { usual, own, lengths } = options.witnesses;
  const inScale = (scale: Scale) => measuresOf(rows, { ...options, scale }, spread).all;
  const besideRest = usual === undefined ? undefined : inScale(usual);
  const ofOwn = own === undefined ? undefined : measuresOfOwn(rows, { ...options, scale: own.share });
  const besideOwn = own?.usual === undefined ? undefined : inScale(own.usual);
  const ofLength = lengths.map(inScale);
  const tails = measures.map((one, i) =>
    one.isTested
      ? tailsOf(one, {
          besideRest: besideRest?.[i],
          ofOwn: ofOwn?.[i],
          besideOwn: besideOwn?.[i],
          ofLength: ofLength.map((of) => of[i]!),
        })
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

/** Measures the rows of the program's own code, which say what is usual among themselves; undefined for others. */
function measuresOfOwn(rows: readonly Ticked[], options: MeasureOptions): readonly (Measure | undefined)[] {
  const own = measuresOf(rows.filter(isOwn), options).all.values();
  return rows.flatMap((row) => (isOwn(row) ? [own.next().value, own.next().value] : [undefined, undefined]));
}

/** A number in other scales; undefined where nothing is known. */
interface OtherMeasures {
  readonly besideRest: Measure | undefined;
  /** Its share of the program's own code. */
  readonly ofOwn: Measure | undefined;
  /** What it takes beside the rest of the program's own code. */
  readonly besideOwn: Measure | undefined;
  readonly ofLength: readonly Measure[];
}

/** How much more a test among all rows matters than the same test among the program's own code. */
const ALL_WEIGHT = 2;

/**
 * Returns how likely a change is. What the row takes beside the rest must have changed too, in the same
 * direction, if that is known: the shares of all others fall if one rises. For the program's own code both
 * questions are asked twice: among all rows, and among own code, which no collection of garbage disturbs.
 */
function tailsOf(one: Measure, { besideRest, ofOwn, besideOwn, ofLength }: OtherMeasures): Tails {
  const own = one.isNormal ? welchTails(one.difference) : permutationTails(one.values[0], one.values[1]);
  const inSameDirection = ({ difference }: Measure) =>
    difference.change * one.difference.change <= 0 ? 1 : welchTails(difference);
  const withOwn = (probability: number, measure: Measure | undefined) =>
    measure === undefined || ofOwn === undefined
      ? probability
      : combinedTails([
          { probability, weight: ALL_WEIGHT },
          { probability: inSameDirection(measure), weight: 1 },
        ]);
  const share = withOwn(own, ofOwn);
  const ofAnyLength =
    besideRest === undefined ? share : Math.max(share, withOwn(inSameDirection(besideRest), besideOwn));
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
