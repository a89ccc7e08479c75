import { SOURCE_MAP_NAME_LENGTH } from "../limits.js";
import { type Identifier, identifierAt, identifierBefore, skipWord, spaceBefore } from "./identifiers.js";
import type { OriginalPosition, SourceMap } from "./source-map.js";

/** A function in a script that a tool wrote. */
export interface GeneratedFunction {
  /** The text of the script. */
  readonly script: string;
  /** Where the function starts in it: at its parameters. */
  readonly start: number;
  /** As V8 logs it; may be empty. */
  readonly name: string;
}

/** What is known of the script that a function is in. */
export interface GeneratedScript {
  /** Where an offset comes from. */
  readonly place: (offset: number) => OriginalPosition | undefined;
  readonly map: SourceMap;
  /** The last offset up to another at which the script says `class`; -1 for none. */
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
/** Names are looked for in so much text before a function. */
const REACH = 200;

/**
 * What the author called a function: the name that the map has for the identifier that the generated code gives it, or
 * that stands there in the original text; else V8's.
 */
export function originalName(
  generated: GeneratedFunction,
  { place, map, classBefore }: GeneratedScript,
): string {
  const { script, start, name } = generated;
  const identifier = identifierOf(script, start, classBefore);
  if (identifier === undefined) return name;
  const original = place(identifier.offset);
  if (original === undefined || !original.isExact) return name;
  const found = original.name ?? wordAt(map.line(original.file, original.line), original.column);
  // V8 knows more where the tool changed nothing: `Class.method`, `get value`.
  if (found === undefined || found === identifier.text) return name;
  return /^[gs]et /.test(name) ? `${name.slice(0, 4)}${found}` : found;
}

/** The identifier that the text gives a function: `function NAME(`, `NAME(` of a method, `NAME = …`. */
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

/** What a text that ends before a function assigns it to: `NAME = (`, `NAME: async function (`, `NAME = async x =>`. */
function assignedName(text: string): Identifier | undefined {
  let end = spaceBefore(text, text.length);
  const star = text[end - 1] === "*" ? spaceBefore(text, end - 1) : end;
  const keyword = skipWord(text, "function", star);
  // A star that no `function` is before is a product.
  if (keyword < 0 && star !== end) return undefined;
  if (keyword >= 0) end = spaceBefore(text, keyword);
  const async = skipWord(text, "async", end);
  if (async >= 0) end = spaceBefore(text, async);
  if (text[end - 1] !== "=" && text[end - 1] !== ":") return undefined;
  return identifierBefore(text, spaceBefore(text, end - 1));
}

/** The name of the class that begins at an offset, or of what it is assigned to. */
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

/** The identifier that begins at a column of a line. */
function wordAt(row: string | undefined, column: number): string | undefined {
  const text = row?.slice(column - 1, column - 1 + SOURCE_MAP_NAME_LENGTH);
  return text === undefined ? undefined : identifierAt(text, 0);
}
