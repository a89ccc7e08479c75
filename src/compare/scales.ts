import type { RunSummary } from "./run-summary.js";

/** What numbers of a comparison are. */
export const SCALES = ["share", "cpu", "unchanged"] as const;

export type ScaleName = (typeof SCALES)[number];

/** The unit of the numbers of a comparison. */
export type Unit = "percent" | "ms" | "ms-per-unit";

/** The numbers that ticks become. */
export interface Scale {
  readonly name: ScaleName;
  readonly unit: Unit;
  /** By run of each side: what one tick is. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** What a scale is made from. */
export interface ScaleOptions {
  readonly name: ScaleName;
  /** The units of work of each run, before and after. Only with `cpu`. */
  readonly per?: readonly [number, number] | undefined;
}

/** Ticks of a function by run of each side. */
export interface RunTicks {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Sampling intervals that the log does not state are V8's default. */
const DEFAULT_INTERVAL = 1000;

/**
 * Returns the scale of a comparison: `share`, percent of the ticks of each run; `cpu`, milliseconds of each
 * run, or of each unit of work; `unchanged`, percent of a run before, if most functions take as long as they
 * did: each run is scaled by the median of its ratios to the others, so that one function that grew does not
 * make the rest look faster. Returns undefined if no function has enough ticks in all runs for that.
 *
 * Source: S. Anders and W. Huber, "Differential expression analysis for sequence count data", Genome Biology
 * 11 (2010), 2.
 */
export function scaleOf(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  rows: Iterable<RunTicks>,
  { name, per }: ScaleOptions,
): Scale | undefined {
  switch (name) {
    case "share": {
      const share = ({ ticks }: RunSummary) => (ticks > 0 ? 100 / ticks : 0);
      return { name, unit: "percent", before: before.map(share), after: after.map(share) };
    }
    case "cpu": {
      const time = (units: number) => (run: RunSummary) => (run.interval ?? DEFAULT_INTERVAL) / 1000 / units;
      const [first, second] = per ?? [1, 1];
      const unit = per === undefined ? "ms" : "ms-per-unit";
      return { name, unit, before: before.map(time(first)), after: after.map(time(second)) };
    }
    case "unchanged": {
      const sizes = runSizes(rows, before.length);
      if (sizes === undefined) return undefined;
      const scaled = before.map(({ ticks }, run) => ticks / sizes[run]!);
      const whole = scaled.reduce((sum, ticks) => sum + ticks, 0) / scaled.length;
      const factors = sizes.map((size) => 100 / (size * whole));
      return {
        name,
        unit: "percent",
        before: factors.slice(0, before.length),
        after: factors.slice(before.length),
      };
    }
  }
}

/** A scale in which a change must be seen too. */
export interface Witness {
  readonly scale: Scale;
  /** Whether it only tells what the length of the runs does. */
  readonly isOfLength: boolean;
}

/** What else must speak for a change. */
export interface Witnesses {
  readonly witnesses: readonly Witness[];
  /** How many times as long as the runs before those after are, by most code; 1 if they are about as long. */
  readonly lengthRatio: number;
}

/** Runs that differ by a smaller factor are about as long. */
const OTHER_LENGTH = 1.2;

/**
 * Returns the scales in which a change of a share must be seen too. Shares change because others do, so that
 * the time must change if most code takes as long as before: the scale `unchanged`, if enough functions have
 * ticks in all runs to know what is usual. In runs of another length, the time itself must change in the same
 * direction: what a program does once, such as its start, takes a smaller part of a longer run, and what it does
 * more seldom than the rest, such as compiling, grows less than the run does.
 */
export function witnessesOf(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  { rows, scale }: { readonly rows: readonly RunTicks[]; readonly scale: Scale },
): Witnesses {
  if (scale.name === "cpu") return { witnesses: [], lengthRatio: 1 };
  const cpu = scaleOf(before, after, rows, { name: "cpu" })!;
  const usual = usualScale(before, after, rows);
  const length = lengthOf(before, after, cpu, usual);
  const isOther = length > OTHER_LENGTH || length < 1 / OTHER_LENGTH;
  return {
    witnesses: [
      ...(scale.name === "share" && usual !== undefined ? [{ scale: usual, isOfLength: false }] : []),
      ...(isOther ? [{ scale: cpu, isOfLength: true }] : []),
    ],
    lengthRatio: isOther ? length : 1,
  };
}

/** Returns how many times as long as the runs before those after are: for most code if that is known, else for all. */
function lengthOf(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  cpu: Scale,
  usual: Scale | undefined,
): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const timeOf = (runs: readonly RunSummary[], factors: readonly number[], size?: readonly number[]) =>
    mean(runs.map(({ ticks }, run) => (size === undefined ? ticks : 1 / size[run]!) * factors[run]!));
  const [first, second] = [timeOf(before, cpu.before, usual?.before), timeOf(after, cpu.after, usual?.after)];
  return first > 0 && second > 0 ? second / first : 1;
}

/**
 * Returns the scale `unchanged`. Undefined if too few functions have ticks in all runs to know what is usual.
 */
function usualScale(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  rows: readonly RunTicks[],
): Scale | undefined {
  const isInAll = (ticks: RunTicks) =>
    [...ticks.before, ...ticks.after].every((count) => count >= LEAST_TICKS);
  if (rows.filter(isInAll).length < ENOUGH) return undefined;
  return scaleOf(before, after, rows, { name: "unchanged" });
}

/** Functions with fewer ticks in a run say little about its size. */
const SURE_TICKS = 20;
const LEAST_TICKS = 5;
/** As many functions make a median. */
const ENOUGH = 5;

/** Returns the size of each run, those before first, relative to their mean. */
function runSizes(rows: Iterable<RunTicks>, split: number): number[] | undefined {
  const all = Array.from(rows, ({ before, after }) => [...before, ...after]);
  const having = (least: number) => all.filter((ticks) => ticks.every((count) => count >= least));
  const sure = having(SURE_TICKS);
  const used = sure.length >= ENOUGH ? sure : having(LEAST_TICKS);
  const [first] = used;
  if (first === undefined) return undefined;
  const means = used.map((ticks) => {
    // Each side counts as much as the other, however many runs it has.
    const [a, b] = [ticks.slice(0, split), ticks.slice(split)];
    const log = (counts: number[]) => counts.reduce((sum, count) => sum + Math.log(count), 0) / counts.length;
    return Math.exp((log(a) + log(b)) / 2);
  });
  return first.map((_, run) => median(used.map((ticks, i) => ticks[run]! / means[i]!)));
}

/** Returns the median of numbers; 0 for none. */
export function median(numbers: readonly number[]): number {
  const sorted = Array.from(numbers).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
