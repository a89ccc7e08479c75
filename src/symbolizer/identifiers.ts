/** A word of a text that can be a name. */
export interface Identifier {
  readonly text: string;
  readonly offset: number;
}

const START = /[\p{ID_Start}$_]/u;
const PART = /[\p{ID_Continue}$\u200c\u200d]/u;
const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const WORD = /\w/;

/** Returns the identifier that begins at an offset; undefined if there is none. */
export function identifierAt(text: string, offset: number): string | undefined {
  IDENTIFIER.lastIndex = offset;
  return IDENTIFIER.exec(text)?.[0];
}

/** Returns the longest identifier that ends at an offset; undefined if there is none. */
export function identifierBefore(text: string, end: number): Identifier | undefined {
  let offset = end;
  let start = -1;
  while (offset > 0) {
    const character = characterBefore(text, offset);
    if (!PART.test(character)) break;
    offset -= character.length;
    if (START.test(character)) start = offset;
  }
  return start < 0 ? undefined : { text: text.slice(start, end), offset: start };
}

/** Returns where the white space before an offset begins. */
export function spaceBefore(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
}

/** Returns where a word begins that ends at an offset; -1 if it is not there as a whole word. */
export function skipWord(text: string, word: string, end: number): number {
  const start = end - word.length;
  if (start < 0 || !text.startsWith(word, start)) return -1;
  return end < text.length && WORD.test(text[end]!) ? -1 : start;
}

/** Returns the character, of one or two UTF-16 units, that ends at an offset above 0. */
function characterBefore(text: string, end: number): string {
  const last = text.charCodeAt(end - 1);
  const isTrail = last >= 0xdc00 && last <= 0xdfff && end > 1;
  const pair = isTrail ? text.slice(end - 2, end) : "";
  return pair !== "" && pair.codePointAt(0)! > 0xffff ? pair : text[end - 1]!;
}
