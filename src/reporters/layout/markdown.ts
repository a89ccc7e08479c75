import { printable } from "../../views/label.js";
import type { Column } from "./table.js";

/** Text of a log as Markdown shows it as it is, whatever backticks are in it. */
export function codeSpan(text: string): string {
  const shown = printable(text);
  if (shown === "") return "";
  const fence = "`".repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/**
 * The same in a table, where a pipe would end the cell. Readers of Markdown do not agree on what a backslash before a pipe
 * is: such a one is shown as `\x5c`.
 */
export function codeCell(text: string): string {
  return codeSpan(text.replaceAll("\\|", "\\x5c|")).replaceAll("|", "\\|");
}

/** What stands for itself in a sentence, whoever reads it: no markup, no link, no mention, no list. */
const HARMLESS = /^(?!www\.|\d+[.)](?:\s|$)|[-+=]|\s)[\p{L}\p{N}_ .,/()+=%-]*$/u;

/** What would be a link, or emphasis, among these characters. */
const MARKUP = /\bwww\.|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/iu;

/** Text of a log in a sentence: as it is where it is harmless, else as code, by {@link codeCell} in a table. */
export function plainOrCode(text: string, codeOf = codeSpan): string {
  return HARMLESS.test(text) && !MARKUP.test(text) ? text : codeOf(text);
}

/** A table of cells that are Markdown already. */
export function* markdownTable(
  columns: readonly Column[],
  rows: Iterable<readonly string[]>,
): Iterable<string> {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  yield line(columns.map(({ title }) => title));
  yield line(columns.map(({ align }) => (align === "right" ? "---:" : "---")));
  for (const row of rows) yield line(row);
}

/** Lines shown as they are; no line of them ends it. */
export function fenced(lines: readonly string[]): string[] {
  const fence = "`".repeat(
    Math.max(3, lines.reduce((longest, line) => Math.max(longest, longestRun(line)), 0) + 1),
  );
  return [fence, ...lines, fence];
}

/** How many backticks stand in a row at most. */
function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
