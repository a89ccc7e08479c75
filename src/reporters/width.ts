import stringWidth from "string-width";

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
  if (widthOf(text) <= columns) return text;
  return columns < 1 ? "" : leading(charactersOf(text), columns - 1) + ELLIPSIS;
}

/** A text cut in its middle to at most so many columns, `…` for what is gone. It has no escape sequences. */
export function cutMiddle(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  const characters = charactersOf(text);
  const end = trailing(characters, Math.floor((columns - 1) / 2));
  return leading(characters, columns - 1 - widthOf(end)) + ELLIPSIS + end;
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
function leading(characters: readonly string[], columns: number): string {
  return fitting(characters, columns).join("");
}

/** As many whole characters from the end as fit. */
function trailing(characters: readonly string[], columns: number): string {
  return fitting(characters.toReversed(), columns).reverse().join("");
}

function fitting(characters: readonly string[], columns: number): string[] {
  let left = columns;
  const end = characters.findIndex((character) => {
    left -= widthOf(character);
    return left < 0;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}
