import { TicksError, type TicksErrorCode } from "../../base/errors.js";
import { printable, printableLines } from "../../base/shown-text.js";

/** Errors whose messages can have several lines, with names that are already printable. */
const LISTS: readonly unknown[] = ["SEVERAL_LOGS", "BAD_OPTION"] satisfies TicksErrorCode[];

/** Returns the text to print for an error, with printable names. */
export function errorText(error: unknown): string {
  if (!(error instanceof TicksError)) {
    const stack = error instanceof Error ? error.stack : error;
    return `ticks: this is a bug in ticks:\n${printableLines(String(stack))}\n`;
  }
  const { code, message, hint } = error;
  const show = LISTS.includes(code) ? printableLines : printable;
  return `ticks: ${show(message)}\n${hint === undefined ? "" : `${printable(hint)}\n`}`;
}
