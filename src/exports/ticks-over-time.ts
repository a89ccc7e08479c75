import { reaching } from "../base/columns.js";
import { TicksError } from "../base/errors.js";
import type { Micros, Ticks } from "../base/units.js";
import { printable } from "../facts/label.js";
import { clampedTime, clampedTimeline } from "../profile/clamped-numbers.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { oncePerLongName } from "../profile/long-names.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import { gapLimit, type Sampling, slowSampling, tickInterval } from "../profile/sampling.js";
import type { TickColumns, Timeline } from "../profile/timeline.js";
import { GC } from "../profile/vm-state.js";

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

/** Returns the timeline of a profile. Throws a {@link TicksError} if it has none. */
export function timelineOf({ timeline }: Profile): NonNullable<Profile["timeline"]> {
  if (timeline !== undefined) return timeline;
  throw new TicksError(
    "BAD_OPTION",
    "this export format needs the time of each tick",
    "Analyze with the option `timeline`.",
  );
}

/**
 * Splits the timeline of a profile by thread; threads without ticks are left out. `offsets` are added to the times
 * of each thread. Throws a {@link TicksError} if the profile has no timeline.
 */
export function threadTicks(profile: Profile, offsets: readonly Micros[] = []): ThreadTicks[] {
  const { samples, info } = profile;
  const timeline = clampedTimeline(timelineOf(profile));
  return (threadRuns(timeline, samples.thread) ?? sortedRuns(timeline, samples.thread))
    .sort((a, b) => a.number - b.number)
    .map(({ number, ticks }) => {
      const thread = info.threads[number]!;
      const offset = offsets[number] ?? 0;
      const { length, timestamp } = ticks;
      return {
        ...{ number, info: thread, sampling: thread.sampling ?? info.sampling },
        ...{ length, first: timestamp[0]! + offset, last: timestamp[length - 1]! + offset },
        batches: () => batchesOf(ticks, offset),
      };
    });
}

/** Ticks of one thread in the order of time: at least one. */
interface ThreadRun {
  readonly number: number;
  readonly ticks: Timeline;
}

/** Returns the ticks of each thread, which stay where they are; undefined if those of one do not follow each other in order. */
function threadRuns(
  { length, sample, timestamp, ticks }: Timeline,
  threads: Uint16Array,
): ThreadRun[] | undefined {
  const runs = new Map<number, ThreadRun>();
  for (let start = 0, end = 0; start < length; start = end) {
    const number = threads[sample[start]!]!;
    if (runs.has(number)) return undefined;
    end = start + 1;
    while (end < length && threads[sample[end]!] === number && timestamp[end]! >= timestamp[end - 1]!) end++;
    const part = {
      length: end - start,
      sample: sample.subarray(start, end),
      timestamp: timestamp.subarray(start, end),
      ticks: ticks?.subarray(start, end),
    };
    runs.set(number, { number, ticks: part });
  }
  return Array.from(runs.values());
}

/** Few enough ticks that copies of their times are small. */
const BATCH_TICKS = 1 << 12;

/** Yields ticks, some at a time, with an offset added to their times. */
function* batchesOf({ length, sample, timestamp, ticks }: Timeline, offset: Micros): Iterable<TickColumns> {
  for (let start = 0; start < length; start += BATCH_TICKS) {
    const end = Math.min(length, start + BATCH_TICKS);
    const times = timestamp.subarray(start, end);
    yield {
      length: end - start,
      sample: sample.subarray(start, end),
      timestamp: offset === 0 ? times : times.map((time) => time + offset),
      ticks: ticks?.subarray(start, end),
    };
  }
}

/** Returns the ticks of each thread sorted by time: several threads can share a log, and then time can go back. */
function sortedRuns(timeline: Timeline, thread: Uint16Array): ThreadRun[] {
  const { sample, timestamp, ticks: weights, length } = timeline;
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
      ticks: weights && Float64Array.from(indices, (i) => weights[i]!),
    };
    return { number, ticks };
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

/** Marks that there was no tick: the thread slept, had no CPU, or signals were lost. */
export const IDLE = -1;

/** Ticks over time, in columns. Only the first `length` entries count. */
export interface TickBatch {
  length: number;
  /** Rows of the profile's samples, or {@link IDLE}. */
  readonly sample: Int32Array;
  readonly time: Float64Array;
  /** What each weighs: 1 where samples do not weigh their time. */
  readonly ticks: Float64Array;
}

/** Few enough to keep their text short, and enough to make the number of batches unimportant. */
const BATCH = 1000;

/**
 * Yields ticks and the gaps between them. A gap has {@link IDLE} marks one interval after the tick before it
 * and one interval before the tick after it, so that neither tick gets the time of the gap, whichever side a
 * viewer counts. The marks are not ticks. `start` is added to all times. All batches are one reused object;
 * none is empty.
 */
export function* ticksOverTime(
  { sampling, first, ...thread }: Pick<ThreadTicks, "sampling" | "first" | "batches">,
  start: Micros = 0,
): Iterable<TickBatch> {
  const interval = tickInterval(sampling);
  const longest = clampedTime(sampling.longestStep);
  // The last tick of a batch can come with both marks of a gap.
  const [samples, times] = [new Int32Array(BATCH + 2), new Float64Array(BATCH + 2)];
  const weights = new Float64Array(BATCH + 2).fill(1);
  const batch: TickBatch = { length: 0, sample: samples, time: times, ticks: weights };
  let used = 0;
  let last = first + start;
  for (const { length, sample, timestamp, ticks } of thread.batches()) {
    for (let tick = 0; tick < length; tick++) {
      const time = timestamp[tick]! + start;
      if (time - last > longest) {
        samples[used] = IDLE;
        times[used++] = last + interval;
        samples[used] = IDLE;
        times[used++] = time - interval;
      }
      samples[used] = sample[tick]!;
      if (ticks !== undefined) weights[used] = ticks[tick]!;
      times[used++] = time;
      last = time;
      if (used < BATCH) continue;
      batch.length = used;
      yield batch;
      used = 0;
    }
  }
  batch.length = used;
  if (used > 0) yield batch;
}

