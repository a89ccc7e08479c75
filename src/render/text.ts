import type { Text } from "../base/text.js";
import { printable } from "../facts/label.js";
import { namedCell } from "./names.js";
import {
  type Below,
  type Block,
  type Cell,
  type Column,
  type Heading,
  isBlank,
  isText,
  type Note,
  type Row,
  type Table,
  type TextLayout,
  type Tone,
} from "./page.js";
import { spoken, type Unit } from "./spoken.js";
import { emphasize, type Style } from "./style.js";
import { table } from "./table.js";
import { cutEnd, cutMiddle, endsOf, fits, padEnd, padStart, shownMiddle, widthOf, wrapped } from "./width.js";

/** The indentation of a section's lines, in columns. */
const INDENT = 2;
/** The indentation of lines below a row. */
const BELOW = 7;
/** The space between two columns of a table. */
const GAP = 2;
/** The minimum width of the last column of a table, with the columns of names before it. */
const LEAST = 16;
/** A column of names is padded up to this width: longer ones push the rest of their line. */
const LONGEST_PADDED = 60;

/** Yields the lines of a page for people. */
export function* textLines(blocks: Iterable<Block>, layout: TextLayout): Iterable<string> {
  const { style, width, pageWidth = width, unit } = layout;
  const said = (words: Text) => spoken(words, printable, unit);
  for (const block of blocks) {
    switch (block.kind) {
      case "heading":
        yield* headingLines(block, layout);
        break;
      case "note":
        if (!block.isMarkdownOnly) yield* noteLines(block, layout);
        break;
      case "gap":
        yield "";
        break;
      case "part":
        yield "";
        yield `${block.what} ${style.heading(printable(block.name))}`;
        for (const words of block.facts) yield `${" ".repeat(INDENT)}${said(words)}`;
        break;
      case "section": {
        yield "";
        if (block.title !== undefined) yield style.heading(` [${said(block.title)}]:`);
        let isEmpty = true;
        const inside = { style, width: width - INDENT, pageWidth: pageWidth - INDENT, unit };
        for (const line of textLines(block.blocks, inside)) {
          isEmpty = false;
          yield line === "" ? "" : `${" ".repeat(INDENT)}${line}`;
        }
        if (isEmpty) yield "  none";
        break;
      }
      case "table":
        yield* tableLines(block, layout);
        break;
      case "figure":
        yield* block.draw(layout, () => true);
        break;
      case "sources":
        break;
      case "legend":
        yield "";
        for (const line of block.lines.flatMap((one) => wrapped(said(one), width - INDENT)))
          yield style.faint(`${" ".repeat(INDENT)}${line}`);
        break;
      case "fitted": {
        const wide = Array.from(textLines(block.wide, { style, width: Number.POSITIVE_INFINITY, unit }));
        if (wide.every((line) => widthOf(line) <= pageWidth)) yield* wide;
        else yield* textLines(block.narrow, layout);
        break;
      }
      case "commands":
        if (block.isApart) yield "";
        for (const { command, why } of block.lines) {
          if (why !== undefined) yield style.faint(cutEnd(`# ${said(why)}`, width));
          yield block.isApart ? `    ${command}` : command;
        }
    }
  }
}

function* headingLines(
  { name, facts: words, isAbove = false }: Heading,
  { style, width, unit }: TextLayout,
): Iterable<string> {
  const facts = spoken(words, printable, unit);
  if (!isAbove) {
    yield style.heading(`${shownMiddle(name, Math.max(LEAST, width - widthOf(facts) - 2))}: ${facts}`);
    return;
  }
  yield style.heading(`${shownMiddle(name, width - 1)}:`);
  yield* wrapped(facts, width);
}

function* noteLines(
  { words, tone = "plain", isWhole = false }: Note,
  { style, width, unit }: TextLayout,
): Iterable<string> {
  const paint = brush(tone, style);
  for (const line of wrapped(spoken(words, printable, unit), width))
    yield paint(isWhole ? line : cutEnd(line, width));
}

function brush(tone: Tone, style: Style): (text: string) => string {
  return tone === "plain" ? (text) => text : style[tone];
}

