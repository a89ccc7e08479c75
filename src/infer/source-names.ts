import { SOURCE_MAP_NAME_LENGTH } from "../base/limits.js";
import type { OriginalPosition, SourceMap } from "./source-maps.js";

/** A word of a text that can be a name. */
interface Identifier {
  readonly text: string;
  readonly offset: number;
}

const START = /[\p{ID_Start}$_]/u;
const PART = /[\p{ID_Continue}$\u200c\u200d]/u;
const IDENTIFIER = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const WORD = /\w/;

/** Returns the identifier that begins at an offset; undefined if there is none. */
function identifierAt(text: string, offset: number): string | undefined {
  IDENTIFIER.lastIndex = offset;
  return IDENTIFIER.exec(text)?.[0];
}

/** Returns the longest identifier that ends at an offset; undefined if there is none. */
function identifierBefore(text: string, end: number): Identifier | undefined {
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

/** Returns where a word begins that ends at an offset; -1 if it is not there as a whole word. */
function skipWord(text: string, word: string, end: number): number {
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

interface GeneratedFunction {
  /** The text of the script. */
  readonly script: string;
  /** The offset where the function starts: at its parameters. */
  readonly start: number;
  /** As logged; may be empty. */
  readonly name: string;
}

/** What is known about the script of a function. */
interface GeneratedScript {
  readonly positionAt: (offset: number) => OriginalPosition | undefined;
  readonly map: SourceMap;
  /** Returns the last offset up to another at which the script has `class`; -1 if there is none. */
  readonly classBefore: (offset: number) => number;
}

const KEYWORDS: ReadonlySet<string> = new Set([
  "function",
  "async",
  "return",
  "yield",
  "await",
  "of",
  "in",
  "case",
]);
/** Names are searched for in this many characters before a function. */
const REACH = 200;

/**
 * Returns the original name of a function: the map's name for the identifier in the generated code, or the
 * identifier at that position in the original text; else V8's name.
 */
export function originalName(
  generated: GeneratedFunction,
  { positionAt, map, classBefore }: GeneratedScript,
): string {
  const { script, start, name } = generated;
  const identifier = identifierOf(script, start, classBefore);
  if (identifier === undefined) return name;
  const original = positionAt(identifier.offset);
  if (original === undefined || !original.isExact) return name;
  const found = original.name ?? wordAt(map.line(original.file, original.line), original.column);
  // If the tool changed nothing, V8's name says more: `Class.method`, `get value`.
  if (found === undefined || found === identifier.text) return name;
  return /^[gs]et /.test(name) ? `${name.slice(0, 4)}${found}` : found;
}

/**
 * Returns the identifier that names a function in the text: `function NAME(`, `NAME(` of a method, `NAME =
 * …`.
 */
function identifierOf(
  script: string,
  start: number,
  classBefore: (offset: number) => number,
): Identifier | undefined {
  const from = Math.max(0, start - REACH);
  const text = script.slice(from, start);
  const named = identifierBefore(text, spaceBefore(text, text.length));
  if (named?.text === "constructor") return classOf(script, classBefore(from + named.offset));
  const found = named !== undefined && !KEYWORDS.has(named.text) ? named : assignedName(text);
  return found && { text: found.text, offset: from + found.offset };
}

/**
 * Returns what the text before a function assigns it to: `NAME = (`, `NAME: async function (`, `NAME = async
 * x =>`.
 */
function assignedName(text: string): Identifier | undefined {
  let end = spaceBefore(text, text.length);
  const star = text[end - 1] === "*" ? spaceBefore(text, end - 1) : end;
  const keyword = skipWord(text, "function", star);
  // A star without `function` before it is a multiplication.
  if (keyword < 0 && star !== end) return undefined;
  if (keyword >= 0) end = spaceBefore(text, keyword);
  const async = skipWord(text, "async", end);
  if (async >= 0) end = spaceBefore(text, async);
  if (text[end - 1] !== "=" && text[end - 1] !== ":") return undefined;
  return identifierBefore(text, spaceBefore(text, end - 1));
}

/** Returns the name of the class that begins at an offset, or of what it is assigned to. */
function classOf(script: string, at: number): Identifier | undefined {
  if (at < 0) return undefined;
  const text = script.slice(at, at + REACH);
  const space = /^class\s+/.exec(text)?.[0].length;
  const name = space === undefined ? undefined : identifierAt(text, space);
  if (name !== undefined && name !== "extends") return { text: name, offset: at + space! };
  const from = Math.max(0, at - REACH);
  const assigned = assignedName(script.slice(from, at));
  return assigned && { text: assigned.text, offset: from + assigned.offset };
}

/** Returns the identifier that begins at a column of a line. */
function wordAt(row: string | undefined, column: number): string | undefined {
  const text = row?.slice(column - 1, column - 1 + SOURCE_MAP_NAME_LENGTH);
  return text === undefined ? undefined : identifierAt(text, 0);
}

/** As much text before a function tells what it is for, in UTF-16 units. */
export const ROLE_REACH = 2000;
/** As many lines of an original source. */
export const ROLE_LINES = 50;
/** Characters of a callee, and of a text that is its first argument. */
const MOST_CALLEE = 40;
const MOST_TEXT = 40;
/** Brackets around a function that are looked out of. */
const MOST_NESTING = 8;

/** Words before a parenthesis that call nothing. */
const NO_CALLEES: ReadonlySet<string> = new Set(
  "if for while switch with catch return typeof await yield void delete in of instanceof case do else throw function async import".split(
    " ",
  ),
);

/**
 * Returns what a function without a name is for, by the text before its parameters: the call that it is passed to, `app.get('/auth')
 * handler`, `setInterval callback`; or what it is assigned to. Undefined if the text does not tell. `isCut` says whether more text is
 * before. A guess by brackets and quotes alone: takes time in the length of the text, and what it misreads costs a name.
 */
export function roleOf(given: string, isCut: boolean): string | undefined {
  const text = withoutComments(given);
  let at = beforeFunction(text);
  for (let nesting = 0; nesting < MOST_NESTING && at > 0; nesting++) {
    const last = text[at - 1];
    if (last === "=" && nesting === 0) return assignedTo(text, at - 1, isCut);
    if (last !== "(" && last !== "," && last !== "[") return undefined;
    const open = last === "," ? openBefore(text, at - 1) : at - 1;
    if (open < 0) return undefined;
    if (text[open] === "(") {
      const role = calledBy(text, open, isCut);
      if (role !== undefined) return role;
    } else if (text[open] !== "[" || /[\w$)\]]/.test(text[open - 1] ?? "")) return undefined;
    // The function is in an array, or in parentheses of its own: what is around them may tell.
    at = spaceBefore(text, open);
  }
  return undefined;
}

