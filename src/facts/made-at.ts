import { isEvaluated } from "../profile/logged-name.js";
import type { SourceText } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";

/** A line in a script of the program. */
export interface MadeAt {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** More text than this is not searched: a program of so much is mostly data. */
const MOST_SEARCHED = 1 << 24;

/** Returns the scripts of the program that the log has the text of. */
export function programTexts(sources: readonly SourceText[], { functions }: FunctionTable): SourceText[] {
  const files = new Set(
    functions.flatMap(({ origin, file }) => (origin.kind === "app" && file ? [file] : [])),
  );
  return sources.filter(({ file }) => files.has(file) && !isEvaluated(file));
}

/** Returns where a regular expression stands in the texts; undefined if it is there nowhere or twice, or made of a string. */
export function regexpMadeAt(texts: readonly SourceText[], source: string): MadeAt | undefined {
  return only(placesIn(texts, [`/${source}/`]));
}

/** What makes code from text. */
const MAKERS = [
  "new Function(",
  "eval(",
  ".runInThisContext(",
  ".runInNewContext(",
  ".runInContext(",
  "new vm.Script(",
];

/** Returns the only place in the texts that makes code from text; undefined if there is none, or more. */
export function codeMadeAt(texts: readonly SourceText[]): MadeAt | undefined {
  return only(placesIn(texts, MAKERS));
}

const DELETES = /^delete [\w$.]{1,100}[.[][\w$]/;

/** Returns the only place in the texts that deletes a property; undefined if there is none, or more. */
export function deletedAt(texts: readonly SourceText[]): MadeAt | undefined {
  const place = only(placesIn(texts, ["delete "]));
  const line =
    texts
      .find(({ file }) => file === place?.file)
      ?.text.split("\n", place!.line)
      .at(-1) ?? "";
  return DELETES.test(line.slice(place === undefined ? 0 : place.column - 1)) ? place : undefined;
}

function only(places: readonly MadeAt[]): MadeAt | undefined {
  return places.length === 1 ? places[0] : undefined;
}

/** Returns the first places of some words, at most two: more are not told apart. */
function placesIn(texts: readonly SourceText[], words: readonly string[]): MadeAt[] {
  const found: MadeAt[] = [];
  let room = MOST_SEARCHED;
  for (const { file, text } of texts) {
    room -= text.length;
    if (room < 0) break;
    for (const word of words)
      for (let at = text.indexOf(word); at >= 0 && found.length < 2; at = text.indexOf(word, at + 1)) {
        if (isInName(text, at, word)) continue;
        const start = text.lastIndexOf("\n", at - 1) + 1;
        found.push({ file, line: lineOf(text, at), column: at - start + 1 });
      }
  }
  return found;
}

/** Whether a word is only the end of a longer one, or in a comment of a line: `medieval(`, `// eval(`. */
function isInName(text: string, at: number, word: string): boolean {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const before = text.slice(Math.max(start, at - 1000), at);
  if (word.startsWith("/")) return false;
  return (/\w/.test(word[0]!) && /\w/.test(before.at(-1) ?? "")) || before.trimStart().startsWith("//");
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}
