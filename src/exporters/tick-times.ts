import { isGap } from "../profile/sampling.js";
import type { Micros } from "../profile/units.js";

/** Stands for no tick: from here on the thread slept, or the sampler was not heard. */
export const IDLE = -1;

/** A tick over time. One object, changed by each step of {@link ticksOverTime}. */
export interface TimedTick {
  /** An index into the ticks of the thread, or {@link IDLE}. */
  tick: number;
  time: Micros;
}

/**
 * Ticks with what is between them: a gap has {@link IDLE} an interval after the tick before it and an interval before
 * the tick after it, so that neither tick has the time of the gap, whichever of its sides a viewer counts. Idle marks are
 * no ticks. `start` is added to all times.
 */
export function* ticksOverTime(timestamp: Float64Array, interval: Micros, start = 0): Generator<TimedTick> {
  const now: TimedTick = { tick: 0, time: 0 };
  for (let tick = 0; tick < timestamp.length; tick++) {
    const time = timestamp[tick]! + start;
    const last = tick === 0 ? time : timestamp[tick - 1]! + start;
    if (isGap(time - last, interval)) {
      now.tick = IDLE;
      now.time = last + interval;
      yield now;
      now.time = time - interval;
      yield now;
    }
    now.tick = tick;
    now.time = time;
    yield now;
  }
}
