import type { Profile } from "../profile/profile.js";
import { soundTimeline } from "../profile/sound-numbers.js";
import type { Micros, Ticks } from "../profile/units.js";
import { Analysis } from "./analysis.js";
import type { ProfiledFunction } from "./function-table.js";
import type { Lane } from "./lanes.js";
import { sliceAt, type ThreadTimeline } from "./thread-timelines.js";

/** What a spike is made of: one kind of V8's work, or, for `busy`, ticks of any kind. */
export type SpikeKind = "gc" | "parser" | "compiler" | "busy";

const KINDS: readonly SpikeKind[] = ["gc", "parser", "compiler", "busy"];

/** The groups of each kind: they have the same names by category and by state. */
const KIND_LANES: Readonly<Record<Exclude<SpikeKind, "busy">, readonly Lane[]>> = {
  gc: ["gc"],
  parser: ["parser"],
  compiler: ["bytecode-compiler", "compiler"],
};

/** A function and its self ticks in a spike. */
export interface SpikeFunction {
  readonly function: ProfiledFunction;
  readonly self: Ticks;
}

/** Adjacent slices that stand out. */
export interface Spike {
  readonly kind: SpikeKind;
  readonly from: Micros;
  readonly to: Micros;
  /** All ticks in it. */
  readonly ticks: Ticks;
  /** The ticks of its kind; all ticks for `busy`. */
  readonly kindTicks: Ticks;
  /**
   * The functions with most self ticks, hottest first. If none of them is JavaScript, the hottest JavaScript
   * function follows: ticks of V8's own work do not show which function caused it.
   */
  readonly functions: readonly SpikeFunction[];
}

export interface SpikeOptions {
  /** The maximum number of spikes per thread: those with most ticks of their kind. */
  readonly spikes: number;
  /** The maximum number of functions per spike. */
  readonly functions: number;
}

/** In a slice that stands out, a kind has at least this share of the ticks … */
export const LEAST_SHARE = 0.25;
/**
 * … and this many times its share in the whole thread. `busy` slices have this many times the mean ticks of
 * all slices.
 */
export const TIMES_USUAL = 2;
/** Neighbours of such a slice belong to its spike if they have this many times the usual. */
export const TIMES_NEIGHBOUR = 1.5;
/** A spike has at least this many ticks of its kind: fewer are chance. */
export const LEAST_TICKS = 10;

interface Run {
  readonly kind: SpikeKind;
  readonly first: number;
  last: number;
  kindTicks: Ticks;
  ticks: Ticks;
}

/**
 * Returns the spikes of each thread, in order of time. A slice stands out for garbage collection, parsing or
 * compiling if that has at least {@link LEAST_SHARE} of its ticks and {@link TIMES_USUAL} times its share in
 * the whole thread. It stands out as busy if it has {@link TIMES_USUAL} times the mean ticks of a slice.
 * Together with neighbours that have {@link TIMES_NEIGHBOUR} times the usual, it is a spike if it has at
 * least {@link LEAST_TICKS} ticks of its kind.
 */
export function spikesOf(
  profile: Profile,
  threads: readonly ThreadTimeline[],
  options: SpikeOptions,
): Spike[][] {
  const runs = threads.map((thread) => keepLargest(runsOf(thread), options.spikes));
  const functions = busiestFunctions(profile, threads, runs, options.functions);
  return threads.map(({ start, width }, thread) =>
    runs[thread]!.map(({ kind, first, last, kindTicks, ticks }, i) => ({
      kind,
      from: start + first * width,
      to: start + (last + 1) * width,
      ticks,
      kindTicks,
      functions: functions[thread]![i]!,
    })),
  );
}

