import stringWidth from "string-width";
import { cutUnits, printable } from "../base/shown-text.js";

/**
 * Returns the width of a text in terminal columns: two for most emoji and for Chinese, Japanese and Korean
 * letters, none for combining marks and escape sequences. Tables use the same measure.
 */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/**
 * Returns whether a text has only ASCII without control characters, and what reports use beyond: each unit is one column
 * wide.
 */
export function isPlain(text: string): boolean {
  return PLAIN_TEXT.test(text);
}

const PLAIN_TEXT = /^[ -~±µ×…←-↓≈─-╿▁-█]*$/;

const ELLIPSIS = "…";

/**
 * Cuts the end of a text to fit the width, and marks the cut with `…`. The text must have no escape
 * sequences.
 */
export function cutEnd(text: string, columns: number): string {
  if (fits(text, columns)) return text;
  return columns < 1 ? "" : leading(text, columns - 1) + ELLIPSIS;
}

/**
 * Cuts the middle of a text to fit the width, and marks the cut with `…`. The text must have no escape
 * sequences.
 */
export function cutMiddle(text: string, columns: number): string {
  if (fits(text, columns)) return text;
  if (columns < 1) return "";
  const end = trailing(text, Math.floor((columns - 1) / 2));
  return leading(text, columns - 1 - widthOf(end)) + ELLIPSIS + end;
}

/**
 * Drops most of the middle of a far too long text. {@link cutMiddle} to `columns` gives the same result as
 * before. Call this before any work on each character of a text.
 */
export function endsOf(text: string, columns: number): string {
  const units = unitsIn(columns);
  if (text.length <= 2 * units) return text;
  return `${cutUnits(text, units)}${ELLIPSIS}${text.slice(text.length - units)}`;
}

/** Returns text of a log that is safe to show, cut in the middle to fit the width. */
export function shownMiddle(text: string, columns: number): string {
  return cutMiddle(printable(endsOf(text, columns)), columns);
}

/** Returns whether a text fits the width. Far longer texts are not measured. */
export function fits(text: string, columns: number): boolean {
  return text.length <= unitsIn(columns) && widthOf(text) <= columns;
}

/** The number of UTF-16 units to look at for a width: only hostile text needs more. */
function unitsIn(columns: number): number {
  return columns === Number.POSITIVE_INFINITY ? columns : (Math.max(0, columns) + 8) * 16;
}

/** Appends spaces up to a width. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Prepends spaces up to a width. */
export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Splits text into visible characters; made for the first text that needs it, because that takes 10 ms. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Splits text into visible characters, which can be several code points: a letter with its marks, an emoji
 * sequence.
 */
function charactersOf(text: string): string[] {
  if (PLAIN_TEXT.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns as many whole characters from the start as fit. */
function leading(text: string, columns: number): string {
  return fitting(charactersOf(text.slice(0, unitsIn(columns))), columns).join("");
}

/** Returns as many whole characters from the end as fit. */
function trailing(text: string, columns: number): string {
  const start = Math.max(0, text.length - unitsIn(columns));
  return fitting(charactersOf(text.slice(start)).reverse(), columns)
    .reverse()
    .join("");
}

function fitting(characters: readonly string[], columns: number): string[] {
  let left = columns;
  const end = characters.findIndex((character) => {
    left -= widthOf(character);
    return left < 0;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}

/** Wraps a text between words, at most `columns` wide. `::` at the begin of a line, a command to GitHub, becomes `:\x3a`. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word.replace(/^::/, ":\\x3a"));
  }
  return lines;
}
