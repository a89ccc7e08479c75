import { isEmpty, type Text, UNIT } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import type { ShownName } from "../facts/function-names.js";
import type { SourceTexts } from "../facts/source-texts.js";
import type { Unit } from "./spoken.js";
import type { Style } from "./style.js";

export { code } from "../base/text.js";

/**
 * The page of a report: a list of blocks, which text and Markdown render each in its way.
 *
 * Text are ours, names are from the log. A block never has a name as it is: a renderer makes names safe, escaped in text,
 * as code spans in Markdown.
 */
export type Block =
  | Heading
  | Note
  | Part
  | Section
  | Table
  | Figure
  | Commands
  | Legend
  | Sources
  | Gap
  | Fitted;

/** How a text stands out on a terminal. */
export type Tone = "plain" | "heading" | "hot" | "faint";

/** The first line of a page: what was recorded, and the facts of it. */
export interface Heading {
  readonly kind: "heading";
  /** A name from the log. */
  readonly name: string;
  readonly facts: Text;
  /** Whether the facts have a line of their own in text. */
  readonly isAbove?: boolean;
}

/** A paragraph. */
export interface Note {
  readonly kind: "note";
  readonly words: Text;
  /** Default: plain. What is hot is bold in Markdown. */
  readonly tone?: Tone;
  /** Whether the paragraph is only for people at a terminal, such as advice on options. Default: no. */
  readonly isTextOnly?: boolean;
  /** Whether it is only for those who read a page that was passed on, and have no help. Default: no. */
  readonly isMarkdownOnly?: boolean;
  /** Whether a word that is longer than a line of text is not cut: it may be typed. Default: no. */
  readonly isWhole?: boolean;
}

/** What the next blocks are of: a function with the facts of it. */
export interface Part {
  readonly kind: "part";
  /** A word before the name, since no line may begin with a name: a CI takes some for commands, such as `::error`. */
  readonly what: string;
  readonly name: string;
  readonly facts: readonly Text[];
}

/** A part of the page with a title, or without one. Text indents it. */
export interface Section {
  readonly kind: "section";
  readonly title: Text | undefined;
  readonly blocks: readonly Block[];
}

/** An empty line in text. Blocks of Markdown always have one between them. */
export interface Gap {
  readonly kind: "gap";
}

export const GAP: Gap = { kind: "gap" };

/** Makes a {@link Note}. */
export function note(words: Text, tone: Tone = "plain"): Note {
  return { kind: "note", words, tone };
}

/** Makes a {@link Section}. */
export function section(title: Text | undefined, ...blocks: readonly Block[]): Section {
  return { kind: "section", title, blocks };
}

/** What the columns of the tables above are. */
export interface Legend {
  readonly kind: "legend";
  readonly lines: readonly Text[];
}

/** Which scripts the page has source lines of, told where pages are shared: in Markdown. */
export interface Sources {
  readonly kind: "sources";
  readonly files: readonly string[];
  readonly sources: SourceTexts;
}

/** Command lines to type, each with the reason above it. */
export interface Commands {
  readonly kind: "commands";
  /** Whether text has them apart from the sentences around them. Default: no. */
  readonly isApart?: boolean;
  readonly lines: readonly { readonly command: string; readonly why?: Text }[];
}

/** A table. Its last column has the width that is left. */
export interface Table {
  readonly kind: "table";
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** The ticks that the shares of rows are of: it decides which rows are hot. Default: none is. */
  readonly whole?: Ticks;
  /** What is not in the rows: `… 12 ticks in 3 more functions`. Default: nothing. */
  readonly rest?: Text | undefined;
  /** Columns of text that can be left out are, while the last one has less than so many columns. Default: 16. */
  readonly least?: number;
  /** Whether text has its rows alone, below the sentence that says what they are. Default: no. */
  readonly isHeadless?: boolean;
}