function runsOf(thread: ThreadTimeline): Run[] {
  const { sliceTicks, count } = thread;
  return KINDS.flatMap((kind) => {
    const kindTicks = kind === "busy" ? sliceTicks : ticksIn(thread, KIND_LANES[kind]);
    const times = kind === "busy" ? timesMean(thread) : timesShare(thread, kindTicks);
    const runs: (Run & { isSpike: boolean })[] = [];
    for (let slice = 0; slice < count; slice++) {
      const { usual, isEnough } = times(slice);
      if (!(usual >= TIMES_NEIGHBOUR)) continue;
      let run = runs.at(-1);
      if (run === undefined || run.last !== slice - 1) {
        run = { kind, first: slice, last: slice, kindTicks: 0, ticks: 0, isSpike: false };
        runs.push(run);
      }
      run.last = slice;
      run.kindTicks += kindTicks[slice]!;
      run.ticks += sliceTicks[slice]!;
      if (usual >= TIMES_USUAL && isEnough) run.isSpike = true;
    }
    return runs.filter((run) => run.isSpike && run.kindTicks >= LEAST_TICKS);
  });
}

/** Returns the ticks of each slice in some groups. */
function ticksIn({ lanes, count }: ThreadTimeline, names: readonly Lane[]): Float64Array {
  const sum = new Float64Array(count);
  for (const name of names) {
    const ticks = lanes.get(name)!;
    for (let slice = 0; slice < count; slice++) sum[slice]! += ticks[slice]!;
  }
  return sum;
}

/** Returns how many times the usual a slice has, and whether that is enough to stand out. */
type Measure = (slice: number) => { readonly usual: number; readonly isEnough: boolean };

function timesMean({ sliceTicks, ticks, count }: ThreadTimeline): Measure {
  return (slice) => ({ usual: (sliceTicks[slice]! * count) / ticks, isEnough: true });
}

function timesShare({ sliceTicks, ticks }: ThreadTimeline, kindTicks: Float64Array): Measure {
  const whole = kindTicks.reduce((sum, number) => sum + number, 0);
  return (slice) => ({
    usual: (kindTicks[slice]! * ticks) / (sliceTicks[slice]! * whole),
    isEnough: kindTicks[slice]! >= LEAST_SHARE * sliceTicks[slice]!,
  });
}

function keepLargest(runs: readonly Run[], most: number): Run[] {
  const byKind = (a: Run, b: Run) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind);
  return runs
    .toSorted((a, b) => b.kindTicks - a.kindTicks || a.first - b.first || byKind(a, b))
    .slice(0, most)
    .sort((a, b) => a.first - b.first || byKind(a, b));
}

/** Returns, by thread and spike, the functions with most self ticks, in one pass over the timeline. */
function busiestFunctions(
  profile: Profile,
  threads: readonly ThreadTimeline[],
  runs: readonly (readonly Run[])[],
  most: number,
): SpikeFunction[][][] {
  const { table, tree, samples, timeline } = Analysis.of(profile);
  const self = runs.map((ofThread) => ofThread.map(() => new Map<number, Ticks>()));
  const byThread = new Map(threads.map((thread, i) => [thread.thread, i]));
  // By thread and slice: the spikes that contain it.
  const holding = threads.map(({ count }, thread) =>
    Array.from({ length: count }, (_, slice) =>
      runs[thread]!.flatMap(({ first, last }, i) => (first <= slice && slice <= last ? [i] : [])),
    ),
  );
  const times = timeline && soundTimeline(timeline);
  const length = runs.some((ofThread) => ofThread.length > 0) ? (times?.length ?? 0) : 0;
  for (let i = 0; i < length; i++) {
    const sample = times!.sample[i]!;
    const thread = byThread.get(samples.thread[sample]!)!;
    const spikes = holding[thread]![sliceAt(threads[thread]!, times!.timestamp[i]!)]!;
    if (spikes.length === 0) continue;
    const id = table.ofFrame[tree.frame[samples.node[sample]!]!]!;
    for (const spike of spikes) {
      const ticks = self[thread]![spike]!;
      ticks.set(id, (ticks.get(id) ?? 0) + 1);
    }
  }
  return self.map((ofThread) =>
    ofThread.map((ticks) => {
      const all = Array.from(ticks)
        .sort(([a, x], [b, y]) => y - x || a - b)
        .map(([id, self]) => ({ function: table.functions[id]!, self }));
      const busiest = all.slice(0, most);
      if (busiest.some(isJavaScript)) return busiest;
      return [...busiest, ...all.filter(isJavaScript).slice(0, 1)];
    }),
  );
}

function isJavaScript({ function: { frame } }: SpikeFunction): boolean {
  return frame.kind === "js";
}
