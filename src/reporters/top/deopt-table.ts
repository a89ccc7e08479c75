import { PositionNames } from "../../reports/deopts.js";
import type { DeoptRow } from "../../views/deopts.js";
import { printable } from "../../views/label.js";
import type { FittedRow } from "../layout/fitted-table.js";
import { namedCell } from "../layout/named-cell.js";
import type { Column } from "../layout/table.js";
import { cutEnd } from "../layout/width.js";
import type { LineTableOptions } from "./line-table.js";

export interface DeoptTableOptions extends LineTableOptions {
  /** Returns the share of a row and its margin, as two cells. */
  readonly shareCells: (row: DeoptRow, index: number) => readonly [string, string];
}

/** The share of the page for a deoptimized function and its position. */
const NAME_SHARE = 0.45;

/** Returns the columns and rows of a table of deoptimizations. */
export function deoptTable(
  rows: readonly DeoptRow[],
  { width, style, painter, shareCells }: DeoptTableOptions,
): { readonly columns: readonly Column[]; readonly rows: readonly FittedRow[] } {
  const names = new PositionNames(rows);
  const right = (title: string): Column => ({ title, align: "right" });
  return {
    columns: [
      right("ticks"),
      right("share"),
      { title: "±" },
      right("times"),
      { title: "function" },
      { title: "reason" },
    ],
    rows: rows.map((row, i) => {
      const paint = painter(row.cost);
      const name = { title: row.title, position: names.function(row) };
      return {
        cells: [
          ...[String(row.cost), ...shareCells(row, i), String(row.count)].map(paint),
          namedCell(name, { columns: Math.floor(width * NAME_SHARE), style, paint }),
        ],
        last: (columns) => paint(cutEnd(printable(row.reason), columns)),
      };
    }),
  };
}
