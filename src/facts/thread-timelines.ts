import type { Micros, Ticks } from "../base/units.js";
import type { GroupBy, GroupName } from "../profile/categories.js";
import { clampedTime, clampedTimeline, roundedWeight } from "../profile/clamped-numbers.js";
import type { Profile } from "../profile/profile.js";
import { groupsOf, type TickGroups } from "./breakdown.js";
import { evenSlicing, roundSlicing, type Slicing } from "./slice-width.js";

/** What one thread did over time. */
export interface ThreadTimeline extends Slicing {
  /** An index into the profile's threads. */
  readonly thread: number;
  readonly ticks: Ticks;
  /** What its ticks are grouped by. */
  readonly by: GroupBy;
  /** The ticks of each slice by group, in the order of reports. They sum to `sliceTicks`. */
  readonly lanes: ReadonlyMap<GroupName, Float64Array>;
  /** The ticks of each slice, in all groups. */
  readonly sliceTicks: Float64Array;
  /**
   * The time of each slice that is in gaps: over ten intervals without a tick, because the thread slept or had no CPU.
   * Undefined if ticks were filtered out, which leaves gaps too.
   */
  readonly gapTime: Float64Array | undefined;
  /** The number of gaps; 0 if unknown. */
  readonly gaps: number;
}

interface TimelineOptions {
  /** Default: category. */
  readonly by?: GroupBy | undefined;
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
  profile: Profile,
  { most, count, by = "category" }: TimelineOptions,
): ThreadTimeline[] {
  const { samples, info } = profile;
  const { tickTime = 0 } = info;
  if (profile.timeline === undefined) return [];
  const groups = groupsOf(profile, by);
  const timeline = clampedTimeline(profile.timeline);
  const spans = spansOf(timeline, samples.thread, info.threads.length);
  const threads = spans.map(({ first, last }, thread) => {
    if (first > last) return undefined;
    const slicing = count === undefined ? roundSlicing(first, last, most) : evenSlicing(first, last, count);
    return new SlicedThread(thread, slicing, { by, names: groups.names, hasGaps: info.excluded === 0 });
  });
  const gaps = info.threads.map(({ sampling }) => clampedTime((sampling ?? info.sampling).longestStep));
  for (let i = 0; i < timeline.length; i++) {
    const sample = timeline.sample[i]!;
    const thread = samples.thread[sample]!;
    const one = threads[thread]!;
    const moment = timeline.timestamp[i]!;
    const ticks = timeline.ticks === undefined ? 1 : timeline.ticks[i]!;
    const time = timeline.ticks === undefined ? 0 : ticks * tickTime;
    inSlices(one, { moment, ticks, time }, (slice, part) => one.add(slice, groups.ofSample[sample]!, part));
    one.findGap(moment, timeline.ticks === undefined ? gaps[thread]! : LEAST_PAUSE, moment + time);
  }
  for (const thread of threads) thread?.finish();
  return threads.filter((thread) => thread !== undefined);
}

/** The weights of ticks are rounded: what they leave out by that is no gap. */
const LEAST_PAUSE: Micros = 10;

/** Returns the slice that contains a moment. */
export function sliceAt({ start, width, count }: Slicing, moment: Micros): number {
  // The start of a slice is not exact near the largest possible time.
  return Math.max(0, Math.min(count - 1, Math.floor((moment - start) / width)));
}

/** A tick, and how long it goes on. */
interface LastingTick {
  readonly moment: Micros;
  readonly ticks: Ticks;
  /** 0 for a tick of a log, which says nothing of the time after it. */
  readonly time: Micros;
}

/** Calls `visit` with each slice that a tick is in, and how much of it is there. */
export function inSlices(
  slicing: Slicing,
  { moment, ticks, time }: LastingTick,
  visit: (slice: number, ticks: Ticks) => void,
): void {
  const last = time > 0 ? sliceAt(slicing, moment + time) : 0;
  let slice = sliceAt(slicing, moment);
  let left = ticks;
  for (let from = moment; slice < last; slice++) {
    const end = slicing.start + (slice + 1) * slicing.width;
    const part = Math.min(left, roundedWeight((ticks * (end - from)) / time));
    visit(slice, part);
    left -= part;
    from = end;
  }
  visit(slice, left);
}

class SlicedThread implements ThreadTimeline {
  readonly thread: number;
  readonly start: Micros;
  readonly width: Micros;
  readonly count: number;
  readonly by: GroupBy;
  readonly lanes: ReadonlyMap<GroupName, Float64Array>;
  readonly sliceTicks: Float64Array;
  readonly gapTime: Float64Array | undefined;
  ticks = 0;
  gaps = 0;
  readonly #columns: readonly Float64Array[];
  #last = Number.NaN;
  /** By slice: how many more gaps cover all of it than all of the slice before. */
  readonly #whole: Int32Array;

  constructor(
    thread: number,
    { start, width, count }: Slicing,
    { by, names, hasGaps }: Pick<TickGroups, "by" | "names"> & { readonly hasGaps: boolean },
  ) {
    this.thread = thread;
    this.start = start;
    this.width = width;
    this.count = count;
    this.by = by;
    this.#columns = names.map(() => new Float64Array(count));
    this.lanes = new Map(names.map((name, i) => [name, this.#columns[i]!]));
    this.sliceTicks = new Float64Array(count);
    this.gapTime = hasGaps ? new Float64Array(count) : undefined;
    this.#whole = new Int32Array(count + 1);
  }

  add(slice: number, group: number, ticks: Ticks): void {
    this.ticks += ticks;
    this.sliceTicks[slice]! += ticks;
    this.#columns[group]![slice]! += ticks;
  }

  /** Counts the gap before a tick, in the order of the log. `end`: when the tick is over, if it is known to last. */
  findGap(moment: Micros, gap: Micros, end: Micros): void {
    // The first tick has no predecessor. In a log of several threads, time can go back.
    if (moment - this.#last > gap && this.gapTime !== undefined) this.#addGap(this.gapTime, moment);
    this.#last = end;
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
