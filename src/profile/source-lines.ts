import { partitionPoint, upperBound } from "../base/sorted.js";

/** A line terminator in V8's line count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;

/** Returns the lines of a script's text, without their terminators. */
export function sourceLines(text: string): string[] {
  return text.split(LINE_END);
}

/** Returns the offset of each line of a script's text, in UTF-16 units. */
export function lineStarts(text: string): Int32Array {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(LINE_END)) starts.push(index + end.length);
  return Int32Array.from(starts);
}

/** A position in a script as people state it: both from 1. */
export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

/** The offsets at which a text's lines begin, ascending, in UTF-16 units. */
export interface LineStarts {
  readonly starts: Int32Array;
  /** How many of them are known. */
  readonly count: number;
}

/** Returns the position of an offset from 0 on, in UTF-16 units. */
export function positionIn({ starts, count }: LineStarts, offset: number): LineColumn {
  const line = upperBound(starts, offset, 0, count);
  return { line, column: offset - starts[line - 1]! + 1 };
}

/** Returns the offset of a position, in UTF-16 units; -1 if the line is not known. */
export function offsetIn({ starts, count }: LineStarts, { line, column }: LineColumn): number {
  return line < 1 || line > count ? -1 : starts[line - 1]! + column - 1;
}

/** Two lines beside each other: numbers from 1, 0 where a text has none. */
export interface AlignedLines {
  readonly before: number;
  readonly after: number;
  readonly isSame: boolean;
}

/**
 * Puts the lines of two texts beside each other. Lines that are in both texts exactly once, in the same order,
 * are the same lines, and so are equal lines next to those (patience diff). Takes time linear in the texts, but
 * for a binary search a line.
 */
export function alignLines(before: readonly string[], after: readonly string[]): AlignedLines[] {
  const rows: AlignedLines[] = [];
  const same = (a: number, b: number) => before[a] === after[b];
  /** Aligns the lines up to `a` and `b`, from 0, which are the same or the ends. */
  let [fromA, fromB] = [0, 0];
  const alignTo = (a: number, b: number) => {
    while (fromA < a && fromB < b && same(fromA, fromB)) rows.push(pair(fromA++, fromB++, true));
    let alike = 0;
    while (a - alike > fromA && b - alike > fromB && same(a - alike - 1, b - alike - 1)) alike++;
    const [lastA, lastB] = [a - alike, b - alike];
    while (fromA < lastA && fromB < lastB) rows.push(pair(fromA++, fromB++, false));
    while (fromA < lastA) rows.push(pair(fromA++, -1, false));
    while (fromB < lastB) rows.push(pair(-1, fromB++, false));
    while (fromA < a) rows.push(pair(fromA++, fromB++, true));
  };
  for (const [a, b] of anchors(before, after)) alignTo(a, b);
  alignTo(before.length, after.length);
  return rows;
}

function pair(before: number, after: number, isSame: boolean): AlignedLines {
  return { before: before + 1, after: after + 1, isSame };
}

/** Returns the longest rising sequence of lines that both texts have once. */
function anchors(before: readonly string[], after: readonly string[]): [number, number][] {
  const inAfter = onceIn(after);
  const pairs = Array.from(onceIn(before)).flatMap(([text, a]): [number, number][] => {
    const b = inAfter.get(text);
    return b === undefined ? [] : [[a, b]];
  });
  /** By length: the pair that ends the sequence with the lowest last line. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [i, [, b]] of pairs.entries()) {
    const shorter = partitionPoint(ends.length, (length) => pairs[ends[length]!]![1] < b);
    if (shorter > 0) previous[i] = ends[shorter - 1]!;
    ends[shorter] = i;
  }
  const found: [number, number][] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = previous[i]!) found.push(pairs[i]!);
  return found.reverse();
}

/** Returns the lines that a text has once, with their numbers from 0, in their order. */
function onceIn(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [i, line] of lines.entries()) found.set(line, found.has(line) ? -1 : i);
  for (const [line, i] of found) if (i < 0) found.delete(line);
  return found;
}
