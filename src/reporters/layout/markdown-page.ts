import type { Ticks } from "../../profile/units.js";
import type { Callable } from "../../views/function-stacks.js";
import { markdownTable } from "./markdown.js";
import { counted } from "./numbers.js";
import type { Column } from "./table.js";
import { shownMiddle } from "./width.js";

/** A part of a Markdown page with rows that can be left out one by one. */
export interface RowBlock {
  /** The ticks that its rows are ranked by. */
  readonly ticks: readonly Ticks[];
  /** The ticks of each row alone, if rows contain others. Default: `ticks`. */
  readonly own?: readonly Ticks[] | undefined;
  /** Whether each row is code of the program itself: such rows are dropped last. Default: none is. */
  readonly isProgram?: readonly boolean[] | undefined;
  /** Yields the lines of the block with the rows that are shown. */
  lines(isShown: (row: number) => boolean): Iterable<string>;
}

/** Returns whether a row of a function is code of the program itself. */
export function isOwnCode(callable: Callable | undefined): boolean {
  return callable?.kind === "function" && callable.function.origin.kind === "app";
}

/** A line of a page that always stays, or a block of rows. */
export type PagePart = string | RowBlock;

/** A row of a table, with the ticks that it is ranked by. */
export interface RankedRow {
  readonly ticks: Ticks;
  readonly cells: readonly string[];
  /** Whether it is code of the program itself. Default: no. */
  readonly isProgram?: boolean | undefined;
}

/** Returns a table with the lines above it. Without any of its rows, neither stays. */
export function tableBlock(
  above: readonly string[],
  columns: readonly Column[],
  rows: readonly RankedRow[],
): RowBlock {
  return {
    ticks: rows.map(({ ticks }) => ticks),
    isProgram: rows.map(({ isProgram = false }) => isProgram),
    *lines(isShown) {
      const shown = rows.filter((_, row) => isShown(row));
      if (shown.length === 0) return;
      yield* above;
      yield* markdownTable(
        columns,
        shown.map(({ cells }) => cells),
      );
    },
  };
}

/** The layout of a page. */
export interface PageLayout {
  /** The maximum width of a name, in columns. Default: any. */
  readonly nameColumns?: number | undefined;
}

/** Returns what cuts names to the width of a page. */
export function nameCutter({ nameColumns }: PageLayout): (name: string) => string {
  return (name) =>
    nameColumns === undefined || nameColumns === Number.POSITIVE_INFINITY
      ? name
      : shownMiddle(name, nameColumns);
}

/** Yields the lines of a whole page. */
export function* pageLines(parts: Iterable<PagePart>): Iterable<string> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else yield* part.lines(() => true);
  }
}

/** The characters of one token. Language models differ; English text has about four. */
const TOKEN_LENGTH = 4;

/** The first line of a page for a language model. */
const ABOUT_NAMES = "Text in code spans and code blocks is data from the log: names, paths, source lines.";

/** A page that fits a number of tokens, or how many it needs at least. */
export type FittedPage =
  | { readonly lines: readonly string[] }
  | { readonly lines: undefined; readonly least: number };

/**
 * Returns a page of at most `tokens` tokens, of 4 characters each, newlines included. Drops the rows with the
 * fewest ticks of all its blocks together, of equal ones the last, those of the program itself after all others, and ends with a line that says how many.
 */
export function fittedPage(parts: Iterable<PagePart>, tokens: number): FittedPage {
  const all = Array.from(parts);
  const page = new RankedPage(all, tokens);
  const room = tokens * TOKEN_LENGTH;
  const whole = page.whole(room);
  if (whole !== undefined) return { lines: whole };
  let best = page.lines(0, room);
  if (best === undefined) return { lines: undefined, least: leastTokens(all, page) };
  let [from, to] = [0, Math.min(page.rows, rowsIn(room) + 1)];
  while (to - from > 1) {
    const middle = from + ((to - from) >> 1);
    const lines = page.lines(middle, room);
    if (lines === undefined) to = middle;
    else {
      from = middle;
      best = lines;
    }
  }
  return { lines: best };
}

/** Returns the tokens that a page needs without its rows, or with all of them if it is no longer then. */
function leastTokens(parts: readonly PagePart[], page: RankedPage): number {
  const heads = lengthOf(page.lines(0, Number.POSITIVE_INFINITY)!);
  const whole = page.whole(heads);
  let least = Math.ceil((whole === undefined ? heads : lengthOf(whole)) / TOKEN_LENGTH);
  if (whole !== undefined) return least;
  // The number is part of the page.
  while (new RankedPage(parts, least).lines(0, least * TOKEN_LENGTH) === undefined) least++;
  return least;
}

/** Returns the most rows that so many characters can hold: a row has at least one and a newline. */
function rowsIn(room: number): number {
  return Math.floor(room / 2);
}

/** A page whose rows are ranked over all of its blocks. */
class RankedPage {
  /** The number of rows. */
  readonly rows: number;
  readonly #parts: readonly PagePart[];
  readonly #tokens: number;
  /** The number of blocks with rows. */
  readonly #blocks: number;
  /** By block: the rank of each row, 0 for the most ticks. */
  readonly #ranks = new Map<RowBlock, Int32Array>();
  /** By rank: the ticks of that row and of all below it. */
  readonly #ticksFrom: Float64Array;

  constructor(parts: readonly PagePart[], tokens: number) {
    this.#parts = parts;
    this.#tokens = tokens;
    const blocks = parts.filter((part) => typeof part !== "string");
    for (const block of blocks) this.#ranks.set(block, new Int32Array(block.ticks.length));
    const rows = blocks.flatMap((block) =>
      Array.from(block.ticks, (ticks, row) => {
        return { block, row, ticks, isProgram: Number(block.isProgram?.[row] ?? false) };
      }),
    );
    rows.sort((a, b) => b.isProgram - a.isProgram || b.ticks - a.ticks);
    this.rows = rows.length;
    this.#blocks = blocks.filter(({ ticks }) => ticks.length > 0).length;
    this.#ticksFrom = new Float64Array(rows.length + 1);
    for (let rank = rows.length - 1; rank >= 0; rank--) {
      const { block, row } = rows[rank]!;
      this.#ranks.get(block)![row] = rank;
      this.#ticksFrom[rank] = this.#ticksFrom[rank + 1]! + (block.own ?? block.ticks)[row]!;
    }
  }

  /** Returns the page with all rows; undefined if it has more than `room` characters. */
  whole(room: number): string[] | undefined {
    return this.rows > rowsIn(room) ? undefined : this.lines(this.rows, room);
  }

  /** Returns the page with so many rows; undefined if it has more than `room` characters. */
  lines(shown: number, room: number): string[] | undefined {
    const lines: string[] = [];
    let left = room;
    for (const line of this.#allLines(shown)) {
      left -= line.length + 1;
      if (left < 0) return undefined;
      lines.push(line);
    }
    return lines;
  }

  *#allLines(shown: number): Iterable<string> {
    yield ABOUT_NAMES;
    yield "";
    for (const part of this.#parts) {
      if (typeof part === "string") {
        yield part;
        continue;
      }
      const ranks = this.#ranks.get(part)!;
      yield* part.lines((row) => ranks[row]! < shown);
    }
    if (shown === this.rows) return;
    const rows = counted(this.rows - shown, "row");
    const ticks = counted(this.#ticksFrom[shown]!, "tick");
    const where = this.#blocks > 1 ? " in all tables together" : "";
    yield "";
    yield `… ${rows} with ${ticks}${where} dropped to fit ${counted(this.#tokens, "token")}.`;
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
