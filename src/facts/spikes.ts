import { columnOf } from "../base/columns.js";
import { addTo } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { CATEGORIES, type Category, type GroupName } from "../profile/categories.js";
import { clampedTimeline } from "../profile/clamped-numbers.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import { categories } from "./breakdown.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
import { innermostTicks } from "./innermost-ticks.js";
import { appFunctions, programFunctions } from "./program-frames.js";
import { inSlices, type ThreadTimeline } from "./thread-timelines.js";

/** What a spike is made of: one kind of V8's work, or, for `busy`, ticks of any kind. */
export type SpikeKind = "gc" | "parser" | "compiler" | "busy";

const KINDS: readonly SpikeKind[] = ["gc", "parser", "compiler", "busy"];

/** A function and its self ticks in a spike. */
interface SpikeFunction {
  readonly function: ProfiledFunction;
  readonly self: Ticks;
}

/** A function of the program, and the ticks in a spike of which it is the innermost function of the program. */
interface SpikeCaller {
  readonly function: ProfiledFunction;
  readonly ticks: Ticks;
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
  /** The functions of the program with most ticks, including all that they call of others. */
  readonly program: readonly SpikeCaller[];
  /** How many more such functions have ticks. */
  readonly otherCallers: number;
  /** The ticks of all of them. */
  readonly inProgram: Ticks;
  /** What most of the other ticks were doing; undefined if there are none. */
  readonly outside: Category | undefined;
}

interface SpikeOptions {
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
      ...functions[thread]![i]!,
    })),
  );
}

function runsOf(thread: ThreadTimeline): Run[] {
  const { sliceTicks, count } = thread;
  return KINDS.flatMap((kind) => {
    const kindTicks = kind === "busy" ? sliceTicks : ticksIn(thread, groupsOfKind(kind));
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

/** Returns the groups of a kind of spikes: they have the same names by category and by state. */
function groupsOfKind(kind: SpikeKind): GroupName[] {
  return CATEGORIES.flatMap(({ category, spike }) => (spike === kind ? [category] : []));
}

/** Returns the ticks of each slice in some groups. */
function ticksIn({ lanes, count }: ThreadTimeline, names: readonly GroupName[]): Float64Array {
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

type SpikeFunctions = Pick<Spike, "functions" | "program" | "otherCallers" | "inProgram" | "outside">;

/** Returns, by thread and spike, the functions with most ticks, in one pass over the timeline. */
function busiestFunctions(
  profile: Profile,
  threads: readonly ThreadTimeline[],
  runs: readonly (readonly Run[])[],
  most: number,
): SpikeFunctions[][] {
  const { table, tree, samples, timeline, info } = Analysis.of(profile);
  const hasSpikes = runs.some((ofThread) => ofThread.length > 0);
  const callers = hasSpikes ? callersIn(profile, table) : new Int32Array(0);
  const doing = hasSpikes ? categories(profile) : new Uint8Array(0);
  const counts = () => runs.map((ofThread) => ofThread.map(() => new Map<number, Ticks>()));
  const [self, called, outside] = [counts(), counts(), counts()];
  const byThread = new Map(threads.map((thread, i) => [thread.thread, i]));
  // By thread and slice: the spikes that contain it.
  const holding = threads.map(({ count }, thread) =>
    Array.from({ length: count }, (_, slice) =>
      runs[thread]!.flatMap(({ first, last }, i) => (first <= slice && slice <= last ? [i] : [])),
    ),
  );
  const times = timeline && clampedTimeline(timeline);
  const length = hasSpikes ? (times?.length ?? 0) : 0;
  for (let i = 0; i < length; i++) {
    const sample = times!.sample[i]!;
    const thread = byThread.get(samples.thread[sample]!)!;
    const ticks = times!.ticks?.[i] ?? 1;
    const time = times!.ticks === undefined ? 0 : ticks * (info.tickTime ?? 0);
    inSlices(threads[thread]!, { moment: times!.timestamp[i]!, ticks, time }, (slice, part) => {
      const spikes = holding[thread]![slice]!;
      if (spikes.length === 0) return;
      const id = table.ofFrame[tree.frame[samples.node[sample]!]!]!;
      const caller = callers[sample]!;
      for (const spike of spikes) {
        addTo(self[thread]![spike]!, id, part);
        if (caller >= 0) addTo(called[thread]![spike]!, caller, part);
        else addTo(outside[thread]![spike]!, doing[sample]!, part);
      }
    });
  }
  return self.map((ofThread, thread) =>
    ofThread.map((ticks, spike) => {
      const all = ranked(ticks).map(([id, self]) => ({ function: table.functions[id]!, self }));
      const busiest = all.slice(0, most);
      const functions = busiest.some(isJavaScript)
        ? busiest
        : [...busiest, ...all.filter(isJavaScript).slice(0, 1)];
      const program = ranked(called[thread]![spike]!);
      return {
        functions,
        program: program.slice(0, most).map(([id, ticks]) => ({ function: table.functions[id]!, ticks })),
        otherCallers: Math.max(0, program.length - most),
        outside: CATEGORIES[ranked(outside[thread]![spike]!)[0]?.[0] ?? -1]?.category,
        inProgram: program.reduce((sum, [, ticks]) => sum + ticks, 0),
      };
    }),
  );
}

/** Returns, by sample, the innermost function of the program itself in its stack, else that of a package; -1 for none. */
function callersIn(profile: Profile, table: FunctionTable): Int32Array {
  const innermost = (isMine: Uint8Array) =>
    innermostTicks(
      profile,
      columnOf(Uint8Array, table.ofFrame, (id) => isMine[id]!),
    ).ofSample;
  const own = innermost(appFunctions(table));
  const ofPackages = innermost(programFunctions(table));
  return columnOf(Int32Array, own, (frame, sample) => {
    const found = frame > 0 ? frame : ofPackages[sample]!;
    return found > 0 ? table.ofFrame[found - 1]! : -1;
  });
}

/** Returns functions by their ticks, most first. */
function ranked(ticks: ReadonlyMap<number, Ticks>): [number, Ticks][] {
  return Array.from(ticks).sort(([a, x], [b, y]) => y - x || a - b);
}

function isJavaScript({ function: { frame } }: SpikeFunction): boolean {
  return frame.kind === "js";
}
