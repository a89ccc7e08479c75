import { TicksError } from "../errors.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import type { Sampling } from "../profile/sampling.js";
import { soundTimeline } from "../profile/sound-numbers.js";
import type { Timeline } from "../profile/timeline.js";
import type { Micros } from "../profile/units.js";

/** The ticks of one thread in the order of time, in columns of the same length. */
export interface ThreadTicks {
  /** The number of the thread in the profile. */
  readonly number: number;
  readonly info: ThreadInfo;
  readonly sampling: Sampling;
  /** Rows of the profile's samples. */
  readonly sample: Int32Array;
  /** Microseconds since the first log of the thread's process was opened. */
  readonly timestamp: Float64Array;
}

/**
 * Splits the timeline of a profile by thread; threads without ticks are left out. `offsets` are added to the times
 * of each thread. The columns may be views of the profile's own. Throws a {@link TicksError} if the profile has no timeline.
 */
export function threadTicks(
  { samples, info, ...profile }: Profile,
  offsets: readonly Micros[] = [],
): ThreadTicks[] {
  if (profile.timeline === undefined) {
    throw new TicksError(
      "BAD_OPTION",
      "this export format needs the time of each tick",
      "Analyze with the option `timeline`.",
    );
  }
  const timeline = soundTimeline(profile.timeline);
  const factsOf = (number: number) => {
    const thread = info.threads[number]!;
    return { number, info: thread, sampling: thread.sampling ?? info.sampling };
  };
  const { length } = timeline;
  const first = samples.thread[timeline.sample[0] ?? 0]!;
  if (isOneThreadInOrder(timeline, samples.thread)) {
    const sample = timeline.sample.subarray(0, length);
    const offset = offsets[first] ?? 0;
    const times = timeline.timestamp.subarray(0, length);
    const timestamp = offset === 0 ? times : times.map((time) => time + offset);
    return length === 0 ? [] : [{ ...factsOf(first), sample, timestamp }];
  }
  const counts = new Int32Array(info.threads.length);
  for (let i = 0; i < length; i++) counts[samples.thread[timeline.sample[i]!]!]!++;
  const order = byThread(timeline, samples.thread, counts);
  let start = 0;
  const threads: ThreadTicks[] = [];
  for (const [thread, count] of counts.entries()) {
    const indices = order.subarray(start, start + count);
    start += count;
    if (count === 0) continue;
    sortByTime(indices, timeline.timestamp);
    const sample = new Int32Array(count);
    const timestamp = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      sample[i] = timeline.sample[indices[i]!]!;
      timestamp[i] = timeline.timestamp[indices[i]!]! + (offsets[thread] ?? 0);
    }
    threads.push({ ...factsOf(thread), sample, timestamp });
  }
  return threads;
}

function isOneThreadInOrder({ sample, timestamp, length }: Timeline, thread: Uint16Array): boolean {
  for (let i = 1; i < length; i++) {
    if (thread[sample[i]!] !== thread[sample[0]!] || timestamp[i]! < timestamp[i - 1]!) return false;
  }
  return true;
}

/** Returns the indices of ticks grouped by thread, each group in the order of the log. */
function byThread({ sample, length }: Timeline, thread: Uint16Array, counts: Int32Array): Uint32Array {
  const next = new Float64Array(counts.length);
  for (let i = 1; i < counts.length; i++) next[i] = next[i - 1]! + counts[i - 1]!;
  const order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[next[thread[sample[i]!]!]!++] = i;
  return order;
}

/** Sorts by time if needed: if several threads share a log file, time can go back. */
function sortByTime(indices: Uint32Array, timestamp: Float64Array): void {
  for (let i = 1; i < indices.length; i++) {
    if (timestamp[indices[i]!]! >= timestamp[indices[i - 1]!]!) continue;
    indices.sort((a, b) => timestamp[a]! - timestamp[b]! || a - b);
    return;
  }
}
