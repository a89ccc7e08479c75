import type { JsonLayout } from "../reporters/layout/json-lines.js";
import { PLAIN, type Style } from "../reporters/layout/style.js";
import { printable } from "../views/label.js";

export type ColorFlag = "auto" | "always" | "never";

/** The style of standard output: without escape sequences in a file or a pipe, unless they are asked for. */
export async function styleOf(when: ColorFlag): Promise<Style> {
  return hasColor(when) ? (await import("../reporters/layout/terminal-style.js")).TERMINAL : PLAIN;
}

function hasColor(when: ColorFlag): boolean {
  if (when !== "auto") return when === "always";
  const { NO_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return process.stdout.isTTY === true && TERM !== "dumb";
}

/** The layout of JSON on standard output: indented for people, compact for programs unless `--pretty` is given. */
export function jsonLayout({ pretty }: { readonly pretty?: boolean }): JsonLayout {
  return { pretty: pretty ?? process.stdout.isTTY === true };
}

/** One line on standard error, whatever names are in it. */
export function warn(text: string): void {
  process.stderr.write(`ticks: ${printable(text)}\n`);
}

/** What a file or a pipe is written for, and the least that a report is laid out for. */
const LEAST_COLUMNS = 80;

/** How many columns a report may take: those of the terminal, 80 where there is none or it is narrower. */
export function terminalWidth(): number {
  return Math.max(LEAST_COLUMNS, process.stdout.columns ?? 0);
}

/** Lines of a file are found by their words, so they are cut late. */
const FILE_COLUMNS = 200;

/** How many columns lines may take that are not a table: in a file or a pipe more than on a terminal. */
export function textWidth(): number {
  return process.stdout.isTTY ? terminalWidth() : FILE_COLUMNS;
}
