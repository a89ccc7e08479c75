import type { Change, PerRun, RunAmount, Unsettled, Verdict } from "./diff-model.js";
import type { Evidence } from "./evidence.js";
import { loadedDifferences } from "./loaded-times.js";
import {
  isOfMemory,
  isOwn,
  isTested,
  type Measure,
  type MeasureOptions,
  type Measurer,
  measurerOf,
  measuresOf,
  type SideRow,
  type Ticked,
  usualSpread,
} from "./measures.js";
import type { RowMatch } from "./row-matches.js";
import type { Scale } from "./scales.js";
import {
  combinedTails,
  type Difference,
  falseDiscoveryRates,
  leastChange,
  permutationTails,
  sampleOf,
  studentQuantile,
  welchTails,
} from "./statistics.js";
import { type Tested, testWeights } from "./test-weights.js";

/** The false discovery rate up to which a change of time counts. */
export const FALSE_RATE = 0.05;
/** That up to which a change of memory counts: sizes are so sure that real changes hardly need more. */
const FALSE_RATE_OF_MEMORY = 0.01;

/** Returns the false discovery rate up to which a change counts. */
export function falseRateOf(sides: MeasureOptions["sides"]): number {
  return isOfMemory(sides) ? FALSE_RATE_OF_MEMORY : FALSE_RATE;
}

/** Shares of one run a side that differ by fewer points may do so by chance: runs of the same code do. */
export const ALMOST_SURE = 20;
/** The normal distribution has 95 % within this many standard errors. */
export const NORMAL_QUANTILE = 1.959964;

/** What is less likely by chance speaks for a change. */
const SURE = 0.05;

/** A number of a row, measured and judged. */
export interface Judged {
  readonly measure: Measure;
  /** What it is in one run. */
  readonly perRun: Measure;
  /** How likely its change is if nothing changed; undefined if it is not tested. */
  readonly tails: Tails | undefined;
  /** The false discovery rate at which the change counts; undefined if it is not tested. */
  readonly rate: number | undefined;
  /** Whether it has no rate that counts only because the length of the runs may be the reason. */
  readonly isByLength: boolean;
}

/** How likely a change is if nothing changed, on either side. */
interface Tails {
  /** If it has all reasons to be one. */
  readonly all: number;
  /** If the length of the runs is none. */
  readonly ofAnyLength: number;
  /** If nothing but its own number counts. */
  readonly alone: number;
}

/** What {@link judge} judges by. */
interface JudgeOptions extends MeasureOptions {
  /** The scale of what a row takes in one run. */
  readonly perRun: Scale;
  readonly evidence: Evidence;
  /** The scale whose spread is that of what rows take beside the rest: shares, which a busy machine disturbs least. */
  readonly shares: Scale;
  /**
   * Whether own code of the program is judged by what it takes beside the rest, if that is known: whole runs take about as long, and what
   * makes all code of one run slower says nothing of it. Undefined where no time is judged.
   */
  readonly isSteadied?: boolean | undefined;
  /** Whether whole runs surely take another amount. */
  readonly isWholeSure: boolean | undefined;
}

/** Both numbers of a row. */
interface JudgedRow {
  readonly self: Judged;
  readonly total: Judged;
}

/** All numbers of a comparison. */
export interface Judgement {
  /** Returns the numbers of a row. Those without a test are made anew: there can be very many. */
  readonly ofRow: (row: Ticked) => JudgedRow;
  readonly measure: Measurer;
  readonly tested: readonly JudgedRow[];
  readonly tests: number;
  /** Whether a change counts at a false discovery rate; undefined if it is not tested. */
  readonly isFound: (rate: number | undefined) => boolean;
  /** The largest probability at which a number of weight 1 counts. */
  readonly level: number;
  readonly weightOf: (tested: Tested) => number;
  /** No number is larger. */
  readonly most: number;
  /** How many rows have no verdict only because the lengths of the runs may be the reason. */
  readonly changedByLength: number;
  /** Whether what a row takes in one run is judged, and no share. */
  readonly isByRun: boolean;
}

