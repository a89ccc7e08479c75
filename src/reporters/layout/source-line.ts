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

/** Returns what to show for a line: its text, or that of the first line of the loop that it is in. */
export function lineText(text: string | undefined, loop: number | undefined): string {
  const source = sourceLine(text ?? "").trimStart();
  return loop === undefined ? source : `in the loop: ${source}`;
}
