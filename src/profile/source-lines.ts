/** What ends a line by V8's count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
const LINE_ENDS = new RegExp(LINE_END, "g");

/** The lines of a script's text, without what ends them. */
export function sourceLines(text: string): string[] {
  return text.split(LINE_END);
}

/** Where the lines of a script's text begin, in UTF-16 units. */
export function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(LINE_ENDS), (end) => end.index + end[0].length)];
}
