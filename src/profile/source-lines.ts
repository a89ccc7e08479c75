/** A line terminator in V8's line count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** Returns the lines of a script's text, without their terminators. */
export function sourceLines(text: string): string[] {
  return text.split(LINE_END);
}

/** Returns the offset of each line of a script's text, in UTF-16 units. */
export function lineStarts(text: string): Int32Array {
  let count = 1;
  for (let at = 0; at < text.length; at++) if (isLineEnd(text, at)) count++;
  const starts = new Int32Array(count);
  let line = 1;
  for (let at = 0; at < text.length; at++) if (isLineEnd(text, at)) starts[line++] = at + 1;
  return starts;
}

/** Returns whether a character ends a line: for `\r\n` the second does. */
function isLineEnd(text: string, at: number): boolean {
  const character = text.charCodeAt(at);
  if (character === 0x0d) return text.charCodeAt(at + 1) !== 0x0a;
  return character === 0x0a || character === 0x2028 || character === 0x2029;
}