/** Returns the judgement on what rows take in one run, with the shares that are shown beside it. */
export function withShares(ofRuns: Judgement, shares: Judgement): Judgement {
  const shown = (judged: Judged, { measure }: Judged): Judged => ({ ...judged, measure });
  return {
    ...ofRuns,
    measure: shares.measure,
    most: shares.most,
    isByRun: true,
    ofRow(row) {
      const [own, share] = [ofRuns.ofRow(row), shares.ofRow(row)];
      return { self: shown(own.self, share.self), total: shown(own.total, share.total) };
    },
  };
}

/** Tests and judges all numbers of the rows. */
export function judge(all: readonly Ticked[], options: JudgeOptions): Judgement {
  // Of hundreds of thousands of functions few have the ticks to be tested.
  const rows = all.filter((row) => isTested(row, options));
  const spread = usualSpread(rows, options);
  const measurer = measurerOf(options, spread);
  /** Time spreads more than shares do: what one run takes longer, all its code does. */
  const ownMeasurer = (scale: Scale) => {
    const scaled = { ...options, scale };
    return measurerOf(scaled, usualSpread(rows, scaled));
  };
  const perRunMeasurer = ownMeasurer(options.perRun);
  const { usual, own, lengths } = options.evidence;
  const measures = measuresOf(rows, measurer);
  const ofShares =
    options.shares === options.scale ? spread : usualSpread(rows, { ...options, scale: options.shares });
  const inScale = (scale: Scale) => measuresOf(rows, measurerOf({ ...options, scale }, ofShares));
  const besideRest = usual === undefined ? undefined : inScale(usual);
  const ofOwn = own === undefined ? undefined : measuresOfOwn(rows, { ...options, scale: own.share });
  const besideOwn = own?.usual === undefined ? undefined : inScale(own.usual);
  const ofLength = lengths.map((scale) => measuresOf(rows, ownMeasurer(scale)));
  const isByTime = options.isSteadied !== undefined;
  const loaded = isByTime && usual !== undefined ? loadedDifferences(rows, usual) : undefined;
  const steadied = options.isSteadied ? steadiedBy(besideRest, usual, loaded) : () => undefined;
  const isSteady = (i: number) => i % 2 === 0 && isOwn(rows[i >> 1]!);
  const perRun = measuresOf(rows, perRunMeasurer).map(
    (one, i) => (isSteady(i) ? steadied(one, i) : undefined) ?? one,
  );
  const along = options.scale.name === "share" ? inScale(options.perRun) : undefined;
  const isMemory = isOfMemory(options.sides);
  const tails = measures.map((one, i): Tails | undefined => {
    if (!one.isTested) return undefined;
    if (isMemory && i % 2 === 0 && isMoved(one, measures[i + 1]!))
      return { all: 1, ofAnyLength: 1, alone: 1 };
    if (options.isSteadied && besideRest !== undefined && isSteady(i))
      return tailsBeside(one, besideRest[i]!, loaded?.[i >> 1]);
    return tailsOf(one, {
      besideRest: besideRest?.[i],
      loaded: isSteady(i) ? loaded?.[i >> 1] : undefined,
      ofOwn: ofOwn?.[i],
      besideOwn: besideOwn?.[i],
      ofLength: ofLength.map((of) => of[i]!),
      perRun: along?.[i],
    });
  });
  const tested = measures.flatMap((measure, i) =>
    tails[i] === undefined ? [] : [{ measure, tails: tails[i] }],
  );
  // Beside a large change the shares and times of all other code move: none is more sure there than before.
  const weightOf = testWeights(
    tested.map(({ measure }) => measure),
    { isOwnFirst: options.isSteadied ?? isMemory },
  );
  const weights = tested.map(({ measure }) => weightOf(measure));
  const ratesOf = (probability: (of: Tails) => number) => {
    const rates = falseDiscoveryRates(
      tested.map(({ tails }) => probability(tails)),
      weights,
    ).values();
    return tails.map((of) => (of === undefined ? undefined : rates.next().value));
  };
  const falseRate = falseRateOf(options.sides);
  const isFound = (rate: number | undefined) => rate !== undefined && rate <= falseRate;
  const known = ratesOf(({ all }) => all);
  // A frame that V8 inlines has all that it calls in one run and nothing of it in another: totals alone prove no change.
  const isTotalKnown =
    !isMemory || options.isWholeSure === true || known.some((rate, i) => i % 2 === 0 && isFound(rate));
  const rates = isTotalKnown
    ? known
    : known.map((rate, i) => (i % 2 === 0 ? rate : rate === undefined ? undefined : 1));
  const ofAnyLength = lengths.length === 0 ? rates : ratesOf((of) => of.ofAnyLength);
  const found = rates.filter(isFound).length;
  // The total of a row that calls nothing is its self.
  const shown = rates.map((rate, i) =>
    i % 2 === 1 && rate === undefined && measures[i]!.share === measures[i - 1]!.share ? rates[i - 1] : rate,
  );
  const judged = measures.map(
    (measure, i): Judged => ({
      measure,
      perRun: perRun[i]!,
      tails: tails[i],
      rate: shown[i],
      isByLength: isFound(ofAnyLength[i]) && !isFound(rates[i]),
    }),
  );
  const ofRow = new Map(rows.map((row, i) => [row, { self: judged[2 * i]!, total: judged[2 * i + 1]! }]));
  const untested = (row: Ticked, kind: Measure["kind"]): Judged => ({
    measure: measurer(row, kind),
    perRun: perRunMeasurer(row, kind),
    tails: undefined,
    rate: undefined,
    isByLength: false,
  });
  return {
    measure: measurer,
    ofRow: (row) => ofRow.get(row) ?? { self: untested(row, "self"), total: untested(row, "total") },
    tested: Array.from(ofRow.values()),
    tests: tested.length,
    isFound,
    level: (falseRate * Math.max(1, found)) / Math.max(1, tested.length),
    weightOf,
    most: options.scale.name === "share" ? 100 : Number.POSITIVE_INFINITY,
    changedByLength: lengths.length === 0 ? 0 : rowsFoundOnlyBy([ofAnyLength, rates], isFound),
    isByRun: false,
  };
}

