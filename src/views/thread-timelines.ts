import type { Profile } from "../profile/profile.js";
import { longestStep } from "../profile/sampling.js";
import { soundInterval, soundTimeline } from "../profile/sound-numbers.js";
import type { Micros, Ticks } from "../profile/units.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { evenSlicing, roundSlicing, type Slicing } from "./slice-width.js";

/** Groups of VM states, coarse enough for a chart over time. */
export const LANES = ["js", "gc", "parser", "compiler", "external", "other", "idle"] as const;

export type Lane = (typeof LANES)[number];

const LANE_OF: Record<VmStateName, Lane> = {
  js: "js",
  gc: "gc",
  parser: "parser",
  "bytecode-compiler": "compiler",
  compiler: "compiler",
  external: "external",
  other: "other",
  logging: "other",
  unknown: "other",
  "atomics-wait": "idle",
  idle: "idle",
  "idle-external": "idle",
};

/** The lane of each VM state, as an index into {@link LANES}. */
export const LANE_OF_STATE: readonly number[] = VM_STATES.map((state) => LANES.indexOf(LANE_OF[state]));

/** What one thread did over time. */
export interface ThreadTimeline extends Slicing {
  /** An index into the profile's threads. */
  readonly thread: number;
  readonly ticks: Ticks;
  /** By lane, in the order of {@link LANES}: the ticks of each slice. */
  readonly lanes: readonly Float64Array[];
  /** The ticks of each slice, in all lanes. */
  readonly sliceTicks: Float64Array;
  /**
   * The time of each slice that is in gaps: over ten intervals without a tick, because the thread slept.
   * Undefined if ticks were filtered out, which leaves gaps too.
   */
  readonly gapTime: Float64Array | undefined;
  /** The number of gaps; 0 if unknown. */
  readonly gaps: number;
}

export interface TimelineOptions {
  /** The maximum number of slices, which have a round width. */
  readonly most: number;
  /** The exact number of slices, if given. */
  readonly count?: number | undefined;
}

/**
 * Returns the threads with ticks, in the order of the profile. Each has its own time: time 0 of two logs is
 * not the same moment. Takes two passes over the timeline, for any number of slices.
 */
export function threadTimelines(
  { samples, info, ...profile }: Profile,
  { most, count }: TimelineOptions,
): ThreadTimeline[] {
  if (profile.timeline === undefined) return [];
  const timeline = soundTimeline(profile.timeline);
  const spans = spansOf(timeline, samples.thread, info.threads.length);
  const threads = spans.map(({ first, last }, thread) => {
    if (first > last) return undefined;
    const slicing = count === undefined ? roundSlicing(first, last, most) : evenSlicing(first, last, count);
    return new SlicedThread(thread, slicing, info.excluded === 0);
  });
  const gap = longestStep(soundInterval(info.sampling.asked));
  for (let i = 0; i < timeline.length; i++) {
    const sample = timeline.sample[i]!;
    const lane = LANE_OF_STATE[samples.vmState[sample]!]!;
    threads[samples.thread[sample]!]!.add(timeline.timestamp[i]!, lane, gap);
  }
  for (const thread of threads) thread?.finish();
  return threads.filter((thread) => thread !== undefined);
}

/** Returns the slice that contains a moment. */
export function sliceAt({ start, width, count }: Slicing, moment: Micros): number {
  // The start of a slice is not exact near the largest possible time.
  return Math.max(0, Math.min(count - 1, Math.floor((moment - start) / width)));
}

class SlicedThread implements ThreadTimeline {
  readonly thread: number;
  readonly start: Micros;
  readonly width: Micros;
  readonly count: number;
  readonly lanes: readonly Float64Array[];
  readonly sliceTicks: Float64Array;
  readonly gapTime: Float64Array | undefined;
  ticks = 0;
  gaps = 0;
  #last = Number.NaN;
  /** By slice: how many more gaps cover all of it than all of the slice before. */
  readonly #whole: Int32Array;

  constructor(thread: number, { start, width, count }: Slicing, hasGaps: boolean) {
    this.thread = thread;
    this.start = start;
    this.width = width;
    this.count = count;
    this.lanes = LANES.map(() => new Float64Array(count));
    this.sliceTicks = new Float64Array(count);
    this.gapTime = hasGaps ? new Float64Array(count) : undefined;
    this.#whole = new Int32Array(count + 1);
  }

  /** Adds a tick, in the order of the log. */
  add(moment: Micros, lane: number, gap: Micros): void {
    const slice = sliceAt(this, moment);
    this.ticks++;
    this.sliceTicks[slice]!++;
    this.lanes[lane]![slice]!++;
    // The first tick has no predecessor. In a log of several threads, time can go back.
    if (moment - this.#last > gap && this.gapTime !== undefined) this.#addGap(this.gapTime, moment);
    this.#last = moment;
  }

  #addGap(gapTime: Float64Array, end: Micros): void {
    this.gaps++;
    const first = sliceAt(this, this.#last);
    const last = sliceAt(this, end);
    if (first === last) {
      gapTime[first]! += end - this.#last;
      return;
    }
    gapTime[first]! += this.start + (first + 1) * this.width - this.#last;
    gapTime[last]! += end - (this.start + last * this.width);
    this.#whole[first + 1]!++;
    this.#whole[last]!--;
  }

  /** Adds the slices that are all gap. Call it once, after the last tick. */
  finish(): void {
    let gaps = 0;
    for (let slice = 0; this.gapTime !== undefined && slice < this.count; slice++) {
      gaps += this.#whole[slice]!;
      this.gapTime[slice]! += gaps * this.width;
    }
  }
}

/** Returns the first and last moment of each thread; first > last if it has no ticks. */
function spansOf(
  timeline: NonNullable<Profile["timeline"]>,
  threadOf: Uint16Array,
  threads: number,
): { first: Micros; last: Micros }[] {
  const spans = Array.from({ length: threads }, () => ({
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  }));
  for (let i = 0; i < timeline.length; i++) {
    const span = spans[threadOf[timeline.sample[i]!]!]!;
    const moment = timeline.timestamp[i]!;
    if (moment < span.first) span.first = moment;
    if (moment > span.last) span.last = moment;
  }
  return spans;
}
