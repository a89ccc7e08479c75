import { SOURCE_MAP_NAME_LENGTH } from "../limits.js";
import type { OriginalPosition, SourceMap } from "./source-map.js";

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

/** Returns where the white space before an offset begins. */
function spaceBefore(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
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

/** A function in a generated script. */
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
  /** Returns the original position of an offset. */
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