/** Returns how many rows have a number that counts by the first rates, and none that counts by the second. */
function rowsFoundOnlyBy(
  [rates, others]: readonly [readonly (number | undefined)[], readonly (number | undefined)[]],
  isFound: Judgement["isFound"],
): number {
  const rowsOf = (all: readonly (number | undefined)[]) =>
    new Set(all.flatMap((rate, i) => (isFound(rate) ? [i >> 1] : [])));
  const known = rowsOf(others);
  return Array.from(rowsOf(rates)).filter((row) => !known.has(row)).length;
}

/** Measures the rows of the program's own code, which say what is usual among themselves; undefined for others. */
function measuresOfOwn(rows: readonly Ticked[], options: MeasureOptions): readonly (Measure | undefined)[] {
  const ofOwn = rows.filter(isOwn);
  const own = measuresOf(ofOwn, measurerOf(options, usualSpread(ofOwn, options))).values();
  return rows.flatMap((row) => (isOwn(row) ? [own.next().value, own.next().value] : [undefined, undefined]));
}

/** A number in other scales; undefined where nothing is known. */
interface OtherMeasures {
  readonly besideRest: Measure | undefined;
  /** Its change beside the load of each run, as a logarithm. */
  readonly loaded: Difference | undefined;
  /** Its share of the program's own code. */
  readonly ofOwn: Measure | undefined;
  /** What it takes beside the rest of the program's own code. */
  readonly besideOwn: Measure | undefined;
  readonly ofLength: readonly Measure[];
  /** What it takes in one run; undefined if that need not speak for the change. */
  readonly perRun: Measure | undefined;
}

/** How much more a test among all rows matters than the same test among the program's own code. */
const ALL_WEIGHT = 2;

