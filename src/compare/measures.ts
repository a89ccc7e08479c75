import type { Ticks } from "../profile/units.js";
import type { DiffRow } from "./diff-model.js";
import type { RowMatch } from "./row-matches.js";
import type { RowName } from "./run-groups.js";
import type { RunRow, RunSummary } from "./run-summary.js";
import { median, type Scale } from "./scales.js";
import { type Difference, differenceOf, moderated, type Sample, sampleOf } from "./statistics.js";
import { variancePrior, varianceTrend } from "./variance-prior.js";

/** Rows with fewer ticks in the mean of all runs are not tested: hardly any change of theirs could be seen. */
export const TESTED_TICKS = 5;
/** Numbers of fewer ticks are not distributed normally. */
const NORMAL_TICKS = 10;

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

/** A number of a row in one scale, before and after. */
export interface Measure {
  readonly kind: "self" | "total";
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

/** All rows in one scale. */
export interface Measures {
  /** Self and total of each row follow each other. */
  readonly all: readonly Measure[];
  readonly spread: UsualSpread;
}

/** Measures all rows in one scale. What is usual is taken from these rows in this scale, if it is not given. */
export function measuresOf(rows: readonly Ticked[], options: MeasureOptions, usual?: UsualSpread): Measures {
  const ticks = options.sides.flat().reduce((sum, run) => sum + run.ticks, 0);
  const raw = rows.flatMap((row) => [
    rawOf(row, "self", ticks, options),
    rawOf(row, "total", ticks, options),
  ]);
  const spread = usual ?? usualSpread(raw, options);
  const all = raw.map(
    ({ kind, share, values, samples, counting, mean, isRepeated, isTested, isNormal }): Measure => {
      const ratio = spread.ratioAt(mean);
      const surer = (side: 0 | 1) =>
        moderated(samples[side], {
          variance: ratio * counting[side],
          freedom: spread.freedom,
          least: counting[side],
        });
      const [before, after] = [surer(0), surer(1)];
      return {
        kind,
        share,
        values,
        samples: [before, after],
        difference: differenceOf(before, after),
        counting: (counting[0] + counting[1]) / 2,
        isRepeated,
        isTested,
        isNormal,
      };
    },
  );
  return { all, spread };
}

/** A number before it is known what is usual. */
interface Raw extends Omit<Measure, "difference" | "counting"> {
  /** By side: the variance that counting alone causes in one run. */
  readonly counting: readonly [number, number];
  /** The mean of all runs. */
  readonly mean: Ticks;
}

function rawOf(
  { self, total, runs }: Ticked,
  kind: Measure["kind"],
  allTicks: Ticks,
  { sides, scale, hasVerdict }: MeasureOptions,
): Raw {
  const ticks = kind === "self" ? self : total;
  const all = [...ticks.before, ...ticks.after];
  const sum = all.reduce((whole, count) => whole + count, 0);
  const share = allTicks > 0 ? Math.min(1, sum / allTicks) : 0;
  const valuesOf = (side: "before" | "after") => ticks[side].map((count, run) => count * scale[side][run]!);
  const values = [valuesOf("before"), valuesOf("after")] as const;
  const effectOf = (side: "before" | "after") =>
    median(runs[side].flatMap((row) => (kind === "self" ? row?.selfEffect : row?.totalEffect) ?? []));
  const countingOf = (side: "before" | "after") => {
    const of = sides[side === "before" ? 0 : 1];
    const spreads = of.map((run, i) => run.ticks * share * (1 - share) * scale[side][i]! ** 2);
    const mean = spreads.reduce((whole, one) => whole + one, 0) / of.length;
    // The times of ticks tell how much surer many ticks are than one; with several runs, these tell.
    return mean * Math.max(1, hasVerdict ? 1 : effectOf(side));
  };
  const mean = sum / all.length;
  const isRepeated = kind === "total" && isEqual(self, total);
  return {
    kind,
    share,
    values,
    samples: [sampleOf(values[0]), sampleOf(values[1])],
    counting: [countingOf("before"), countingOf("after")],
    mean,
    isRepeated,
    isTested: hasVerdict && mean >= TESTED_TICKS && !isRepeated,
    isNormal: mean >= NORMAL_TICKS,
  };
}

/** What all rows together say about the spread of one. */
export interface UsualSpread {
  /** How many degrees of freedom it is worth. */
  readonly freedom: number;
  /** The usual variance of a row with so many ticks, relative to what counting alone causes. */
  readonly ratioAt: (ticks: Ticks) => number;
}

function usualSpread(raw: readonly Raw[], { sides }: MeasureOptions): UsualSpread {
  const freedom = sides.reduce((sum, { length }) => sum + length - 1, 0);
  const used = raw.filter(({ isTested, isNormal, counting }) => isTested && isNormal && counting[0] > 0);
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
