import type { Micros } from "../profile/units.js";

/** Widths that read well, and so do ten of them. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** How a span of time is cut into slices of one width. */
export interface Slicing {
  /** Where the first slice starts. */
  readonly start: Micros;
  /** Of a slice; more than 0. */
  readonly width: Micros;
  /** How many; at least 1. */
  readonly count: number;
}

/**
 * Cuts time into at most so many slices, whose width is a round number and which start at multiples of it. The last
 * slice holds the last moment.
 */
export function roundSlicing(first: Micros, last: Micros, most: number): Slicing {
  const least = Math.max(1, (last - first) / most);
  let power = 10 ** Math.floor(Math.log10(least));
  for (;;) {
    for (const step of STEPS) {
      // Below 10 µs, 1.5 µs is no whole number.
      const width = Math.ceil(step * power);
      if (width < least) continue;
      const start = Math.floor(first / width) * width;
      const count = Math.floor((last - start) / width) + 1;
      if (count <= most) return { start, width, count };
    }
    power *= 10;
  }
}

/** Cuts time into exactly so many slices of one width, the first moment in the first and the last in the last. */
export function evenSlicing(first: Micros, last: Micros, count: number): Slicing {
  const width = Math.max(1, Math.floor((last - first) / count) + 1);
  return { start: first, width, count };
}
