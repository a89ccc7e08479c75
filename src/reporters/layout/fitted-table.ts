import { type Column, table } from "./table.js";
import { widthOf } from "./width.js";

/** A row of a table whose last column takes the remaining width. */
export interface FittedRow {
  readonly cells: readonly string[];
  /** Returns the last cell, at most `columns` wide. */
  last(columns: number): string;
}

/** The space between two columns of a table. */
const GAP = 2;
/** The minimum width of the last column. */
const LEAST = 16;

/**
 * Returns a table at most `width` columns wide. Its last column is cut to fit, but has at least `least` columns (default: 16).
 */
export function fittedTable(
  columns: readonly Column[],
  rows: readonly FittedRow[],
  width: number,
  least = LEAST,
): string[] {
  const fixed = columns.slice(0, -1);
  const used = fixed.reduce((sum, { title }, i) => {
    return sum + rows.reduce((most, { cells }) => Math.max(most, widthOf(cells[i]!)), widthOf(title)) + GAP;
  }, 0);
  const left = Math.max(least, width - used);
  return table(
    columns,
    rows.map((row) => [...row.cells, row.last(left)]),
  );
}
