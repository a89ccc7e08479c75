import { type Column, table } from "./table.js";
import { widthOf } from "./width.js";

/** A row of a table whose last column takes the width that the others leave. */
export interface FittedRow {
  readonly cells: readonly string[];
  /** The last cell, in at most so many columns. */
  last(columns: number): string;
}

/** The columns between two columns of a table. */
const GAP = 2;
/** What the last column gets in any case. */
const LEAST = 16;

/** A table as wide as `width` at most; the last of its columns is cut to fit. */
export function fittedTable(columns: readonly Column[], rows: readonly FittedRow[], width: number): string[] {
  const fixed = columns.slice(0, -1);
  const used = fixed.reduce((sum, { title }, i) => {
    return sum + rows.reduce((most, { cells }) => Math.max(most, widthOf(cells[i]!)), widthOf(title)) + GAP;
  }, 0);
  const left = Math.max(LEAST, width - used);
  return table(
    columns,
    rows.map((row) => [...row.cells, row.last(left)]),
  );
}
