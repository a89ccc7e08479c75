import { amount, LOG, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { INFERRED, printable } from "../facts/label.js";
import { type LinePlace, type Listing, type ListingRow, withoutRows } from "../facts/listing.js";
import type { Figure, TextLayout } from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { emphasize } from "../render/style.js";
import { cutEnd, widthOf } from "../render/width.js";
import { counted, sourceLine } from "./words.js";

/** How a listing is shown. */
export interface ListingOptions {
  /** Shares are of these ticks. */
  readonly whole: Ticks;
  /** Whether it is of the program itself. Default: no. */
  readonly isProgram?: boolean;
}

interface ListingLayout extends TextLayout, Pick<ListingOptions, "whole"> {}

/** Returns a script with the ticks of each line. */
export function listingFigure(listing: Listing, { whole, isProgram = false }: ListingOptions): Figure {
  /** By row of the listing: its row in the figure. Gaps are none. */
  const index = new Int32Array(listing.rows.length);
  const rows: { ticks: Ticks; own: Ticks; isProgram: boolean }[] = [];
  for (const [i, row] of listing.rows.entries()) {
    if (row.kind === "gap") continue;
    index[i] = rows.length;
    rows.push({ ticks: Math.max(row.self, row.total), own: row.self, isProgram });
  }
  return {
    kind: "figure",
    rows,
    draw: (layout, isShown) =>
      listingLines(
        withoutRows(listing, (row) => !isShown(index[row]!)),
        { ...layout, whole },
      ),
  };
}

/** Returns what the marks of a listing mean that it has. */
export function listingLegend({ rows }: Listing): Text[] {
  const has = rows.some((row) => row.kind === "line" && row.inferred > 0);
  return has ? [inferredLine] : [];
}

/** What `7≈` is. */
export const inferredLine = text`7${INFERRED}: the ${LOG} does not say this line of some ${TICKS}, but allows no other`;

/** The columns before a text. */
interface NumberCells {
  readonly self?: string;
  readonly total?: string;
  readonly line: string;
}

/** What stands for the text of an unknown line in a loop. */
const IN_LOOP = "in this loop, line unknown (record with --no-maglev-loop-peeling)";

/** Yields a script with the ticks of each line. */
function* listingLines({ rows, isPastEnd }: Listing, layout: ListingLayout): Iterable<string> {
  const { style, width, whole, unit } = layout;
  const ticksWidth = Math.max(5, plainly(amount(whole), unit).length);
  const lineWidth = rows.reduce((most, row) => Math.max(most, lineOf(row).length), 4);
  const numbers = ({ self = "", total = "", line }: NumberCells) =>
    `${[self.padStart(ticksWidth), total.padStart(ticksWidth), line.padStart(lineWidth)].join("  ")}  `;
  const ticks = (number: Ticks) => (number === 0 ? "" : plainly(amount(number), unit));
  yield `${numbers({ self: "self", total: "total", line: "line" })}source`;
  for (const row of rows) {
    if (row.kind === "gap") {
      yield style.faint(`${numbers({ line: lineOf(row) })}${counted(row.lines, "line")}`);
      continue;
    }
    const { self, total } = row;
    const head = numbers({ self: ticks(self), total: ticks(total), line: lineOf(row) });
    const source = cutEnd(textOf(row), width - widthOf(head));
    const line = `${head}${source}`.trimEnd();
    yield total === 0 ? line : emphasize(line, { ticks: self, faint: total, whole }, style);
  }
  if (isPastEnd) {
    yield style.hot(
      plainly(text`Some ${TICKS} are past the end of this text: it is not the code that ran.`, unit),
    );
  }
}

/**
 * Returns the line number of a row. `12≈` is a line that is inferred for some ticks, `12?` an unknown line of the function that begins at line 12, and `12+`
 * one of the loop that begins there.
 */
function lineOf(row: ListingRow): string {
  if (row.kind === "gap") return "⋯";
  if (row.kind === "place") return placeTitle(row);
  if (row.kind === "line") return row.inferred === 0 ? String(row.line) : `${row.line}${INFERRED}`;
  if (row.isInLoop) return `${row.line}+`;
  return row.line === 0 ? "?" : `${row.line}?`;
}

function textOf(row: Exclude<ListingRow, { kind: "gap" }>): string {
  if (row.kind === "place") return placeText(row, row.text);
  if (row.kind === "line") return row.text === undefined ? "" : sourceLine(row.text);
  return `${printable(row.function.title)}: ${row.isInLoop ? IN_LOOP : "line unknown"}`;
}

/** Returns where a place is in its line. */
export function placeTitle({ column }: LinePlace): string {
  return `:${column ?? "?"}`;
}

/** Returns what a line has from a place on. */
export function placeText({ column }: LinePlace, line: string): string {
  return column === undefined
    ? "elsewhere in this line, column unknown"
    : `… ${sourceLine(line.slice(column - 1))}`;
}
