import { type Sampling, slowSampling, tickInterval } from "../profile/sampling.js";
import { soundTime } from "../profile/sound-numbers.js";
import type { Micros } from "../profile/units.js";
import type { ThreadTicks } from "./thread-ticks.js";

/** Marks that there was no tick: the thread slept, had no CPU, or signals were lost. */
export const IDLE = -1;

/** Ticks over time, in columns. Only the first `length` entries count. */
export interface TickBatch {
  length: number;
  /** Rows of the profile's samples, or {@link IDLE}. */
  readonly sample: Int32Array;
  readonly time: Float64Array;
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
  const longest = soundTime(sampling.longestStep);
  // The last tick of a batch can come with both marks of a gap.
  const [samples, times] = [new Int32Array(BATCH + 2), new Float64Array(BATCH + 2)];
  const batch: TickBatch = { length: 0, sample: samples, time: times };
  let used = 0;
  let last = first + start;
  for (const { length, sample, timestamp } of thread.batches()) {
    for (let tick = 0; tick < length; tick++) {
      const time = timestamp[tick]! + start;
      if (time - last > longest) {
        samples[used] = IDLE;
        times[used++] = last + interval;
        samples[used] = IDLE;
        times[used++] = time - interval;
      }
      samples[used] = sample[tick]!;
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
export interface RunBatch {
  length: number;
  /** The stack of the ticks, or {@link IDLE}. */
  readonly stack: Int32Array;
  /** The time of the first of them. */
  readonly time: Float64Array;
  /** Their number; 0 for {@link IDLE}. */
  readonly ticks: Int32Array;
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
    ticks: new Int32Array(BATCH),
  };
  let last = IDLE;
  let left = thread.length;
  for (const { length, sample, time } of ticksOverTime(thread)) {
    for (let i = 0; i < length; i++) {
      const stack = sample[i] === IDLE ? IDLE : stackOf[sample[i]!]!;
      if (stack !== IDLE && --left > 0 && stack === last) {
        runs.ticks[runs.length - 1]!++;
        continue;
      }
      // Not before: the last run could go on.
      if (runs.length === BATCH) {
        yield runs;
        runs.length = 0;
      }
      runs.stack[runs.length] = stack;
      runs.time[runs.length] = time[i]!;
      runs.ticks[runs.length++] = stack === IDLE ? 0 : 1;
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
  return facts.intervalAskedUs === undefined
    ? `this log has no times: its ticks are ${facts.intervalUs} µs apart, as asked for`
    : `a tick every ${facts.intervalUs} µs, ${facts.intervalAskedUs} µs asked for`;
}