export interface Column {
  readonly title: Text;
  /** Default: left. */
  readonly align?: "left" | "right";
  /** The least width in text. */
  readonly least?: number;
  /** A column of names: the largest part of a line of text that it takes. */
  readonly share?: number;
  /** Whether it is left out if all of its cells are empty. */
  readonly isIfAny?: boolean;
  /** Which columns are left out first of text that has no room for the last one: those with the lowest number. */
  readonly dropped?: number;
}

export function number(title: Text): Column {
  return { title, align: "right" };
}

export function ticksColumn(title: Text = UNIT): Column {
  return number(title);
}

export interface Row {
  readonly cells: readonly Cell[];
  /** The ticks by which rows are left out of Markdown that is limited, and stand out in text. Default: 0. */
  readonly ticks?: Ticks;
  /** Those of them that count in no other row, if rows are in each other. Default: `ticks`. */
  readonly own?: Ticks;
  /** Whether it is code of the program itself, which is left out last. Default: no. */
  readonly isProgram?: boolean;
  /** Default: by the share of its ticks. */
  readonly tone?: Tone;
  /** Whether it sums up what has no row of its own: it is never left out. Default: no. */
  readonly isRest?: boolean;
  /** Sentences below the row. */
  readonly below?: readonly (Text | Below)[];
}

/** A sentence below a row. */
export interface Below {
  readonly words: Text;
  /** What follows the words, on a line of its own if there is no room. */
  readonly beside?: Text;
  readonly tone?: Tone;
  /** Whether it takes several lines if it is long. Default: it is cut. */
  readonly isWrapped?: boolean;
}

/** A cell: a sentence, or names that are cut to a width. */
export type Cell = Text | NameCell | CutCell | PathCell;

/** A function with its position, and marks between them. */
export interface NameCell extends ShownName {
  readonly marks?: Text;
}

/** A text from the log. */
export interface CutCell {
  readonly text: string;
  /** Where it is cut in text. */
  readonly cut: "end" | "middle";
  /** What is before it. */
  readonly indent?: number;
  readonly tone?: Tone;
  /** What is behind it. */
  readonly marks?: Text;
}

/** Names in a row, outermost first. */
export interface PathCell {
  readonly path: readonly string[];
  /** Returns the names in at most so many columns of text. */
  fit(columns: number): string;
}

/** Text from the log that is cut at its end. */
export function cutEndCell(text: string): CutCell {
  return { text, cut: "end" };
}

/** Text from the log that is cut in its middle. */
export function cutMiddleCell(text: string): CutCell {
  return { text, cut: "middle" };
}

/** What is drawn with lines of equal columns: a listing, a tree, bars. Markdown has it as a code block. */
export interface Figure {
  readonly kind: "figure";
  /** Yields the lines, with those of its rows that are shown. */
  draw(layout: TextLayout, isShown: (row: number) => boolean): Iterable<string>;
  /** Rows that Markdown may leave out. Default: none. */
  readonly rows?: readonly Pick<Row, "ticks" | "own" | "isProgram">[];
}

/** The same facts in two ways. Text has the narrow one if it has no room for the wide one, Markdown has the wide one. */
export interface Fitted {
  readonly kind: "fitted";
  readonly wide: readonly Block[];
  readonly narrow: readonly Block[];
}

/** The style and width of text. */
export interface TextLayout {
  readonly style: Style;
  /** The maximum width of a line, in columns. */
  readonly width: number;
  /** What a page should fit if it can, in columns: files have wide lines so that no name is cut. Default: `width`. */
  readonly pageWidth?: number;
  /** What the page counts. */
  readonly unit: Unit;
}

export function isText(cell: Cell | Below): cell is Text {
  return typeof cell !== "object" || Array.isArray(cell) || "kind" in cell;
}

/** Whether a cell has nothing in it. */
export function isBlank(cell: Cell): boolean {
  return isText(cell) && isEmpty(cell);
}
