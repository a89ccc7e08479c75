import { printable } from "../views/label.js";
import type { Column } from "./table.js";

/** Text of a log as Markdown shows it as it is, whatever backticks are in it. */
export function codeSpan(text: string): string {
  const shown = printable(text);
  if (shown === "") return "";
  const fence = "`".repeat(longestRun(shown) + 1);
  const pad = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** The same in a table, where a pipe would end the cell. */
export function codeCell(text: string): string {
  return codeSpan(text).replaceAll("|", "\\|");
}

/** A table of cells that are Markdown already. */
export function markdownTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(columns.map(({ title }) => title)),
    line(columns.map(({ align }) => (align === "right" ? "---:" : "---"))),
    ...rows.map(line),
  ];
}

/** Lines shown as they are; no line of them ends it. */
export function fenced(lines: readonly string[]): string[] {
  const fence = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [fence, ...lines, fence];
}

/** How many backticks stand in a row at most. */
function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}
