import stringWidth from "string-width";
import { cutUnits, printable } from "../../views/shown-text.js";

/**
 * How many columns of a terminal a text takes: two for most emoji and for Chinese, Japanese and Korean letters, none for
 * combining marks and escape sequences. The measure that tables are made by.
 */
export function widthOf(text: string): number {
  return PLAIN_TEXT.test(text) ? text.length : stringWidth(text);
}

const PLAIN_TEXT = /^[ -~]*$/;

const ELLIPSIS = "…";

/** A text cut at its end to at most so many columns, `…` for what is gone. It has no escape sequences. */
export function cutEnd(text: string, columns: number): string {
  if (fits(text, columns)) return text;
  return columns < 1 ? "" : leading(text, columns - 1) + ELLIPSIS;
}

/** A text cut in its middle to at most so many columns, `…` for what is gone. It has no escape sequences. */
export function cutMiddle(text: string, columns: number): string {
  if (fits(text, columns)) return text;
  if (columns < 1) return "";
  const end = trailing(text, Math.floor((columns - 1) / 2));
  return leading(text, columns - 1 - widthOf(end)) + ELLIPSIS + end;
}

/**
 * A text that is the same in at most so many columns once it is cut in its middle: of one that is far longer only its ends.
 * To be asked for before each character of a text is looked at.
 */
export function endsOf(text: string, columns: number): string {
  const units = unitsIn(columns);
  if (text.length <= 2 * units) return text;
  return `${cutUnits(text, units)}${ELLIPSIS}${text.slice(text.length - units)}`;
}

/** A text of a log cut in its middle, as it may be shown in so many columns. */
export function shownMiddle(text: string, columns: number): string {
  return cutMiddle(printable(endsOf(text, columns)), columns);
}

/** Whether a text takes at most so many columns. One that is far longer is not measured. */
export function fits(text: string, columns: number): boolean {
  return text.length <= unitsIn(columns) && widthOf(text) <= columns;
}

/** UTF-16 units that are looked at for so many columns: what takes more of them is made to be endless. */
function unitsIn(columns: number): number {
  return columns === Number.POSITIVE_INFINITY ? columns : (Math.max(0, columns) + 8) * 16;
}

/** A text with spaces after it up to so many columns. */
export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** A text with spaces before it up to so many columns. */
export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** What a reader takes for one character can be several: a letter and its marks, a family of emoji. */
const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

function charactersOf(text: string): string[] {
  return PLAIN_TEXT.test(text)
    ? text.split("")
    : Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

/** As many whole characters from the start as fit. */
function leading(text: string, columns: number): string {
  return fitting(charactersOf(text.slice(0, unitsIn(columns))), columns).join("");
}

/** As many whole characters from the end as fit. */
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
