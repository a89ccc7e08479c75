import { printable } from "../../views/label.js";

/** A line of a script can be a whole bundle; no report shows more of it than this. */
export const LINE_LENGTH = 1000;

const TAB = "  ";

/** A line of a script as it may be shown: tabs are narrow, other control characters visible, what is far off is cut. */
export function sourceLine(text: string): string {
  const cut = text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH - 1)}…` : text;
  return printable(cut.replaceAll("\t", TAB)).trimEnd();
}
