import type { JsonLayout } from "../reporters/layout/json-lines.js";
import { PLAIN, type Style } from "../reporters/layout/style.js";
import { printable } from "../views/label.js";

export type ColorFlag = "auto" | "always" | "never";

/**
 * Returns the style of standard output: without escape sequences in a file or a pipe, unless the user asks
 * for them.
 */
export async function styleOf(when: ColorFlag): Promise<Style> {
  return hasColor(when) ? (await import("../reporters/layout/terminal-style.js")).TERMINAL : PLAIN;
}

function hasColor(when: ColorFlag): boolean {
  if (when !== "auto") return when === "always";
  const { NO_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return process.stdout.isTTY === true && TERM !== "dumb";
}

/** Returns the layout of JSON on standard output: indented on a terminal or with `--pretty`, else compact. */
export function jsonLayout({ pretty }: { readonly pretty?: boolean }): JsonLayout {
  return { pretty: pretty ?? process.stdout.isTTY === true };
}

/** Prints one line to standard error. Makes names in it printable. */
export function warn(text: string): void {
  process.stderr.write(`ticks: ${printable(text)}\n`);
}

/** The width of a report in a file or a pipe, and the smallest one on a terminal. */
const LEAST_COLUMNS = 80;

/** Returns the width of a report: that of the terminal, but at least 80 columns. */
export function terminalWidth(): number {
  return Math.max(LEAST_COLUMNS, process.stdout.columns ?? 0);
}

/** Text in a file is searched with tools such as grep, so it is cut late. */
const FILE_COLUMNS = 200;

/** Returns the width of lines outside tables: larger in a file or a pipe than on a terminal. */
export function textWidth(): number {
  return process.stdout.isTTY ? terminalWidth() : FILE_COLUMNS;
}
