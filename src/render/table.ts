import Grid from "cli-table3";
import { isPlain, widthOf } from "./width.js";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Rows laid out at once: cli-table3 takes time quadratic in their number. */
const BLOCK = 64;

const GAP = NO_BORDERS.middle;

/**
 * Returns a table without borders: titles, then rows, with two spaces between columns and none at line ends.
 * A left-aligned last column is not measured, so it can hold names of any length.
 */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const isOpen = columns.length > 1 && columns.at(-1)?.align !== "right";
  const aligned = isOpen ? columns.slice(0, -1) : columns;
  const colWidths = aligned.map((_, i) =>
    all.reduce((most, cells) => Math.max(most, widthOf(cells[i] ?? "")), 1),
  );
  const colAligns = aligned.map(({ align }) => align ?? "left");
  const lines: string[] = [];
  const isNarrow = all.every((cells) => aligned.every((_, i) => isPlain(cells[i] ?? "")));
  if (isNarrow) {
    const pad = (text: string, i: number) =>
      colAligns[i] === "right" ? text.padStart(colWidths[i]!) : text.padEnd(colWidths[i]!);
    return all.map((cells) => {
      const line = aligned.map((_, i) => pad(cells[i] ?? "", i)).join(GAP);
      return (isOpen ? line + GAP + (cells[aligned.length] ?? "") : line).trimEnd();
    });
  }
  for (let from = 0; from < all.length; from += BLOCK) {
    const style = { head: [], border: [], "padding-left": 0, "padding-right": 0 };
    const grid = new Grid({ colWidths, colAligns, chars: NO_BORDERS, style });
    const block = all.slice(from, from + BLOCK);
    for (const cells of block) grid.push(aligned.map((_, i) => cells[i] ?? ""));
    for (const [i, line] of grid.toString().split("\n").entries()) {
      lines.push((isOpen ? line + GAP + (block[i]?.[aligned.length] ?? "") : line).trimEnd());
    }
  }
  return lines;
}

/** A row of a table whose last column takes the remaining width. */
export interface FittedRow {
  readonly cells: readonly string[];
  /** Returns the last cell, at most `columns` wide. */
  last(columns: number): string;
}

/** The space between two columns of a table. */
const GAP_COLUMNS = 2;
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
      sum + rows.reduce((most, { cells }) => Math.max(most, widthOf(cells[i]!)), widthOf(title)) + GAP_COLUMNS
    );
  }, 0);
  const left = Math.max(least, width - used);
  return table(
    columns,
    rows.map((row) => [...row.cells, row.last(left)]),
  );
}
