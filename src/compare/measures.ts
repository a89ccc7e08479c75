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
    const { counting, mean, samples, ...raw } = rawOf(row, kind, ticks, options);
    const ratio = spread.ratioAt(mean);
    const surer = (side: 0 | 1) =>
      moderated(samples[side], {
        variance: ratio * counting[side],
        freedom: spread.freedom,
        least: counting[side],
      });
    const [before, after] = [surer(0), surer(1)];
    return {
      ...raw,
      samples: [before, after],
      difference: differenceOf(before, after),
      counting: (counting[0] + counting[1]) / 2,
    };
  };
}

/** Whether there are ticks and runs enough to test a number of a row. */
export function isTested(row: Ticked, { hasVerdict }: Pick<MeasureOptions, "hasVerdict">): boolean {
  return hasVerdict && (isLarge(row.self) || (isLarge(row.total) && !isEqual(row.self, row.total)));
}

function isLarge({ before, after }: Weights): boolean {
  const sum = before.reduce((all, count) => all + count, 0) + after.reduce((all, count) => all + count, 0);
  return sum / (before.length + after.length) >= TESTED_TICKS;
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