/** Returns the lines of a table: numbers first, in aligned columns, then names and what is behind them. */
function tableLines(shown: Table, layout: TextLayout): string[] {
  const { style, width, unit } = layout;
  const { rows, rest, isHeadless = false } = shown;
  if (rows.length === 0 && rest === undefined) return [];
  if (isHeadless) return headlessLines(shown, layout);
  const drawn = new DrawnTable(shown, layout);
  const [head = "", ...lines] = drawn.lines();
  const below = Math.max(0, width - BELOW);
  return [
    head,
    ...lines.flatMap((line, i) => [line, ...belowLines(rows[i]!, below, layout)]),
    ...(rest === undefined ? [] : [style.faint(spoken(rest, printable, unit))]),
  ];
}

/** Returns the rows of a table without its head, indented. */
function headlessLines(shown: Table, layout: TextLayout): string[] {
  const columns = shown.columns.map((column) => ({ ...column, title: "" }));
  const width = Math.max(0, layout.width - INDENT);
  const [, ...lines] = new DrawnTable({ ...shown, columns }, { ...layout, width }).lines();
  return lines.map((line) => " ".repeat(INDENT) + line);
}

function belowLines({ below = [] }: Row, columns: number, { style, unit }: TextLayout): string[] {
  const linesOf = (one: Text | Below): string[] => {
    const { words, beside, tone = "plain", isWrapped = false }: Below = isText(one) ? { words: one } : one;
    const text = spoken(words, printable, unit);
    const paint = brush(tone, style);
    if (beside !== undefined) {
      const second = spoken(beside, printable, unit);
      const both = text + second;
      return fits(both, columns) ? [both] : [cutMiddle(text.trim(), columns), cutEnd(second, columns)];
    }
    return (isWrapped ? wrapped(text, columns) : [text]).map((line) => paint(cutEnd(line, columns)));
  };
  return below
    .flatMap(linesOf)
    .filter((line) => line !== "")
    .map((line) => " ".repeat(BELOW) + line);
}

class DrawnTable {
  readonly #table: Table;
  readonly #style: Style;
  readonly #width: number;
  readonly #unit: Unit;
  readonly #titles: readonly string[];
  /** The columns that are shown, by their index. */
  readonly #columns: readonly number[];
  /** The first of them that holds names. */
  readonly #firstName: number;

