/** What ends a line by V8's count. Source: V8, src/strings/unicode.h, `IsLineTerminatorSequence`. */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;

/** The lines of a script's text, without what ends them. */
export function sourceLines(text: string): string[] {
  return text.split(LINE_END);
}

/** Where the lines of a script's text begin, in UTF-16 units. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case CARRIAGE_RETURN:
        if (text.charCodeAt(at + 1) === NEWLINE) at++;
        starts.push(at + 1);
        break;
      case NEWLINE:
      case LINE_SEPARATOR:
      case PARAGRAPH_SEPARATOR:
        starts.push(at + 1);
    }
  }
  return starts;
}
