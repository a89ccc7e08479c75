import type { Ticks } from "../../profile/units.js";
import { printable } from "../../views/label.js";
import type { Listing, ListingRow } from "../../views/listing.js";
import { counted, emphasize } from "./numbers.js";
import { sourceLine } from "./source-line.js";
import type { Style } from "./style.js";
import { cutEnd, widthOf } from "./width.js";

export interface ListingLayout {
  readonly style: Style;
  /** How many columns a line takes at most. */
  readonly width: number;
  /** What shares are of. */
  readonly whole: Ticks;
}

/** A script with ticks beside its lines. */
export function* listingLines({ rows, isPastEnd }: Listing, layout: ListingLayout): Iterable<string> {
  const { style, width, whole } = layout;
  const ticksWidth = Math.max(5, String(whole).length);
  const lineWidth = rows.reduce((most, row) => Math.max(most, lineOf(row).length), 4);
  const numbers = (self: string, total: string, line: string) =>
    `${self.padStart(ticksWidth)}  ${total.padStart(ticksWidth)}  ${line.padStart(lineWidth)}  `;
  const ticks = (number: Ticks) => (number === 0 ? "" : String(number));
  yield `${numbers("self", "total", "line")}source`;
  for (const row of rows) {
    if (row.kind === "gap") {
      yield style.faint(`${numbers("", "", lineOf(row))}${counted(row.lines, "line")}`);
      continue;
    }
    const { self, total } = row;
    const head = numbers(ticks(self), ticks(total), lineOf(row));
    const text = cutEnd(textOf(row), width - widthOf(head));
    const line = `${head}${text}`.trimEnd();
    yield total === 0 ? line : emphasize(line, { ticks: self, faint: total, whole }, style);
  }
  if (isPastEnd) {
    yield style.hot("Ticks lie past the end of this text: the file is not the one that ran.");
  }
}

/** What stands for a line: its number, with a `?` that of its function where it is not known. */
function lineOf(row: ListingRow): string {
  if (row.kind === "gap") return "⋯";
  if (row.kind === "line") return String(row.line);
  return row.line === 0 ? "?" : `${row.line}?`;
}

function textOf(row: Exclude<ListingRow, { kind: "gap" }>): string {
  if (row.kind === "line") return row.text === undefined ? "" : sourceLine(row.text);
  return `${printable(row.function.title)}: line unknown`;
}
