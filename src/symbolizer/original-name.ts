import type { OriginalPlace, SourceMap } from "./source-map.js";

/** A function in a script that a tool wrote. */
export interface GeneratedFunction {
  /** The text of the script. */
  readonly script: string;
  /** Where the function starts in it: at its parameters. */
  readonly start: number;
  /** As V8 logs it; may be empty. */
  readonly name: string;
}

const IDENTIFIER = "[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*";
/** `function NAME(`, `NAME(` of a method. */
const NAME_BEFORE = new RegExp(`(${IDENTIFIER})\\s*$`, "u");
/** `NAME = (`, `NAME: async function (`, `NAME = async x =>`. */
const NAME_ASSIGNED = new RegExp(
  `(${IDENTIFIER})\\s*[=:]\\s*(?:async\\b\\s*)?(?:function\\b\\s*\\*?\\s*)?$`,
  "u",
);
const CLASS_NAME = new RegExp(`^class\\s+(?!extends\\b)(${IDENTIFIER})`, "u");
const NAME_THERE = new RegExp(IDENTIFIER, "uy");
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
  place: (offset: number) => OriginalPlace | undefined,
  map: SourceMap,
): string {
  const { script, start, name } = generated;
  const identifier = identifierOf(script, start);
  if (identifier === undefined) return name;
  const original = place(identifier.offset);
  if (original === undefined || !original.isExact) return name;
  const found = original.name ?? wordAt(map.line(original.file, original.line), original.column);
  // V8 knows more where the tool changed nothing: `Class.method`, `get value`.
  if (found === undefined || found === identifier.text) return name;
  return /^[gs]et /.test(name) ? `${name.slice(0, 4)}${found}` : found;
}

interface Identifier {
  readonly text: string;
  readonly offset: number;
}

/** The identifier that the text gives a function. */
function identifierOf(script: string, start: number): Identifier | undefined {
  const from = Math.max(0, start - REACH);
  const before = script.slice(from, start);
  const match = NAME_BEFORE.exec(before);
  if (match?.[1] === "constructor") return classOf(script, from + match.index);
  const named = match !== null && !KEYWORDS.has(match[1]!) ? match : NAME_ASSIGNED.exec(before);
  return named === null ? undefined : { text: named[1]!, offset: from + named.index };
}

/** The name of the class whose constructor is at an offset: the nearest class before it. */
function classOf(script: string, offset: number): Identifier | undefined {
  const at = script.lastIndexOf("class", offset);
  if (at < 0) return undefined;
  const named = CLASS_NAME.exec(script.slice(at, at + REACH));
  if (named !== null) return { text: named[1]!, offset: at + named[0].length - named[1]!.length };
  const from = Math.max(0, at - REACH);
  const assigned = NAME_ASSIGNED.exec(script.slice(from, at));
  return assigned === null ? undefined : { text: assigned[1]!, offset: from + assigned.index };
}

/** The identifier that begins at a column of a line. */
function wordAt(row: string | undefined, column: number): string | undefined {
  if (row === undefined) return undefined;
  NAME_THERE.lastIndex = column - 1;
  return NAME_THERE.exec(row)?.[0];
}
