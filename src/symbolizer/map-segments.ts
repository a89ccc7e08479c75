import { LAST_POSITION, SOURCE_MAP_SEGMENTS } from "../limits.js";
import { lowerBound, upperBound } from "../profile/sorted.js";

/** The number of sources and names that the segments of a map can refer to. */
export interface SegmentBounds {
  readonly sources: number;
  readonly names: number;
}

const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** By character: its digit; -1 if it is not one. */
const DIGIT_OF = new Int8Array(128).fill(-1);
for (let digit = 0; digit < DIGITS.length; digit++) DIGIT_OF[DIGITS.charCodeAt(digit)] = digit;
/** The bit that marks that more digits follow. */
const MORE = 32;
/** The bits of a digit that hold its value. */
const BITS = 31;
/** A 32-bit number has 6 full digits; the seventh has only the remaining bits. */
const LAST_SHIFT = 30;
const LAST_BITS = 3;

/**
 * The segments of a source map, which map positions of the generated script to positions in sources, all from
 * 0. They are in columns of numbers, so that a map's memory depends only on the length of its text.
 *
 * Source: ECMA-426, "Mappings structure".
 */
export class MapSegments {
  /** By line: the index of its first segment, with one more entry at the end. */
  readonly #starts: Int32Array;
  readonly #columns: Int32Array;
  /** -1 for a segment without a source. */
  readonly #sources: Int32Array;
  readonly #sourceLines: Int32Array;
  readonly #sourceColumns: Int32Array;
  /** -1 for a segment without a name. */
  readonly #names: Int32Array;

  /** Reads the `mappings` of a map. Throws an `Error` if they are malformed or exceed the bounds. */
  constructor(mappings: string, bounds: SegmentBounds) {
    const { lines, segments } = countSegments(mappings);
    this.#starts = new Int32Array(lines + 1);
    this.#columns = new Int32Array(segments);
    this.#sources = new Int32Array(segments).fill(-1);
    this.#sourceLines = new Int32Array(segments);
    this.#sourceColumns = new Int32Array(segments);
    this.#names = new Int32Array(segments).fill(-1);
    this.#read(mappings, bounds);
  }

  /**
   * Returns the last segment of a line that begins at or before a column, or the first of several at exactly
   * that column; -1 if there is none.
   */
  find(line: number, column: number): number {
    if (line < 0 || line >= this.#starts.length - 1) return -1;
    const start = this.#starts[line]!;
    const after = upperBound(this.#columns, column, start, this.#starts[line + 1]!);
    if (after === start) return -1;
    return this.#columns[after - 1] === column ? lowerBound(this.#columns, column, start, after) : after - 1;
  }

  /** Calls `visit` with the line, the column and the source of each segment that has a source, in order. */
  visit(visit: (line: number, column: number, source: number) => void): void {
    for (let line = 0; line < this.#starts.length - 1; line++) {
      const end = this.#starts[line + 1]!;
      for (let segment = this.#starts[line]!; segment < end; segment++) {
        const source = this.#sources[segment]!;
        if (source >= 0) visit(line, this.#columns[segment]!, source);
      }
    }
  }

  column(segment: number): number {
    return this.#columns[segment]!;
  }

  /** Returns the index of the source; -1 if there is none. */
  source(segment: number): number {
    return this.#sources[segment]!;
  }

  sourceLine(segment: number): number {
    return this.#sourceLines[segment]!;
  }

  sourceColumn(segment: number): number {
    return this.#sourceColumns[segment]!;
  }

  /** Returns the index of the name; -1 if there is none. */
  name(segment: number): number {
    return this.#names[segment]!;
  }

  #read(mappings: string, bounds: SegmentBounds): void {
    const reader = new FieldReader(mappings);
    let [source, sourceLine, sourceColumn, name, segment] = [0, 0, 0, 0, 0];
    for (let line = 0; line < this.#starts.length - 1; line++) {
      this.#starts[line] = segment;
      let column = 0;
      let isSorted = true;
      while (reader.nextSegment()) {
        const before = column;
        column = reader.add(column, LAST_POSITION);
        isSorted &&= column >= before;
        this.#columns[segment] = column;
        if (reader.hasField()) {
          source = reader.add(source, bounds.sources - 1);
          sourceLine = reader.add(sourceLine, LAST_POSITION);
          sourceColumn = reader.add(sourceColumn, LAST_POSITION);
          this.#sources[segment] = source;
          this.#sourceLines[segment] = sourceLine;
          this.#sourceColumns[segment] = sourceColumn;
          if (reader.hasField()) {
            name = reader.add(name, bounds.names - 1);
            this.#names[segment] = name;
          }
        }
        if (reader.hasField()) throw new Error("a segment has too many fields");
        segment++;
      }
      if (!isSorted) this.#sort(this.#starts[line]!, segment);
    }
    this.#starts[this.#starts.length - 1] = segment;
  }

  /** Sorts the segments of a line by column; segments at one column keep their order. */
  #sort(start: number, end: number): void {
    const columns = this.#columns;
    const order = Int32Array.from({ length: end - start }, (_, i) => start + i);
    order.sort((a, b) => columns[a]! - columns[b]! || a - b);
    for (const all of [this.#columns, this.#sources, this.#sourceLines, this.#sourceColumns, this.#names]) {
      all.set(
        order.map((segment) => all[segment]!),
        start,
      );
    }
  }
}

/** Returns the number of lines, and an upper bound of the number of segments. Throws if they are too many. */
function countSegments(mappings: string): { lines: number; segments: number } {
  let [lines, commas] = [1, 0];
  for (let i = 0; i < mappings.length; i++) {
    const character = mappings.charCodeAt(i);
    if (character === SEMICOLON) lines++;
    else if (character === COMMA) commas++;
  }
  const segments = Math.min(lines + commas, mappings.length);
  if (lines > SOURCE_MAP_SEGMENTS || segments > SOURCE_MAP_SEGMENTS)
    throw new Error("it has too many segments");
  return { lines, segments };
}

/** Reads the numbers of mappings one by one. */
class FieldReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Moves to the next segment of the line. Returns false, and moves past the line's end, if there is none.
   */
  nextSegment(): boolean {
    while (this.#text.charCodeAt(this.#at) === COMMA) this.#at++;
    if (this.hasField()) return true;
    this.#at++;
    return false;
  }

  /** Returns whether the segment has another field. */
  hasField(): boolean {
    if (this.#at >= this.#text.length) return false;
    const character = this.#text.charCodeAt(this.#at);
    return character !== COMMA && character !== SEMICOLON;
  }

  /**
   * Returns the next field, which is relative to the previous value. Throws if the result is not from 0 to
   * `most`.
   */
  add(before: number, most: number): number {
    const value = before + this.#difference();
    if (value >= 0 && value <= most) return value;
    throw new Error("a segment is out of range");
  }

  #difference(): number {
    let value = 0;
    for (let shift = 0; ; shift += 5) {
      const digit = DIGIT_OF[this.#text.charCodeAt(this.#at++)] ?? -1;
      if (digit < 0) throw new Error("a segment is cut off or has an invalid character");
      if (shift === LAST_SHIFT && digit > LAST_BITS)
        throw new Error("a segment has a number that is too large");
      value += (digit & BITS) * 2 ** shift;
      if ((digit & MORE) === 0) break;
    }
    const size = Math.floor(value / 2);
    return value % 2 === 0 ? size : -size;
  }
}
