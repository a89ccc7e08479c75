import { TicksError } from "../errors.js";
import { soundTicksOf } from "../profile/moved-ticks.js";
import { PackedTimeline } from "../profile/packed-timeline.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import type { Sampling } from "../profile/sampling.js";
import { soundTimeline } from "../profile/sound-numbers.js";
import type { TickColumns, Timeline } from "../profile/timeline.js";
import type { Micros, Ticks } from "../profile/units.js";

/** The ticks of one thread in the order of time. */
export interface ThreadTicks {
  /** The number of the thread in the profile. */
  readonly number: number;
  readonly info: ThreadInfo;
  readonly sampling: Sampling;
  /** The number of ticks: at least 1. */
  readonly length: Ticks;
  /** The times of the first and the last tick. */
  readonly first: Micros;
  readonly last: Micros;
  /**
   * Yields the ticks, some at a time: rows of the profile's samples, and microseconds since the first log of the
   * thread's process was opened. Each batch is valid until the next one; none is empty.
   */
  batches(): Iterable<TickColumns>;
}

/**
 * Splits the timeline of a profile by thread; threads without ticks are left out. `offsets` are added to the times
 * of each thread. Throws a {@link TicksError} if the profile has no timeline.
 */
export function threadTicks(profile: Profile, offsets: readonly Micros[] = []): ThreadTicks[] {
  const { samples, info, timeline } = profile;
  if (timeline === undefined) {
    throw new TicksError(
      "BAD_OPTION",
      "this export format needs the time of each tick",
      "Analyze with the option `timeline`.",
    );
  }
  const all = timeline instanceof PackedTimeline ? timeline.logs : [timeline];
  const logs = all.filter(({ length }) => length > 0);
  const runs = logs.flatMap((log) => threadRun(log, samples.thread) ?? []);
  const isByThread =
    logs.length === runs.length && new Set(runs.map(({ number }) => number)).size === runs.length;
  return (isByThread ? runs : sortedRuns(timeline, samples.thread))
    .sort((a, b) => a.number - b.number)
    .map(({ number, length, first, last, ticks }) => {
      const thread = info.threads[number]!;
      const offset = offsets[number] ?? 0;
      return {
        ...{ number, info: thread, sampling: thread.sampling ?? info.sampling },
        ...{ length, first: first + offset, last: last + offset },
        batches: () => shifted(soundTicksOf(ticks), offset),
      };
    });
}

/** Ticks of one thread in the order of time. */
interface ThreadRun extends Pick<ThreadTicks, "number" | "length" | "first" | "last"> {
  readonly ticks: Timeline;
}

/** Returns a timeline as the ticks of one thread; undefined if it has several, or if they are not in order. */
function threadRun(ticks: Timeline, threads: Uint16Array): ThreadRun | undefined {
  let number = -1;
  let first = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const { length, sample, timestamp } of soundTicksOf(ticks)) {
    if (number < 0) {
      number = threads[sample[0]!]!;
      first = timestamp[0]!;
    }
    for (let i = 0; i < length; i++) {
      if (threads[sample[i]!] !== number || timestamp[i]! < last) return undefined;
      last = timestamp[i]!;
    }
  }
  return { number, length: ticks.length, first, last, ticks };
}

/** Yields ticks with an offset added to their times. */
function* shifted(batches: Iterable<TickColumns>, offset: Micros): Iterable<TickColumns> {
  for (const { length, sample, timestamp } of batches) {
    yield offset === 0
      ? { length, sample, timestamp }
      : { length, sample, timestamp: timestamp.subarray(0, length).map((time) => time + offset) };
  }
}

/** Returns the ticks of each thread sorted by time: several threads can share a log, and then time can go back. */
function sortedRuns(unsorted: Timeline, thread: Uint16Array): ThreadRun[] {
  const timeline = soundTimeline(unsorted);
  const { sample, timestamp, length } = timeline;
  const counts = new Map<number, number>();
  for (let i = 0; i < length; i++) {
    const number = thread[sample[i]!]!;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const order = byThread(timeline, thread, counts);
  let start = 0;
  return Array.from(counts, ([number, count]) => {
    const indices = order.subarray(start, start + count);
    start += count;
    sortByTime(indices, timestamp);
    const ticks = {
      length: count,
      sample: Int32Array.from(indices, (i) => sample[i]!),
      timestamp: Float64Array.from(indices, (i) => timestamp[i]!),
    };
    return { number, length: count, first: ticks.timestamp[0]!, last: ticks.timestamp[count - 1]!, ticks };
  });
}

/** Returns the indices of ticks grouped by thread as in `counts`, each group in the order of the log. */
function byThread(
  { sample, length }: Timeline,
  thread: Uint16Array,
  counts: Map<number, number>,
): Uint32Array {
  const next = new Map<number, number>();
  let start = 0;
  for (const [number, count] of counts) {
    next.set(number, start);
    start += count;
  }
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const number = thread[sample[i]!]!;
    const at = next.get(number)!;
    order[at] = i;
    next.set(number, at + 1);
  }
  return order;
}

/** Sorts by time if needed. */
function sortByTime(indices: Uint32Array, timestamp: Float64Array): void {
  for (let i = 1; i < indices.length; i++) {
    if (timestamp[indices[i]!]! >= timestamp[indices[i - 1]!]!) continue;
    indices.sort((a, b) => timestamp[a]! - timestamp[b]! || a - b);
    return;
  }
}
