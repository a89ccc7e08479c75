import { valueAt } from "../base/maps.js";
import { amount, LOG, type Text, TICKS, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { INFERRED, printable } from "../facts/label.js";
import type { ScriptLines } from "../facts/source-texts.js";
import type { Figure, TextLayout } from "../render/page.js";
import { plainly } from "../render/spoken.js";
import { emphasize } from "../render/style.js";
import { cutEnd, widthOf } from "../render/width.js";
import { type LineData, type PlaceData, shownFunction } from "./json.js";
import { counted, sourceLine } from "./words.js";

/** A row of an annotated script: a line, a place in it, lines left out, or a function's ticks at unknown lines. */
export type ListingRow =
  | {
      readonly kind: "line";
      /** From 1. */
      readonly line: number;
      readonly self: Ticks;
      readonly total: Ticks;
      /** Undefined for none. */
      readonly inferred?: Ticks | undefined;
      /** Undefined if there is no text, or the text ends before this line. */
      readonly text: string | undefined;
    }
  | (PlaceData & { readonly kind: "place"; readonly line: number; readonly text: string })
  | { readonly kind: "gap"; readonly lines: number }
  | {
      readonly kind: "unknown-line";
      /** The line where the function begins, or the loop that the line is in; 0 if unknown. */
      readonly line: number;
      readonly isInLoop: boolean;
      readonly title: string;
      readonly self: Ticks;
      readonly total: Ticks;
    };

interface ListingBounds {
  /** Lines to show around those with ticks; `Infinity` for all. */
  readonly context: number;
  /** The line where a function begins, always shown; lines before it only with ticks. Default: none. */
  readonly from?: number | undefined;
  /** The last line to show without ticks. Default: the last one. */
  readonly to?: number | undefined;
}

/** A script, or one function of it, with the ticks of each line, in source order. */
export interface Listing {
  readonly rows: readonly ListingRow[];
  /** Whether a line with ticks is past the end of the text, which is then not the one that ran. */
  readonly isPastEnd: boolean;
}

/** Returns the lines with ticks and those near them; without a text, only the lines with ticks. */
export function listing(
  lines: readonly LineData[],
  script: ScriptLines | undefined,
  options: ListingBounds,
): Listing {
  const known = new Map(lines.flatMap((ticks) => (ticks.line === null ? [] : [[ticks.line, ticks]])));
  const unknown = unknownByStart(lines);
  const count = script?.lines.length ?? 0;
  const marked = [...known.keys(), ...unknown.keys()].filter((line) => line > 0);
  const context = script === undefined ? 0 : options.context;
  const bounds = { context, from: options.from ?? 1, to: Math.min(options.to ?? count, count) };
  const rows: ListingRow[] = [...(unknown.get(0) ?? [])];
  let last = bounds.from - 1;
  const shown = linesNear(marked, bounds);
  if (options.from !== undefined && options.from <= count) shown.add(options.from);
  for (const line of Array.from(shown).sort((a, b) => a - b)) {
    const ticks = known.get(line);
    const text = script?.lines[line - 1];
    if (script !== undefined && line > last + 1) rows.push(gap(last + 1, line - 1, script));
    last = line;
    if (text !== undefined || ticks !== undefined) {
      const { self = 0, total = 0, inferred } = ticks ?? {};
      rows.push({ kind: "line", line, self, total, inferred, text });
    }
    if (text !== undefined && ticks !== undefined)
      for (const place of ticks.places ?? []) rows.push({ ...place, kind: "place", line, text });
    for (const row of unknown.get(line) ?? []) rows.push(row);
  }
  if (last < bounds.to) rows.push(gap(last + 1, bounds.to, script));
  return { rows, isPastEnd: isPastEnd(lines, script) };
}

/** Returns whether some lines are past the end of a text. */
export function isPastEnd(lines: readonly LineData[], script: ScriptLines | undefined): boolean {
  return script !== undefined && lines.some((line) => startOf(line) > script.lines.length);
}

/** Returns the number of a line; of an unknown one where its loop or its function begins; 0 if that is unknown too. */
export function startOf({ line, loop, function: owner }: LineData): number {
  return line ?? loop ?? owner.line ?? 0;
}

/** Returns what stands for lines without ticks: a line is no longer than what says that there is one. */
function gap(from: number, to: number, script: ScriptLines | undefined): ListingRow {
  const text = script?.lines[from - 1];
  if (from < to || text === undefined) return { kind: "gap", lines: to - from + 1 };
  return { kind: "line", line: from, self: 0, total: 0, text };
}

/** Returns a script without some of its rows. Gaps count the lines that are left out. */
export function withoutRows({ rows, isPastEnd }: Listing, isLeftOut: (row: number) => boolean): Listing {
  const shown: ListingRow[] = [];
  for (const [i, row] of rows.entries()) {
    if (row.kind !== "gap" && !isLeftOut(i)) {
      shown.push(row);
      continue;
    }
    const lines = row.kind === "gap" ? row.lines : row.kind === "line" ? 1 : 0;
    const last = shown.at(-1);
    if (last?.kind === "gap") shown[shown.length - 1] = { kind: "gap", lines: last.lines + lines };
    else if (lines > 0) shown.push({ kind: "gap", lines });
  }
  return { rows: shown, isPastEnd };
}

/**
 * Returns the ticks at unknown lines, by the line where their loop or function begins; 0 if that is unknown
 * too.
 */
function unknownByStart(lines: readonly LineData[]): Map<number, ListingRow[]> {
  const byStart = new Map<number, ListingRow[]>();
  for (const one of lines) {
    if (one.line !== null) continue;
    const { loop, function: owner, self, total } = one;
    const line = startOf(one);
    valueAt(byStart, line, () => []).push({
      kind: "unknown-line",
      ...{ line, isInLoop: loop !== undefined, title: shownFunction(owner).title, self, total },
    });
  }
  return byStart;
}

/** {@link ListingBounds} with defaults filled in. */
type Bounds = { readonly [Key in keyof ListingBounds]-?: number };

/** Returns the marked lines and those near them. */
function linesNear(marked: readonly number[], bounds: Bounds): Set<number> {
  const { context, from, to } = bounds;
  const near = new Set(marked);
  const isAll = context === Number.POSITIVE_INFINITY;
  for (const line of isAll ? [from] : marked) {
    const end = Math.min(to, line + context);
    for (let other = Math.max(from, line - context); other <= end; other++) near.add(other);
  }
  return near;
}

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
  const has = rows.some((row) => row.kind === "line" && row.inferred !== undefined);
  return has ? [INFERRED_LINE] : [];
}

/** What `7≈` is. */
export const INFERRED_LINE = text`7${INFERRED}: the ${LOG} does not say this line of some ${TICKS}, but allows no other`;

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
  if (row.kind === "line") return row.inferred === undefined ? String(row.line) : `${row.line}${INFERRED}`;
  if (row.isInLoop) return `${row.line}+`;
  return row.line === 0 ? "?" : `${row.line}?`;
}

function textOf(row: Exclude<ListingRow, { kind: "gap" }>): string {
  if (row.kind === "place") return placeText(row, row.text);
  if (row.kind === "line") return row.text === undefined ? "" : sourceLine(row.text);
  return `${printable(row.title)}: ${row.isInLoop ? IN_LOOP : "line unknown"}`;
}

/** Returns where a place is in its line. */
export function placeTitle({ column }: Pick<PlaceData, "column">): string {
  return `:${column ?? "?"}`;
}

/** Returns what a line has from a place on. */
export function placeText({ column }: Pick<PlaceData, "column">, line: string): string {
  return column === null
    ? "elsewhere in this line, column unknown"
    : `… ${sourceLine(line.slice(column - 1))}`;
}
