import { printable } from "../../views/label.js";
import type { Column } from "./table.js";

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
