import { counted, inTicks, type Text, text } from "../base/text.js";
import type { Ticks } from "../base/units.js";
import { printable } from "../facts/label.js";
import type { SourceTexts } from "../facts/source-texts.js";
import { type Below, type Block, type Cell, isBlank, isText, type Table } from "./page.js";
import { plainly, type Show, spoken, type Unit } from "./spoken.js";
import { PLAIN } from "./style.js";
import type { Column } from "./table.js";
import { cutEnd, endsOf, shownMiddle } from "./width.js";

/** The width of figures, in columns. */
const WIDTH = 120;
/** Text in cells is cut to this many columns. */
const CELL_COLUMNS = 80;

export interface MarkdownLayout {
  /** The maximum width of a name, in columns. Default: any. */
  readonly nameColumns?: number | undefined;
  /** What the page counts. */
  readonly unit: Unit;
}

/** Yields the lines of a page for pull requests and language models. */
export function markdownLines(blocks: Iterable<Block>, layout: MarkdownLayout): Iterable<string> {
  return pageLines(markdownParts(blocks, layout));
}

/** Yields the lines of a page, and its tables and figures as blocks of rows that can be left out. */
export function* markdownParts(
  blocks: Iterable<Block>,
  layout: MarkdownLayout,
  level = 1,
  above: readonly string[] = [],
): Iterable<PagePart> {
  // What is above the next block: an empty line, or the title of a section, which goes where its table goes.
  let lead = above;
  const { unit } = layout;
  const said = (words: Text, show: Show = codeSpan) => spoken(words, show, unit);
  for (const block of blocks) {
    switch (block.kind) {
      case "gap":
        continue;
      case "heading": {
        yield* [...lead, `# ${codeSpan(block.name)}: ${said(block.facts)}`];
        break;
      }
      case "note": {
        if (block.isTextOnly) continue;
        const words = sentence(said(block.words));
        yield* [...lead, block.tone === "hot" ? `**${words}**` : words];
        break;
      }
      case "part": {
        const show = (name: string) => codeSpan(cutter(layout)(name));
        const facts = block.facts.flatMap((words) => ["", said(words, show)]);
        yield* [...lead, `${"#".repeat(level + 1)} ${block.what} ${show(block.name)}`, ...facts];
        break;
      }
      case "section": {
        const title =
          block.title === undefined ? lead : [...lead, `${"#".repeat(level + 1)} ${said(block.title)}`, ""];
        let isEmpty = true;
        for (const part of markdownParts(block.blocks, layout, level + 1, title)) {
          isEmpty = false;
          yield part;
        }
        if (isEmpty) yield* [...title, "none"];
        break;
      }
      case "table":
        if (block.rows.length === 0 && block.rest === undefined) continue;
        yield tablePart(block, lead, layout);
        break;
      case "figure": {
        const { rows = [] } = block;
        const before = lead;
        yield {
          ticks: rows.map(({ ticks = 0 }) => ticks),
          own: rows.map(({ ticks = 0, own = ticks }) => own),
          isProgram: rows.map(({ isProgram = false }) => isProgram),
          *lines(isShown) {
            yield* before;
            yield* fenced(Array.from(block.draw({ style: PLAIN, width: WIDTH, unit }, isShown)));
          },
        };
        break;
      }
      case "sources":
        yield* embeddedSources(block.files, block.sources);
        break;
      case "legend":
        if (block.lines.length === 0) continue;
        yield* [...lead, sentence(block.lines.map((line) => said(line)).join("; "))];
        break;
      case "fitted":
        yield* markdownParts(block.wide, layout, level, lead);
        break;
      case "commands":
        yield* lead;
        yield* fenced(
          block.lines.flatMap(({ command, why }) =>
            why === undefined ? [command] : [`# ${said(why)}`, command],
          ),
        );
    }
    lead = [""];
  }
}

/** Ends a sentence that has no end yet. */
function sentence(text: string): string {
  return /[.:?!)]$/.test(text) || text === "" ? text : `${text}.`;
}

/** Returns what cuts names to the width of a page. */
function cutter({ nameColumns = Number.POSITIVE_INFINITY }: Pick<MarkdownLayout, "nameColumns">): Show {
  return (name) => (nameColumns === Number.POSITIVE_INFINITY ? name : shownMiddle(name, nameColumns));
}

function tablePart(shown: Table, above: readonly string[], layout: MarkdownLayout): PagePart {
  const { columns, rows, rest } = shown;
  const cut = cutter(layout);
  const say = (words: Text) => spoken(words, (name) => codeCell(cut(name)), layout.unit);
  const isKept = columns.map((column, i) => !column.isIfAny || rows.some(({ cells }) => !isBlank(cells[i]!)));
  const ranked = rows.filter(({ isRest }) => !isRest);
  const kept = <T>(list: readonly T[]) => list.filter((_, i) => isKept[i]);
  return {
    ticks: ranked.map(({ ticks = 0 }) => ticks),
    own: ranked.map(({ ticks = 0, own = ticks }) => own),
    isProgram: ranked.map(({ isProgram = false }) => isProgram),
    *lines(isShown) {
      const left = new Set(ranked.filter((_, row) => !isShown(row)));
      if (ranked.length > 0 && left.size === ranked.length) return;
      const some = rows.filter((row) => !left.has(row));
      yield* above;
      yield* markdownTable(
        kept(columns).map((column) => ({ ...column, title: say(column.title) })),
        some.map((row) => {
          const cells = kept(row.cells).map((cell) => cellText(cell, cut, say));
          const below = (row.below ?? []).map((one) => belowText(one, say)).filter((text) => text !== "");
          return [...cells.slice(0, -1), [cells.at(-1) ?? "", ...below].join("<br>")];
        }),
      );
      if (rest !== undefined) yield* ["", sentence(say(rest))];
    },
  };
}