/** Returns a text with blanks for its line comments, whose brackets and quotes mean nothing. */
function withoutComments(text: string): string {
  if (!text.includes("//")) return text;
  return text
    .split("\n")
    .map((line) => {
      const at = commentIn(line);
      return at < 0 ? line : line.slice(0, at);
    })
    .join("\n");
}

/** Returns where a comment begins in a line, outside of texts; -1 if there is none. */
function commentIn(line: string): number {
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const letter = line[at]!;
    if (letter === "\\") at++;
    else if (quote !== "") quote = letter === quote ? "" : quote;
    else if (letter === '"' || letter === "'" || letter === "`") quote = letter;
    else if (letter === "/" && line[at + 1] === "/") return at;
  }
  return -1;
}

/** Returns where the words of a function begin: `async function*`. */
function beforeFunction(text: string): number {
  const end = spaceBefore(text, text.length);
  const star = text[end - 1] === "*" ? spaceBefore(text, end - 1) : end;
  return beforeWord(text, "async", beforeWord(text, "function", star));
}

/** Returns where a word begins, and the white space before it, that ends at an index; the index if it is not there. */
function beforeWord(text: string, word: string, end: number): number {
  const start = end - word.length;
  return start >= 0 && wordStart(text, end) === start && text.startsWith(word, start)
    ? spaceBefore(text, start)
    : end;
}

/** Returns where the letters of a word begin that ends at an index. */
function wordStart(text: string, end: number): number {
  let at = end;
  while (at > 0 && NAME_LETTER.test(text[at - 1]!)) at--;
  return at;
}

