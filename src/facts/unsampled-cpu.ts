import type { CpuTime } from "../profile/profile.js";

/** What the CPU time that V8 does not sample must be at least to be told: a part of all, and microseconds. */
const LEAST_PART = 0.2;
const LEAST_TIME = 200_000;

/** Whose the CPU time is that V8 does not sample. */
export const UNSAMPLED = "the thread pool (crypto, zlib, fs, dns), GC and compiler threads";

/** Returns whether so much of the CPU time is not sampled that the ticks alone mislead. */
export function isMuchUnsampled({ all, sampled }: CpuTime): boolean {
  return all - sampled >= Math.max(LEAST_TIME, all * LEAST_PART);
}