type Say = (words: Text) => string;

function cellText(cell: Cell, cut: Show, say: Say): string {
  if (isText(cell)) return say(cell);
  if ("path" in cell) return cell.path.map((name) => codeCell(cut(name))).join(" → ");
  if ("title" in cell) {
    const { title, position, marks = "" } = cell;
    return [codeCell(cut(title)), say(marks), codeCell(cut(position))]
      .filter((part) => part !== "")
      .join(" ");
  }
  const shown = codeCell(cut(cell.cut === "end" ? shownEnd(cell.text) : cell.text));
  return [shown, say(cell.marks ?? "").trim()].filter((part) => part !== "").join(" ");
}

function shownEnd(text: string): string {
  return cutEnd(printable(endsOf(text, CELL_COLUMNS)), CELL_COLUMNS);
}

function belowText(one: Text | Below, say: Say): string {
  return isText(one) ? say(one) : say(one.words) + say(one.beside ?? "");
}

/** Returns text of a log as a code span, with enough backticks around those in it. */
export function codeSpan(text: string): string {
  const shown = printable(text);
  if (shown === "") return "";
  const fence = "`".repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/**
 * Returns a code span for a table cell, with its pipes escaped. Markdown readers disagree on a backslash
 * before a pipe, so that backslash is shown as `\x5c`.
 */
export function codeCell(text: string): string {
  return codeSpan(text.replaceAll("\\|", "\\x5c|")).replaceAll("|", "\\|");
}

/** Yields a table. The cells must be Markdown. */
export function* markdownTable(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
): Iterable<string> {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  yield line(columns.map(({ title }) => title));
  yield line(columns.map(({ align }) => (align === "right" ? "---:" : "---")));
  for (const row of rows) yield line(row);
}

/** Returns the lines in a code block, with a fence that no line can end. */
export function fenced(lines: readonly string[]): string[] {
  const fence = "`".repeat(
    Math.max(3, lines.reduce((longest, line) => Math.max(longest, longestRun(line)), 0) + 1),
  );
  return [fence, ...lines, fence];
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

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

/** A line of a page that always stays, or a block of rows. */
export type PagePart = string | RowBlock;

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
export function fittedPage(parts: Iterable<PagePart>, tokens: number, unit: Unit = {}): FittedPage {
  const all = Array.from(parts);
  const page = new RankedPage(all, tokens, unit);
  const room = tokens * TOKEN_LENGTH;
  const whole = page.whole(room);
  if (whole !== undefined) return { lines: whole };
  let best = page.lines(0, room);
  if (best === undefined) return { lines: undefined, least: leastTokens(all, page, unit) };
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
function leastTokens(parts: readonly PagePart[], page: RankedPage, unit: Unit): number {
  const heads = lengthOf(page.lines(0, Number.POSITIVE_INFINITY)!);
  const whole = page.whole(heads);
  let least = Math.ceil((whole === undefined ? heads : lengthOf(whole)) / TOKEN_LENGTH);
  if (whole !== undefined) return least;
  // The number is part of the page.
  while (new RankedPage(parts, least, unit).lines(0, least * TOKEN_LENGTH) === undefined) least++;
  return least;
}

/** Returns the most rows that so many characters can hold: a row has at least one and a newline. */
function rowsIn(room: number): number {
  return Math.floor(room / 2);
}

/** A page whose rows are ranked over all of its blocks. */
class RankedPage {
  readonly rows: number;
  readonly #parts: readonly PagePart[];
  readonly #tokens: number;
  readonly #unit: Unit;
  /** The number of blocks with rows. */
  readonly #blocks: number;
  /** By block: the rank of each row, 0 for the most ticks. */
  readonly #ranks = new Map<RowBlock, Int32Array>();
  /** By rank: the ticks of that row and of all below it. */
  readonly #ticksFrom: Float64Array;

  constructor(parts: readonly PagePart[], tokens: number, unit: Unit) {
    this.#parts = parts;
    this.#tokens = tokens;
    this.#unit = unit;
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
    const weight = inTicks(this.#ticksFrom[shown]!);
    const where = this.#blocks > 1 ? " in all tables together" : "";
    yield "";
    const fit = counted(this.#tokens, "token");
    yield plainly(text`… ${rows} with ${weight}${where} dropped to fit ${fit}.`, this.#unit);
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** The maximum number of source maps to name. */
const NAMED_MAPS = 3;

/**
 * Yields a note on the source lines in a Markdown report, so that nobody shares them by accident: how many
 * scripts they are from, and where their text came from. Yields nothing if there are none.
 */
export function* embeddedSources(files: Iterable<string>, sources: SourceTexts): Iterable<string> {
  const texts = Array.from(new Set(files), (file) => sources.linesOf(file) ?? []).flat();
  if (texts.length === 0) return;
  const count = (kind: (typeof texts)[number]["origin"]) =>
    texts.filter(({ origin }) => origin === kind).length;
  const maps = Array.from(new Set(texts.flatMap(({ mapFile }) => mapFile ?? [])));
  const more = maps.length > NAMED_MAPS ? `, and ${maps.length - NAMED_MAPS} more` : "";
  const origins: [number, string][] = [
    [count("log"), "the log"],
    [count("map"), `source maps on disk (${maps.slice(0, NAMED_MAPS).map(codeSpan).join(", ")}${more})`],
    [count("disk"), "files on disk"],
  ];
  const known = origins.filter(([number]) => number > 0);
  const parts =
    known.length === 1 ? `from ${known[0]![1]}` : known.map(([n, from]) => `${n} from ${from}`).join(", ");
  yield "";
  yield `Contains source lines of ${counted(texts.length, "script")}: ${parts}.`;
}