/** Ticks in a row with one stack, in columns. Only the first `length` entries count. */
interface RunBatch {
  length: number;
  /** The stack of the ticks, or {@link IDLE}. */
  readonly stack: Int32Array;
  /** The time of the first of them. */
  readonly time: Float64Array;
  /** Their number, or what they weigh; 0 for {@link IDLE}. */
  readonly ticks: Float64Array;
}

/**
 * Yields ticks as {@link ticksOverTime} does, those in a row with one stack as one, except that the last tick of
 * all is alone, so that the time of the others ends with it. `stackOf` has the stack of each sample. All batches
 * are one reused object; none is empty.
 */
export function* runsOverTime(thread: ThreadTicks, stackOf: Int32Array): Iterable<RunBatch> {
  const runs: RunBatch = {
    length: 0,
    stack: new Int32Array(BATCH),
    time: new Float64Array(BATCH),
    ticks: new Float64Array(BATCH),
  };
  let last = IDLE;
  let left = thread.length;
  for (const { length, sample, time, ticks } of ticksOverTime(thread)) {
    for (let i = 0; i < length; i++) {
      const stack = sample[i] === IDLE ? IDLE : stackOf[sample[i]!]!;
      if (stack !== IDLE && --left > 0 && stack === last) {
        runs.ticks[runs.length - 1]! += ticks[i]!;
        continue;
      }
      // Not before: the last run could go on.
      if (runs.length === BATCH) {
        yield runs;
        runs.length = 0;
      }
      runs.stack[runs.length] = stack;
      runs.time[runs.length] = time[i]!;
      runs.ticks[runs.length++] = stack === IDLE ? 0 : ticks[i]!;
      last = stack;
    }
  }
  if (runs.length > 0) yield runs;
}

/**
 * Returns what a file must say about its times, with numbers in µs: both intervals if the sampler was slow, or
 * that the log has no times. Undefined if there is nothing to say.
 */
export function timeFacts(sampling: Sampling) {
  const slow = slowSampling(sampling);
  if (slow !== undefined) return { intervalAskedUs: slow.asked, intervalUs: Math.round(slow.got) };
  if (sampling.hasTimes) return undefined;
  return { hasTimes: false, intervalUs: Math.round(tickInterval(sampling)) };
}

/** Returns the same as a text. */
export function timeNote(sampling: Sampling): string | undefined {
  const facts = timeFacts(sampling);
  if (facts === undefined) return undefined;
  const every = `a tick every ${facts.intervalUs} µs`;
  return facts.intervalAskedUs === undefined
    ? `no times: ${every}, as asked for`
    : `${every}, ${facts.intervalAskedUs} µs asked for`;
}

/** Times in which a thread collected garbage, in columns. Only the first `length` entries count. */
export interface GcSpans {
  length: number;
  start: Float64Array;
  end: Float64Array;
}

/** Optimized code that was discarded. */
export interface DeoptEvent {
  readonly time: Micros;
  /** The function whose code it was; `<unknown>` if the log has no code there. */
  readonly function: string;
  readonly kind: string;
  readonly reason: string;
  readonly position: string;
}

/**
 * Returns the times in which a thread collected garbage, as far as ticks tell: from an interval before the first
 * of a row of ticks in garbage collection to the last one.
 */
export function gcSpans(
  { sampling, ...thread }: Pick<ThreadTicks, "sampling" | "batches">,
  { vmState }: Profile["samples"],
): GcSpans {
  const interval = tickInterval(sampling);
  const limit = gapLimit(sampling);
  const spans = { length: 0, start: new Float64Array(16), end: new Float64Array(16) };
  let isInSpan = false;
  let last = Number.NEGATIVE_INFINITY;
  for (const { length, sample, timestamp } of thread.batches()) {
    for (let i = 0; i < length; i++) {
      const time = timestamp[i]!;
      const isGc = vmState[sample[i]!] === GC;
      if (isGc && !(isInSpan && time - last <= limit)) {
        const span = spans.length++;
        spans.start = reaching(spans.start, span);
        spans.end = reaching(spans.end, span);
        spans.start[span] = Math.max(last, time - interval);
      }
      if (isGc) spans.end[spans.length - 1] = time;
      isInSpan = isGc;
      last = time;
    }
  }
  return spans;
}

/** Returns the deoptimizations of each thread of a profile, in the order of time. `offsets` are added to the times. */
export function deoptEvents({ deopts, info }: Profile, offsets: readonly Micros[]): DeoptEvent[][] {
  const threads: DeoptEvent[][] = info.threads.map(() => []);
  const nameOf = oncePerLongName((logged) => printable(parseLoggedName(logged).name || "<anonymous>"));
  for (const { thread, function: name, kind, reason, position, times = [] } of deopts?.entries ?? []) {
    const facts = { function: name === undefined ? "<unknown>" : nameOf(name), kind, reason, position };
    for (const time of times)
      threads[thread]?.push({ ...facts, time: clampedTime(time) + (offsets[thread] ?? 0) });
  }
  for (const events of threads) events.sort((a, b) => a.time - b.time);
  return threads;
}
