import { upperBound } from "./sorted.js";

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
