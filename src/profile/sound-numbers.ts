import { LAST_INTERVAL, LAST_POSITION, LAST_TIME } from "../limits.js";
import type { Timeline } from "./timeline.js";
import type { Micros } from "./units.js";

/** A time that can be reckoned with: the nearest that is exact in microseconds; 0 for what is no number. */
export function soundTime(time: number): Micros {
  if (Math.abs(time) <= LAST_TIME) return time;
  return Number.isNaN(time) ? 0 : Math.sign(time) * LAST_TIME;
}

/** The timeline itself, or a copy whose times are all sound. Profiles can come from anywhere. */
export function soundTimeline(timeline: Timeline): Timeline {
  const { length, sample, timestamp } = timeline;
  for (let i = 0; i < length; i++) {
    if (Math.abs(timestamp[i]!) <= LAST_TIME) continue;
    return { length, sample, timestamp: timestamp.slice(0, length).map(soundTime) };
  }
  return timeline;
}

/** A sampling interval; undefined for one that no sampler can have. */
export function soundInterval(interval: Micros | undefined): Micros | undefined {
  return interval !== undefined && interval >= 0 && interval <= LAST_INTERVAL ? interval : undefined;
}

/** A line or column, from 1; 0 for one that no script can have. */
export function soundPosition(position: number): number {
  return Number.isInteger(position) && position > 0 && position <= LAST_POSITION ? position : 0;
}
