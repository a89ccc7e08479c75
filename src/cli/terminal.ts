import type { Text } from "../base/text.js";
import { printable } from "../facts/label.js";
import { joinLines, writeChunks } from "../io/output.js";
import { plainly, type Unit } from "../render/spoken.js";
import { PLAIN, type Style } from "../render/style.js";
import type { JsonLayout } from "../reports/json.js";

export type ColorFlag = "auto" | "always" | "never";

/** Where a page goes: standard output, or standard error at the end of a command that does something else. */
export type PageStream = NodeJS.WriteStream;

/**
 * Returns the style of a page: without escape sequences in a file or a pipe, unless the user asks
 * for them.
 */
export async function styleOf(when: ColorFlag, stream: PageStream = process.stdout): Promise<Style> {
  return hasColor(when, stream) ? (await import("../render/terminal-style.js")).TERMINAL : PLAIN;
}

function hasColor(when: ColorFlag, stream: PageStream): boolean {
  if (when !== "auto") return when === "always";
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  // As other programs read it: chalk, Node itself. An empty one asks for colours too.
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return stream.isTTY === true && TERM !== "dumb";
}

/** Returns the layout of JSON on standard output: indented on a terminal or with `--pretty`, else compact. */
export function jsonLayout({ pretty }: { readonly pretty?: boolean }): JsonLayout {
  return { pretty: pretty ?? process.stdout.isTTY === true };
}

/** The option that all commands have, set by the program. */
export interface PagerFlag {
  pager?: boolean;
}

/**
 * Prints a report, on a terminal through the user's pager, and waits until that is closed. Prints it directly
 * with `--no-pager`, to standard error, or if there is no pager.
 */
export async function writeReport(
  lines: Iterable<string>,
  { pager = true }: PagerFlag,
  stream: PageStream = process.stdout,
): Promise<void> {
  const chunks = joinLines(lines);
  const isPaged = pager && stream === process.stdout && stream.isTTY;
  await writeChunks(stream, (isPaged && (await paged(chunks))) || chunks);
}

/** Returns what the pager has not shown. */
async function paged(chunks: Iterable<string>): Promise<Iterable<string>> {
  const { choosePager, showInPager } = await import("../io/child-program.js"); // Only needed on a terminal.
  const pager = choosePager();
  return pager === undefined ? chunks : ((await showInPager(pager, chunks)) ?? []);
}

/** Prints one line to standard error, in the words of what it is about. Makes names in it printable. */
export function warn(words: Text, unit: Unit = {}): void {
  process.stderr.write(`ticks: ${printable(plainly(words, unit))}\n`);
}

/** The width of a report in a file or a pipe, and the smallest one on a terminal. */
const LEAST_COLUMNS = 80;

/** Returns the width of a report: that of the terminal, but at least 80 columns. */
export function terminalWidth(stream: PageStream = process.stdout): number {
  return Math.max(LEAST_COLUMNS, stream.columns ?? 0);
}

/** Files and pipes are searched with tools such as grep: no name that a compiler makes is longer. */
const FILE_COLUMNS = 4000;

/** Returns the width of lines with names: in a file or a pipe nothing ordinary is cut; `isWhole`: nothing at all. */
export function textWidth(isWhole = false, stream: PageStream = process.stdout): number {
  if (stream.isTTY) return terminalWidth(stream);
  return isWhole ? Number.POSITIVE_INFINITY : FILE_COLUMNS;
}
