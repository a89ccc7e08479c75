import { LONG_LINE } from "../../limits.js";
import { printable } from "../../views/label.js";

/** The maximum length to show of a source line, which can be a whole bundle. */
export const LINE_LENGTH = 1000;

const TAB = "  ";

/**
 * Returns a source line that is safe to show: tabs narrow, other control characters escaped, long lines cut.
 */
export function sourceLine(text: string): string {
  const cut = text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH - 1)}…` : text;
  return printable(cut.replaceAll("\t", TAB)).trimEnd();
}

/** How much of a long line is shown, and how much of it before the function. */
const AROUND = 160;
const BEFORE = 10;

/** Returns the part of a long line around a column, from 1; a line of usual length as it is. */
export function textAround(text: string, column: number): string {
  if (text.length <= LONG_LINE) return text;
  const start = Math.max(0, Math.min(column - 1 - BEFORE, text.length - AROUND));
  const end = Math.min(text.length, start + AROUND);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

/** Returns what to show for a line: its text, or that of the first line of the loop that it is in. */
export function lineText(text: string | undefined, loop: number | undefined): string {
  const source = sourceLine(text ?? "").trimStart();
  return loop === undefined ? source : `in the loop: ${source}`;
}

/** Returns which of some files stand for several scripts of one text; undefined if none does. */
export function scriptsNote(
  files: Iterable<{ readonly file: string; readonly scripts: number }>,
): string | undefined {
  const counts = new Map<string, number>();
  for (const { file, scripts } of files) if (scripts > 1) counts.set(file, scripts);
  if (counts.size === 0) return undefined;
  const list = Array.from(counts, ([file, scripts]) => `${scripts} of ${printable(file)}`);
  return `Scripts of one name and text are one: ${list.join(", ")}`;
}