/**
 * Returns how likely a change is. What the row takes beside the rest must have changed too, in the same
 * direction, if that is known: the shares of all others fall if one rises. For the program's own code both
 * questions are asked twice: among all rows, and among own code, which no collection of garbage disturbs.
 */
function tailsOf(
  one: Measure,
  { besideRest, loaded, ofOwn, besideOwn, ofLength, perRun }: OtherMeasures,
): Tails {
  const alone = one.isNormal ? welchTails(one.difference) : permutationTails(one.values[0], one.values[1]);
  const isSame = (difference: Difference) =>
    difference.change * one.difference.change <= 0 ? 1 : welchTails(difference);
  const inSameDirection = ({ difference }: Measure) => isSame(difference);
  const withOwn = (probability: number, measure: Measure | undefined) =>
    measure === undefined || ofOwn === undefined
      ? probability
      : combinedTails([
          { probability, weight: ALL_WEIGHT },
          { probability: inSameDirection(measure), weight: 1 },
        ]);
  const share = withOwn(alone, ofOwn);
  const besides = Math.max(
    share,
    besideRest === undefined ? 0 : withOwn(inSameDirection(besideRest), besideOwn),
    loaded === undefined ? 0 : isSame(loaded),
  );
  // A share that grows while the row takes no longer is what the others left.
  const isLeft = perRun !== undefined && !isAlong(perRun.difference, one.difference);
  const all = isLeft ? 1 : ofLength.map(inSameDirection).reduce((most, one) => Math.max(most, one), besides);
  // One scale alone does not tell runs that do more work from runs in which much changed.
  return { all, ofAnyLength: ofLength.length > 1 ? besides : all, alone };
}

/**
 * Returns how likely it is that a number changes so much beside the rest, and the load of its runs if that is known; what it takes in one
 * run must have changed along.
 */
function tailsBeside(one: Measure, beside: Measure, loaded: Difference | undefined): Tails {
  const { values } = beside;
  const difference = loaded ?? beside.difference;
  const isNormal = loaded !== undefined || beside.isNormal;
  const probability = isNormal ? welchTails(difference) : permutationTails(values[0], values[1]);
  const all = isAlong(one.difference, difference) ? probability : 1;
  return { all, ofAnyLength: all, alone: welchTails(one.difference) };
}

/** Returns what gives a number the spread that it has beside the rest, in its own unit; `loaded` are logarithms, by row. */
function steadiedBy(
  besideRest: readonly Measure[] | undefined,
  usual: Scale | undefined,
  loaded: readonly (Difference | undefined)[] | undefined,
) {
  if (besideRest === undefined || usual === undefined) return () => undefined;
  const unit = sampleOf([...usual.before, ...usual.after]).mean;
  return (one: Measure, i: number): Measure => {
    const { samples, difference } = one;
    const beside = besideRest[i]!.difference;
    const { error, freedom } = loaded?.[i >> 1] ?? { error: beside.error / unit, freedom: beside.freedom };
    const size = loaded?.[i >> 1] === undefined ? 1 : (samples[0].mean + samples[1].mean) / 2;
    return { ...one, difference: { change: difference.change, error: error * size, freedom } };
  };
}

/**
 * Whether what a row allocates itself changed only because V8 inlined what it calls, or no longer did: its total would show more of the
 * change than it does.
 */
function isMoved({ difference: { change } }: Measure, { difference: total }: Measure): boolean {
  return Math.abs(change) > 2 * total.error && total.change * Math.sign(change) < Math.abs(change) / 2;
}

/** Whether a change is in the same direction as another one, by as much at least as its standard error. */
function isAlong({ change, error }: Difference, other: Difference): boolean {
  return change * other.change > 0 && Math.abs(change) >= error;
}

