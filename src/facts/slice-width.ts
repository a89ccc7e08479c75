import type { Micros } from "../base/units.js";

/** Round widths; ten times each is round too. */
const STEPS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** A span of time cut into slices of equal width. */
export interface Slicing {
  /** The start of the first slice. */
  readonly start: Micros;
  /** The width of a slice; more than 0. */
  readonly width: Micros;
  /** The number of slices; at least 1. */
  readonly count: number;
}

/**
 * Cuts time into at most `most` slices. Their width is a round number, and they start at multiples of it. The
 * last slice contains the last moment.
 */
export function roundSlicing(first: Micros, last: Micros, most: number): Slicing {
  const least = Math.max(1, (last - first) / most);
  let power = 10 ** Math.floor(Math.log10(least));
  for (;;) {
    for (const step of STEPS) {
      // Below 10 µs, a step such as 1.5 µs is not a whole number.
      const width = Math.ceil(step * power);
      if (width < least) continue;
      const start = Math.floor(first / width) * width;
      const count = Math.floor((last - start) / width) + 1;
      if (count <= most) return { start, width, count };
    }
    power *= 10;
  }
}

/**
 * Cuts time into exactly `count` slices of equal width. The first and last slice contain the first and last
 * moment.
 */
export function evenSlicing(first: Micros, last: Micros, count: number): Slicing {
  const width = Math.max(1, Math.floor((last - first) / count) + 1);
  return { start: first, width, count };
}
