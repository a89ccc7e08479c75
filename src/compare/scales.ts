import type { RunSummary } from "./run-summary.js";

/** What numbers of a comparison are. */
export const SCALES = ["share", "cpu", "unchanged"] as const;

export type ScaleName = (typeof SCALES)[number];

/** The unit of the numbers of a comparison. */
export type Unit = "percent" | "ms" | "ms-per-unit" | MemoryScaleUnit;

/** What runs are compared by if their samples weigh memory. */
export type MemoryScaleUnit = "bytes" | "objects" | "bytes-per-unit" | "objects-per-unit";

export type RunUnit = "ticks" | "ms" | "ms-per-unit" | MemoryScaleUnit;

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

/**
 * Sides whose sampling intervals differ by more than this factor are compared by time: their ticks do not compare. A busy
 * machine makes the measured interval longer too, and then a tick less is no CPU time less, as the CPU time shows where it was measured.
 */
const SAME_INTERVAL = 1.8;

function isAlike(first: number, second: number): boolean {
  return Math.max(first, second) <= SAME_INTERVAL * Math.min(first, second);
}

/** Whether ticks of the sides stand for about as much of the measured CPU time: then longer intervals were waits for a CPU. */
function areTicksAlike(before: readonly RunSummary[], after: readonly RunSummary[]): boolean {
  if ([...before, ...after].some(({ cpu, ticks }) => cpu === undefined || ticks === 0)) return false;
  const perTick = ({ cpu, ticks }: RunSummary) => cpu!.all / ticks;
  return isAlike(median(before.map(perTick)), median(after.map(perTick)));
}

/** What a run, or a unit of its work, takes. */
export interface RunScale {
  readonly unit: RunUnit;
  readonly scale: Scale;
}

/**
 * Returns what a run takes: ticks, or milliseconds if the sampling intervals of the sides differ, or samples have times; bytes or objects
 * if they weigh memory. `per`: the units of work of each run of the sides, for memory.
 */
export function perRunScale(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  per?: readonly [number, number],
): RunScale {
  const of = [...before, ...after].find(({ memory }) => memory !== undefined)?.memory?.of;
  if (of !== undefined) {
    const unit = per === undefined ? of : (`${of}-per-unit` as const);
    const sizes = (runs: readonly RunSummary[], units = 1) =>
      runs.map(({ memory }) => (memory?.tick ?? 1) / units);
    const scale = { unit, before: sizes(before, per?.[0]), after: sizes(after, per?.[1]) };
    return { unit, scale: { ...scale, name: "cpu" } };
  }
  const cpu = scaleOf(before, after, [], { name: "cpu" })!;
  const [first, second] = [median(cpu.before), median(cpu.after)];
  // Samples that weigh their time are times.
  if ([...before, ...after].some(({ tickTime }) => tickTime !== undefined)) return { unit: "ms", scale: cpu };
  if (!isAlike(first, second) && !areTicksAlike(before, after)) return { unit: "ms", scale: cpu };
  const ones = (runs: readonly RunSummary[]) => runs.map(() => 1);
  return { unit: "ticks", scale: { ...cpu, before: ones(before), after: ones(after) } };
}

/** Functions with fewer ticks in a run say little about its size. */
const SURE_TICKS = 20;
export const LEAST_TICKS = 5;
/** As many functions make a median. */
export const ENOUGH = 5;

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