  constructor(shown: Table, { style, width, unit }: TextLayout) {
    this.#table = shown;
    this.#style = style;
    this.#width = width;
    this.#unit = unit;
    const { columns, rows } = shown;
    this.#titles = columns.map(({ title }) => spoken(title, printable, unit));
    const isShown = (column: Column, i: number) =>
      !column.isIfAny || rows.some(({ cells }) => !isBlank(cells[i]!));
    this.#columns = this.#fitting(Array.from(columns.keys()).filter((i) => isShown(columns[i]!, i)));
    const first = this.#columns.findIndex((i) => columns[i]!.share !== undefined);
    const last = columns[this.#columns.at(-1)!]!;
    const isAligned = first < 0 && last.align === "right";
    this.#firstName = isAligned ? this.#columns.length : first < 0 ? this.#columns.length - 1 : first;
  }

  lines(): string[] {
    const { columns, rows } = this.#table;
    const numbers = this.#columns.slice(0, this.#firstName);
    const names = this.#columns.slice(this.#firstName, -1);
    const last = this.#columns.at(-1)!;
    const widths = names.map((i) => this.#nameWidth(i));
    const beside = widths.reduce((sum, one) => sum + one + GAP, 0);
    const used = numbers.reduce((sum, i) => sum + this.#cellWidth(i) + GAP, beside);
    const room = Math.max(LEAST - beside, this.#width - used);
    const head = [...names.map((i, n) => padEnd(this.#titles[i]!, widths[n]!)), this.#titles[last]!].join(
      "  ",
    );
    const titles = numbers.map((i) => padStart(this.#titles[i]!, columns[i]!.least ?? 0));
    const shownColumns = numbers.map((i, n) => {
      const { align } = columns[i]!;
      return align === undefined ? { title: titles[n]! } : { title: titles[n]!, align };
    });
    const numbersOf = (row: Row) =>
      numbers.map((i) => this.#brushOf(row)(this.#text(row.cells[i]!, Number.POSITIVE_INFINITY, plain)));
    if (numbers.length === this.#columns.length) return table(shownColumns, rows.map(numbersOf));
    return table(
      [...shownColumns, { title: head }],
      rows.map((row) => {
        const paint = this.#brushOf(row);
        const lead = names.map((i, n) =>
          padEnd(this.#text(row.cells[i]!, this.#share(i), paint), widths[n]!),
        );
        // A name that is longer than its column leaves less for what is behind it.
        const over = lead.reduce((sum, cell, n) => sum + Math.max(0, widthOf(cell) - widths[n]!), 0);
        const end = this.#text(row.cells[last]!, room - over, paint);
        return [...numbersOf(row), [...lead, end].join("  ").trimEnd()];
      }),
    );
  }

  /** Returns the columns without those that leave too little for the last one. */
  #fitting(all: readonly number[]): readonly number[] {
    const { columns, least = LEAST } = this.#table;
    const dropped = all
      .filter((i) => columns[i]!.dropped !== undefined)
      .sort((a, b) => columns[a]!.dropped! - columns[b]!.dropped!);
    let kept = all;
    for (const drop of dropped) {
      const used = kept
        .slice(0, -1)
        .reduce(
          (sum, i) => sum + (columns[i]!.share === undefined ? this.#cellWidth(i) : this.#nameWidth(i)) + GAP,
          0,
        );
      if (this.#width - used >= least) break;
      kept = kept.filter((i) => i !== drop);
    }
    return kept;
  }

  #cellWidth(i: number): number {
    const { least = 0 } = this.#table.columns[i]!;
    return this.#table.rows.reduce(
      (most, { cells }) => Math.max(most, widthOf(this.#text(cells[i]!, Number.POSITIVE_INFINITY, plain))),
      Math.max(least, widthOf(this.#titles[i]!)),
    );
  }

  #nameWidth(i: number): number {
    const title = widthOf(this.#titles[i]!);
    const widest = this.#table.rows.reduce(
      (most, { cells }) => Math.max(most, widthOf(this.#text(cells[i]!, this.#share(i), plain))),
      title,
    );
    return Math.min(widest, Math.max(LONGEST_PADDED, title));
  }

  #share(i: number): number {
    const { share = 1 } = this.#table.columns[i]!;
    return this.#width === Number.POSITIVE_INFINITY ? this.#width : Math.floor(this.#width * share);
  }

  #brushOf({ ticks = 0, tone }: Row): (text: string) => string {
    if (tone !== undefined) return brush(tone, this.#style);
    const { whole } = this.#table;
    return whole === undefined ? plain : (text) => emphasize(text, { ticks, whole }, this.#style);
  }

  /** Returns a cell that is at most so wide. */
  #text(cell: Cell, columns: number, paint: (text: string) => string): string {
    if (isText(cell)) {
      const text = spoken(cell, printable, this.#unit);
      return text === "" ? "" : paint(cutEnd(text, columns));
    }
    if ("path" in cell) return paint(cell.fit(columns));
    if ("title" in cell) {
      const marks = spoken(cell.marks ?? "", printable, this.#unit);
      return namedCell(cell, { columns, style: this.#style, marks, paint });
    }
    const { text, cut, tone, indent = 0 } = cell;
    const marks = spoken(cell.marks ?? "", printable, this.#unit);
    const lead = " ".repeat(Math.min(indent, Math.floor(columns / 4) * 2));
    const shown = printable(endsOf(text, columns));
    const room = columns - lead.length - (marks === "" ? 0 : widthOf(marks) + 1);
    const one = cut === "end" ? cutEnd(shown, room) : cutMiddle(shown, room);
    const whole = `${lead}${one}${marks === "" || one === "" ? "" : ` ${marks}`}`;
    return whole === "" ? "" : tone === undefined ? paint(whole) : brush(tone, this.#style)(whole);
  }
}

function plain(text: string): string {
  return text;
}
