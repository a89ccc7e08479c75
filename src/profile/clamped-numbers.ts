import { LAST_INTERVAL, LAST_POSITION, LAST_TIME } from "../base/limits.js";
import type { Micros, Ticks } from "../base/units.js";
import type { Timeline } from "./timeline.js";

/** Returns the nearest time that is exact in microseconds; 0 if it is not a number. */
export function clampedTime(time: number): Micros {
  if (Math.abs(time) <= LAST_TIME) return time;
  return Number.isNaN(time) ? 0 : Math.sign(time) * LAST_TIME;
}

/**
 * Returns the timeline if all its times are in range, else a corrected copy. Profiles can come from anywhere.
 */
export function clampedTimeline(timeline: Timeline): Timeline {
  const { length, sample, timestamp, ticks } = timeline;
  for (let i = 0; i < length; i++) {
    if (Math.abs(timestamp[i]!) <= LAST_TIME) continue;
    return { length, sample, timestamp: timestamp.slice(0, length).map(clampedTime), ticks };
  }
  return timeline;
}

/** Steps of a tick that samples by their time are rounded to: sums and differences of up to 2^27 ticks are exact in such steps. */
const WEIGHT_STEPS = 2 ** 26;

/** Returns the ticks of a sample that weighs its time: see {@link WEIGHT_STEPS}. */
export function roundedWeight(ticks: Ticks): Ticks {
  return Math.round(ticks * WEIGHT_STEPS) / WEIGHT_STEPS;
}

/** Returns a sampling interval; undefined if no sampler can have it. */
export function validInterval(interval: Micros | undefined): Micros | undefined {
  return interval !== undefined && interval >= 0 && interval <= LAST_INTERVAL ? interval : undefined;
}

/** Returns a line or column, from 1; 0 if no script can have it. */
export function validPosition(position: number): number {
  return Number.isInteger(position) && position > 0 && position <= LAST_POSITION ? position : 0;
}
