/** What ends a line by V8's count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;

/** The lines of a script's text, without what ends them. */
export function sourceLines(text: string): string[] {
  return text.split(LINE_END);
}

/** Where the lines of a script's text begin, in UTF-16 units. */
export function lineStarts(text: string): Int32Array {
  let count = 1;
  for (let at = 0; at < text.length; at++) if (isLineEnd(text, at)) count++;
  const starts = new Int32Array(count);
  let line = 1;
  for (let at = 0; at < text.length; at++) if (isLineEnd(text, at)) starts[line++] = at + 1;
  return starts;
}

/** Whether a line ends with a character: of `\r\n` with the second. */
function isLineEnd(text: string, at: number): boolean {
  const character = text.charCodeAt(at);
  if (character === 0x0d) return text.charCodeAt(at + 1) !== 0x0a;
  return character === 0x0a || character === 0x2028 || character === 0x2029;
}
