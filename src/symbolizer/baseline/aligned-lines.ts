import { lowerBound } from "../../profile/sorted.js";
/** The slots that a call can be in: ascending, in several lists. */
export interface CallSlots {
  /** Slots that speak for the call. */
  readonly likely: readonly Int32Array[];
  /** Further slots, of which nothing is known. */
  readonly possible: readonly Int32Array[];
}

/**
 * A return address, or where the code itself was. Several can be in one slot, but only one that is known to
 * be a call.
 */
export interface CodePoint {
  /** Undefined if it can be in any slot. */
  readonly slots: CallSlots | undefined;
}

/**
 * Returns for each point the line that it must be on; 0 if there are several. The points are in the order of
 * their addresses, which is that of their slots. `lines` are the lines of the slots; 0 if unknown. Returns
 * undefined if no order fits all points.
 */
export function alignedLines(points: readonly CodePoint[], lines: Int32Array): Int32Array | undefined {
  const found = new Int32Array(points.length);
  const bounds = boundsOf(points, lines.length);
  if (bounds === undefined) return undefined;
  const runs = new Map<Int32Array | undefined, Int32Array>();
  const runsOf = (slots: Int32Array | undefined) => {
    const known = runs.get(slots);
    if (known !== undefined) return known;
    const made = runEnds(slots === undefined ? lines : slots.map((slot) => lines[slot]!));
    runs.set(slots, made);
    return made;
  };
  for (const [i, { slots }] of points.entries()) {
    const from = bounds.first[i]!;
    const to = bounds.last[i]!;
    const line = lines[from]!;
    const isForced =
      slots === undefined
        ? runsOf(undefined)[from]! > to
        : slots.likely.some((list) => list[lowerBound(list, from)]! <= to) &&
          allOf(slots).every((list) => isOneLine(list, { from, to, line, lines, ends: runsOf(list) }));
    if (isForced) found[i] = line;
  }
  return found;
}

function allOf({ likely, possible }: CallSlots): readonly Int32Array[] {
  return [...likely, ...possible];
}

interface Bounds {
  /** By point: the first slot that it can be in. */
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Returns the slots that each point can be in if all others have one; undefined if they cannot all. */
function boundsOf(points: readonly CodePoint[], count: number): Bounds | undefined {
  const first = new Int32Array(points.length);
  const last = new Int32Array(points.length);
  let low = 0;
  let taken = -1;
  for (const [i, { slots }] of points.entries()) {
    if (slots !== undefined) {
      const from = Math.max(low, taken + 1);
      low = allOf(slots).reduce(
        (least, list) => Math.min(least, list[lowerBound(list, from)] ?? count),
        count,
      );
      if (low === count) return undefined;
      taken = low;
    }
    first[i] = low;
  }
  let high = count - 1;
  taken = count;
  for (let i = points.length - 1; i >= 0; i--) {
    const { slots } = points[i]!;
    if (slots !== undefined) {
      const to = Math.min(high, taken - 1);
      high = allOf(slots).reduce(
        (most, list) => Math.max(most, list[lowerBound(list, to + 1) - 1] ?? -1),
        -1,
      );
      taken = high;
    }
    if (high < first[i]!) return undefined;
    last[i] = high;
  }
  return { first, last };
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly lines: Int32Array;
  readonly ends: Int32Array;
}

/** Returns whether all slots of a list that are in a window are on its line. */
function isOneLine(list: Int32Array, { from, to, line, lines, ends }: Window): boolean {
  const start = lowerBound(list, from);
  if (start === list.length || list[start]! > to) return true;
  const end = ends[start]!;
  return lines[list[start]!] === line && (end === list.length || list[end]! > to);
}

/** Returns for each index the end of the run of equal numbers that it is in. */
function runEnds(numbers: Int32Array): Int32Array {
  const ends = new Int32Array(numbers.length);
  for (let i = numbers.length - 1; i >= 0; i--) {
    ends[i] = numbers[i] === numbers[i + 1] ? ends[i + 1]! : i + 1;
  }
  return ends;
}
