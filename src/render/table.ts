import { padEnd, padStart, widthOf } from "./width.js";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

/** Between two columns. */
const GAP = "  ";

/**
 * Returns a table without borders: titles, then rows, with two spaces between columns and none at line ends.
 * A left-aligned last column is not measured, so it can hold names of any length.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const isOpen = columns.length > 1 && columns.at(-1)?.align !== "right";
  const aligned = isOpen ? columns.slice(0, -1) : columns;
  const widths = aligned.map((_, i) =>
    all.reduce((most, cells) => Math.max(most, widthOf(cells[i] ?? "")), 1),
  );
  return all.map((cells) => {
    const padded = aligned.map(({ align }, i) =>
      align === "right" ? padStart(cells[i] ?? "", widths[i]!) : padEnd(cells[i] ?? "", widths[i]!),
    );
    return [...padded, ...(isOpen ? [cells[aligned.length] ?? ""] : [])].join(GAP).trimEnd();
  });
}

/** A row of a table whose last column takes the remaining width. */
export interface FittedRow {
  readonly cells: readonly string[];
  /** Returns the last cell, at most `columns` wide. */
  last(columns: number): string;
}

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
    return (
      sum + rows.reduce((most, { cells }) => Math.max(most, widthOf(cells[i]!)), widthOf(title)) + GAP.length
    );
  }, 0);
  const left = Math.max(least, width - used);
  return table(
    columns,
    rows.map((row) => [...row.cells, row.last(left)]),
  );
}
