import { lowerBound } from "../base/sorted.js";
import type { ThreadTimes } from "./model.js";

/** A part of the time, in microseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges in ranges, outermost first, and one that is picked in the innermost: that one is shown, or else the innermost. */
export interface Ranges {
  readonly within: readonly TimeRange[];
  readonly picked: TimeRange | undefined;
}

export const ALL_TIME: Ranges = { within: [], picked: undefined };

/** Returns what is shown; undefined for all the time. */
export function shownRange({ within, picked }: Ranges): TimeRange | undefined {
  return picked ?? within.at(-1);
}

/** Picks a part of the time, in the innermost range that has it; nothing, if it is all of that. */
export function withPicked({ within }: Ranges, all: TimeRange, part: TimeRange | undefined): Ranges {
  if (part === undefined) return { within, picked: undefined };
  const has = (range: TimeRange) => range.from <= part.from && range.to >= part.to;
  const around = within.filter(has);
  const inner = around.at(-1) ?? all;
  const [from, to] = [Math.max(inner.from, part.from), Math.min(inner.to, part.to)];
  const isPart = from < to && (from > inner.from || to < inner.to);
  return { within: around, picked: isPart ? { from, to } : undefined };
}

/** Goes into the range that is picked. */
export function entered({ within, picked }: Ranges): Ranges {
  return { within: picked === undefined ? within : [...within, picked], picked: undefined };
}

/** Lets go of what is picked, or else goes out of the innermost range. */
export function left({ within, picked }: Ranges): Ranges {
  return { within: picked === undefined ? within.slice(0, -1) : within, picked: undefined };
}

/** Returns the first row that ends at a time or later, and the one behind the last that begins before another. */
export function rowsWithin({ start, end }: ThreadTimes, { from, to }: TimeRange): readonly [number, number] {
  return [lowerBound(end, from), lowerBound(start, to)];
}

/** Returns how many ticks of a row begin within a range: they are evenly spaced in it. */
export function ticksWithin(
  { start, end, ticks }: ThreadTimes,
  row: number,
  { from, to }: TimeRange,
): number {
  const [begin, all] = [start[row]!, ticks[row]!];
  if (begin >= from && end[row]! <= to) return all;
  const step = (end[row]! - begin) / all;
  if (step === 0) return begin >= from && begin < to ? all : 0;
  const before = (time: number) => Math.min(all, Math.max(0, Math.ceil((time - begin) / step)));
  return before(to) - before(from);
}

export function ticksInRange(own: ThreadTimes, range: TimeRange): number {
  const [first, last] = rowsWithin(own, range);
  let sum = 0;
  for (let row = first; row < last; row++) sum += ticksWithin(own, row, range);
  return sum;
}
