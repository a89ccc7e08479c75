import { longestStep } from "../profile/sampling.js";
import type { Micros } from "../profile/units.js";

/** Stands for no tick: the thread slept, or the sampler was not heard. */
export const IDLE = -1;

/** Ticks over time, in columns of which the first `length` entries count. */
export interface TickBatch {
  length: number;
  /** Indices into the ticks of the thread, or {@link IDLE}. */
  readonly tick: Int32Array;
  readonly time: Float64Array;
}

/** Few enough that their text is short, so many that a step between batches is of no weight. */
const BATCH = 1000;

/**
 * Ticks with what is between them: a gap has {@link IDLE} an interval after the tick before it and an interval before
 * the tick after it, so that neither tick has the time of the gap, whichever of its sides a viewer counts. Idle marks are
 * no ticks. `start` is added to all times. Batches are one object, filled again by each step; none is empty.
 */
export function* ticksOverTime(timestamp: Float64Array, interval: Micros, start = 0): Iterable<TickBatch> {
  // The last tick of a batch can come with both marks of a gap.
  const batch: TickBatch = { length: 0, tick: new Int32Array(BATCH + 2), time: new Float64Array(BATCH + 2) };
  const add = (tick: number, time: Micros) => {
    batch.tick[batch.length] = tick;
    batch.time[batch.length++] = time;
  };
  let last = timestamp[0]! + start;
  for (let tick = 0; tick < timestamp.length; tick++) {
    const time = timestamp[tick]! + start;
    if (time - last > longestStep(interval)) {
      add(IDLE, last + interval);
      add(IDLE, time - interval);
    }
    add(tick, time);
    last = time;
    if (batch.length < BATCH) continue;
    yield batch;
    batch.length = 0;
  }
  if (batch.length > 0) yield batch;
}

/** A column of each batch as text, with commas between. */
export function* batchTexts(
  batches: Iterable<TickBatch>,
  entryAt: (tick: number, time: Micros) => number | string,
): Iterable<string> {
  for (const { length, tick, time } of batches) {
    let text = `${entryAt(tick[0]!, time[0]!)}`;
    for (let i = 1; i < length; i++) text += `,${entryAt(tick[i]!, time[i]!)}`;
    yield text;
  }
}