const NAME_LETTER = /[\w$#\u0080-\uffff]/;

/** Returns what a function is passed to, by the parenthesis around its arguments; undefined if that is no call. */
function calledBy(text: string, open: number, isCut: boolean): string | undefined {
  const callee = chainBefore(text, open, isCut);
  if (callee === undefined) return undefined;
  const path = /^\s*(["'`])((?:(?!\1)[^\\\n])*)\1\s*,/.exec(
    text.slice(open + 1, open + 1 + 4 * MOST_TEXT),
  )?.[2];
  if (path === undefined) return `${callee} callback`;
  return `${callee}('${path.length > MOST_TEXT ? `${path.slice(0, MOST_TEXT - 1)}…` : path}') handler`;
}

/** Returns what a function is assigned to by the sign at an index; undefined if that assigns nothing. */
function assignedTo(text: string, sign: number, isCut: boolean): string | undefined {
  if (/[=!<>]/.test(text[sign - 1] ?? "")) return undefined;
  const end = /[?&|]/.test(text[sign - 1] ?? "") ? sign - 2 : sign;
  return chainBefore(text, spaceBefore(text, end), isCut);
}

/** Returns a name and the properties of it that end at an index: `app.router.get`, `load().then`, `new Promise`; undefined for none. */
function chainBefore(text: string, end: number, isCut: boolean): string | undefined {
  let chain = "";
  let at = end;
  while (chain.length <= MOST_CALLEE) {
    const closing = text[at - 1];
    if (closing === ")" || closing === "]") {
      const open = openBefore(text, at - 1);
      if (open < 0) return chain === "" ? undefined : `…${chain}`;
      chain = `${closing === ")" ? "()" : "[…]"}${chain}`;
      at = open;
      if (/[)\]]/.test(text[at - 1] ?? "")) continue;
    }
    const name = text.slice(Math.max(wordStart(text, at), at - MOST_CALLEE), at);
    if (name === "" || /^\d/.test(name)) return onLiteral(chain);
    chain = name + chain;
    at -= name.length;
    if (at === 0 && isCut) return `…${chain}`;
    const before = spaceBefore(text, at);
    if (text[before - 1] !== ".") {
      const word = text.slice(wordStart(text, before), before);
      if (NO_CALLEES.has(name) || word === "function") return undefined;
      return before < at && word === "new" ? `new ${chain}` : chain;
    }
    const isOptional = text[before - 2] === "?";
    chain = `.${chain}`;
    at = spaceBefore(text, before - (isOptional ? 2 : 1));
  }
  return `…${chain.slice(-MOST_CALLEE)}`;
}

/** Returns properties of what has no name: `[…].map`, `(…).then`; undefined for no property. */
function onLiteral(chain: string): string | undefined {
  if (!chain.includes(".")) return undefined;
  if (chain.startsWith("()")) return `(…)${chain.slice(2)}`;
  return chain.startsWith("[") ? chain : `…${chain}`;
}

const OPENING = "([{";
const CLOSING = ")]}";

/** Returns where the bracket opens that an index is in; -1 if the text does not tell. */
function openBefore(text: string, end: number): number {
  let depth = 0;
  for (let at = end - 1; at >= 0; at--) {
    const letter = text[at]!;
    if (letter === '"' || letter === "'" || letter === "`") at = quoteBefore(text, at);
    else if (letter === "/") at = patternBefore(text, at);
    else if (CLOSING.includes(letter)) depth++;
    else if (OPENING.includes(letter) && depth-- === 0) return at;
  }
  return -1;
}

/** Returns where a text begins whose last quote is at an index; the index itself if it begins on no such line. */
function quoteBefore(text: string, end: number): number {
  const quote = text[end]!;
  for (let at = end - 1; at >= 0; at--) {
    if (text[at] === "\n" && quote !== "`") return end;
    if (text[at] === quote && text[at - 1] !== "\\") return at;
  }
  return end;
}

/** Returns where a regular expression begins whose last slash is at an index; the index itself if that divides. */
function patternBefore(text: string, end: number): number {
  for (let at = end - 1; at >= 0 && end - at < MOST_PATTERN; at--) {
    if (text[at] === "\n") return end;
    if (text[at] === "/" && BEFORE_PATTERN.test(text[spaceBefore(text, at) - 1] ?? "(")) return at;
  }
  return end;
}

/** A longer regular expression is not read. */
const MOST_PATTERN = 200;
const BEFORE_PATTERN = /[(,=:[!&|?{};]/;

/** Returns where the white space before an index begins. */
function spaceBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && /\s/.test(text[at - 1]!)) at--;
  return at;
}
