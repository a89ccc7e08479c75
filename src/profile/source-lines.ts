import { reaching } from "./columns.js";

/** A line terminator in V8's line count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Returns the lines of a script's text, without their terminators. */
export function sourceLines(text: string): string[] {
  return text.split(hasRareEnds(text) ? LINE_END : "\n");
}

/**
 * Returns whether a text has terminators other than line feeds. Nearly all scripts have none, and the engine finds those much
 * faster than a pattern, or a loop over all characters.
 */
function hasRareEnds(text: string): boolean {
  return ["\r", "\u2028", "\u2029"].some((end) => text.includes(end));
}

/** Returns the offset of each line of a script's text, in UTF-16 units. */
export function lineStarts(text: string): Int32Array {
  const nextEnd = hasRareEnds(text) ? nextLineEnd : nextLineFeed;
  let starts = new Int32Array(64);
  let count = 1;
  for (let end = nextEnd(text, 0); end >= 0; end = nextEnd(text, end + 1)) {
    starts = reaching(starts, count);
    starts[count++] = end + 1;
  }
  return starts.slice(0, count);
}

function nextLineFeed(text: string, from: number): number {
  return text.indexOf("\n", from);
}

/** Returns the offset of the next character that ends a line; -1 if there is none. */
function nextLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isLineEnd(text, at)) return at;
  return -1;
}

/** Returns whether a character ends a line: for `\r\n` the second does. */
function isLineEnd(text: string, at: number): boolean {
  const character = text.charCodeAt(at);
  if (character === 0x0d) return text.charCodeAt(at + 1) !== 0x0a;
  return character === 0x0a || character === 0x2028 || character === 0x2029;
}