/** Returns what a number is in one run. */
export function runAmountOf({ perRun: { samples, difference } }: Judged, hasVerdict: boolean): RunAmount {
  const { change, error, freedom } = difference;
  const half = (hasVerdict ? studentQuantile(0.975, freedom) : NORMAL_QUANTILE) * error;
  const before = samples[0].mean;
  return {
    before,
    after: samples[1].mean,
    change,
    low: Math.max(change - half, -before),
    high: change + half,
  };
}

/** Returns why a row has no verdict though an interval of its change leaves out 0; undefined if none does. */
export function unsettledOf(
  of: Judged,
  change: Pick<Change, "low" | "high">,
  { amount, isByRun }: { readonly amount: RunAmount; readonly isByRun: boolean },
): Unsettled | undefined {
  const leavesOut = ({ low, high }: Pick<Change, "low" | "high">) => low > 0 || high < 0;
  if (of.isByLength) return "length";
  if (!leavesOut(change) && !leavesOut(amount)) return undefined;
  if (of.tails === undefined) return of.measure.isTested || of.measure.isRepeated ? undefined : "few";
  if (!of.measure.isNormal) return "few";
  if (isByRun && !leavesOut(amount)) return "rest";
  if (isByRun) return of.tails.alone < of.tails.all && of.tails.all > SURE ? "whole" : "many";
  if (!leavesOut(change)) return "whole";
  // Alone it would count: something else speaks against it.
  return of.tails.alone < of.tails.all && of.tails.all > SURE ? "rest" : "many";
}

/** What {@link changeOf} needs to know of the comparison. */
interface ChangeOptions {
  readonly hasVerdict: boolean;
  /** Whether a run does not tell how many samples it has. */
  readonly isCountUnknown: boolean;
  readonly judgement: Judgement;
  /** What a run takes. */
  readonly whole: Pick<PerRun, "before" | "change">;
}

/**
 * Whether a share may have changed only because the rest did: it rose in a run that takes far less, or the other way
 * round. One run a side cannot tell that from a change.
 */
export function isOfRest(
  change: number,
  { before, after }: Pick<RowMatch<SideRow>, "before" | "after">,
  whole: ChangeOptions["whole"],
): boolean {
  const isOther = Math.abs(whole.change) >= (ALMOST_SURE / 100) * whole.before;
  return isOther && before !== undefined && after !== undefined && change * whole.change < 0;
}

/** Returns what a row shows of a number. */
export function changeOf(
  { measure, perRun, rate }: Judged,
  match: RowMatch<SideRow>,
  { hasVerdict, isCountUnknown, judgement, whole }: ChangeOptions,
): Change {
  const { change, error, freedom } = measure.difference;
  const judged = judgement.isByRun ? perRun.difference : measure.difference;
  const [before, after] = measure.samples;
  const quantile = hasVerdict ? studentQuantile(0.975, freedom) : NORMAL_QUANTILE;
  const level = judgement.level * judgement.weightOf(measure);
  const half = quantile * error;
  // No share is below 0 or above 100, no time below 0.
  const most = judgement.most - before.mean;
  return {
    before: before.mean,
    after: after.mean,
    change,
    low: Math.max(change - half, -before.mean),
    high: Math.max(change, Math.min(change + half, most)),
    rate,
    least: rate !== undefined && error > 0 ? leastChange(measure.difference, level) : undefined,
    verdict: judgement.isFound(rate) && isApartFromNothing(judged) ? verdictOf(judged.change, match) : "same",
    isAlmostSure:
      !hasVerdict &&
      !isCountUnknown &&
      judgement.most === 100 &&
      Math.abs(change) >= ALMOST_SURE &&
      Math.abs(change) > quantile * error &&
      !isOfRest(change, match, whole),
  };
}

/** Whether the 95 % interval of a change does not hold 0. */
function isApartFromNothing({ change, error, freedom }: Difference): boolean {
  return Math.abs(change) > studentQuantile(0.975, freedom) * error;
}

function verdictOf(change: number, { before, after }: RowMatch<SideRow>): Verdict {
  if (before === undefined) return "new";
  if (after === undefined) return "gone";
  return change > 0 ? "slower" : "faster";
}
