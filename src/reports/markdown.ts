import { embeddedSources } from "../reporters/layout/embedded-sources.js";
import { codeCell, codeSpan, fenced, markdownTable } from "../reporters/layout/markdown.js";
import { type PagePart, pageLines } from "../reporters/layout/markdown-page.js";
import { PLAIN } from "../reporters/layout/style.js";
import { cutEnd, endsOf, shownMiddle } from "../reporters/layout/width.js";
import { printable } from "../views/label.js";
import {
  type Below,
  type Block,
  type Cell,
  isWords,
  type Show,
  spoken,
  type Table,
  type Words,
} from "./page.js";

/** The width of figures, in columns. */
const WIDTH = 120;
/** Text in cells is cut to this many columns. */
const CELL_COLUMNS = 80;

/** The layout of Markdown. */
export interface MarkdownLayout {
  /** The maximum width of a name, in columns. Default: any. */
  readonly nameColumns?: number | undefined;
}

/** Yields the lines of a page for pull requests and language models. */
export function markdownLines(blocks: Iterable<Block>, layout: MarkdownLayout = {}): Iterable<string> {
  return pageLines(markdownParts(blocks, layout));
}

/** Yields the lines of a page, and its tables and figures as blocks of rows that can be left out. */
export function* markdownParts(
  blocks: Iterable<Block>,
  layout: MarkdownLayout = {},
  level = 1,
  above: readonly string[] = [],
): Iterable<PagePart> {
  // What is above the next block: an empty line, or the title of a section, which goes where its table goes.
  let lead = above;
  for (const block of blocks) {
    switch (block.kind) {
      case "gap":
        continue;
      case "heading": {
        yield* [...lead, `# ${codeSpan(block.name)}: ${spoken(block.facts, codeSpan)}`];
        break;
      }
      case "note": {
        if (block.isTextOnly) continue;
        const words = sentence(spoken(block.words, codeSpan));
        yield* [...lead, block.tone === "hot" ? `**${words}**` : words];
        break;
      }
      case "part": {
        const show = (name: string) => codeSpan(cutter(layout)(name));
        const facts = block.facts.flatMap((words) => ["", spoken(words, show)]);
        yield* [...lead, `${"#".repeat(level + 1)} ${block.what} ${show(block.name)}`, ...facts];
        break;
      }
      case "section": {
        const title =
          block.title === undefined
            ? lead
            : [...lead, `${"#".repeat(level + 1)} ${spoken(block.title, codeSpan)}`, ""];
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
            yield* fenced(Array.from(block.draw({ style: PLAIN, width: WIDTH }, isShown)));
          },
        };
        break;
      }
      case "sources":
        yield* embeddedSources(block.files, block.sources);
        break;
      case "legend":
        if (block.lines.length === 0) continue;
        yield* [...lead, sentence(block.lines.join("; "))];
        break;
      case "fitted":
        yield* markdownParts(block.wide, layout, level, lead);
        break;
      case "commands":
        yield* lead;
        yield* fenced(
          block.lines.flatMap(({ command, why }) => (why === undefined ? [command] : [`# ${why}`, command])),
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
function cutter({ nameColumns = Number.POSITIVE_INFINITY }: MarkdownLayout): Show {
  return (name) => (nameColumns === Number.POSITIVE_INFINITY ? name : shownMiddle(name, nameColumns));
}

function tablePart(shown: Table, above: readonly string[], layout: MarkdownLayout): PagePart {
  const { columns, rows, rest } = shown;
  const cut = cutter(layout);
  const isKept = columns.map((column, i) => !column.isIfAny || rows.some(({ cells }) => cells[i] !== ""));
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
        kept(columns),
        some.map((row) => {
          const cells = kept(row.cells).map((cell) => cellText(cell, cut));
          const below = (row.below ?? []).map((one) => belowText(one, cut)).filter((text) => text !== "");
          return [...cells.slice(0, -1), [cells.at(-1) ?? "", ...below].join("<br>")];
        }),
      );
      if (rest !== undefined) yield* ["", sentence(rest)];
    },
  };
}

function cellText(cell: Cell, cut: Show): string {
  if (isWords(cell)) return spoken(cell, (name) => codeCell(cut(name)));
  if ("path" in cell) return cell.path.map((name) => codeCell(cut(name))).join(" → ");
  if ("title" in cell) {
    const { title, position, marks = "" } = cell;
    return [codeCell(cut(title)), marks, codeCell(cut(position))].filter((part) => part !== "").join(" ");
  }
  const shown = codeCell(cut(cell.cut === "end" ? shownEnd(cell.text) : cell.text));
  return [shown, spoken(cell.marks ?? "", (name) => codeCell(cut(name))).trim()]
    .filter((part) => part !== "")
    .join(" ");
}

function shownEnd(text: string): string {
  return cutEnd(printable(endsOf(text, CELL_COLUMNS)), CELL_COLUMNS);
}

function belowText(one: Words | readonly [Words, Words] | Below, cut: Show): string {
  const show = (name: string) => codeCell(cut(name));
  if (Array.isArray(one)) return one.map((words: Words) => spoken(words, show)).join("");
  return spoken(typeof one === "object" ? (one as Below).words : (one as Words), show);
}
