// Where the text of a function calls something, as far as single characters tell. This is no parser: it may
// take a text or a comment for a call.

const OPEN = 40;
const DOT = 46;
const QUESTION = 63;
const BACKTICK = 96;
/** No name or gap that matters is longer. */
const LONGEST = 256;

/** UTF-16 units from an offset on that tell whether a call is there. */
export const CALL_REACH: number = 2 * LONGEST + 4;

/** Words before a parenthesis that is no call. The position of a loop stands for those of copied code in it. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  "for",
  "while",
  "do",
  "if",
  "switch",
  "catch",
  "with",
  "return",
]);
const CONSTRUCTS: ReadonlySet<string> = new Set(["new", "super"]);

/**
 * Returns whether a text has a call at an offset, where V8 says that one is: at the last name of what is
 * called, or at the parenthesis. Returns undefined for a statement, whose position says nothing of a call in
 * it.
 *
 * Source: V8, src/parsing/parser-base.h, `ParserBase::ParseLeftHandSideContinuation`.
 */
export function isCallAt(text: string, offset: number): boolean | undefined {
  const end = endOfWord(text, offset);
  const word = text.slice(offset, end);
  if (KEYWORDS.has(word)) return undefined;
  return !CONSTRUCTS.has(word) && opensCall(text, end);
}

/** Returns the names that a text calls, without those that it constructs or declares. */
export function calledNames(text: string): ReadonlySet<string> {
  const called = new Set<string>();
  const others = new Set<string>();
  let isOther = false;
  for (let at = 0; at < text.length; ) {
    const end = endOfWord(text, at);
    if (end > at) {
      const word = text.slice(at, end);
      if (opensCall(text, end)) (isOther ? others : called).add(word);
      // `new a.b.C()` constructs C.
      isOther = word === "new" || word === "function" || (isOther && text.charCodeAt(end) === DOT);
      at = end;
    } else {
      const code = text.charCodeAt(at++);
      isOther &&= code === DOT || isSpace(code);
    }
  }
  for (const name of others) called.delete(name);
  return called;
}

/** Returns whether a parenthesis or a template follows. */
export function opensCall(text: string, from: number): boolean {
  let at = from;
  const last = Math.min(text.length, from + LONGEST);
  while (at < last && isSpace(text.charCodeAt(at))) at++;
  if (text.charCodeAt(at) === QUESTION && text.charCodeAt(at + 1) === DOT) at += 2;
  const code = text.charCodeAt(at);
  return code === OPEN || code === BACKTICK;
}

export function endOfWord(text: string, from: number): number {
  const last = Math.min(text.length, from + LONGEST);
  let at = from;
  while (at < last && isInWord(text.charCodeAt(at))) at++;
  return at;
}

export function isInWord(code: number): boolean {
  const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
  return isLetter || (code >= 48 && code <= 57) || code === 36 || code === 95 || code >= 128;
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
