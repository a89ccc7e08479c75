import { MATCHED_NAME_LENGTH } from "../base/limits.js";
import type { Frame } from "../profile/frame.js";
import type { GroupTicks } from "./analysis.js";
import type { FunctionTable, ProfiledFunction } from "./function-table.js";
import { unmarkedLabelOf } from "./label.js";
import { nearNames } from "./near-names.js";
import { fileName } from "./origin.js";

/** An index into the functions of a table. */
export type FunctionId = number;

/** What a query matched, most exact first. */
type MatchKind = "name" | "position" | "line" | "pattern" | "part";

interface FunctionMatches {
  readonly kind: MatchKind;
  /** Most self ticks first. */
  readonly ids: readonly FunctionId[];
}

/**
 * Returns the functions with ticks that match a query, by the first of these that finds any: the exact name;
 * `file:line` or `file:line:column` where they begin (the end of the file's path is enough); a line that they
 * have ticks in; `/regular expression/`; a part of their name or position, ignoring case. Undefined if none
 * matches.
 *
 * Throws a `SyntaxError` for an invalid regular expression.
 */
export function findFunctions(
  query: string,
  { table, ticks, frames }: { table: FunctionTable; ticks: GroupTicks; frames: readonly Frame[] },
): FunctionMatches | undefined {
  const { functions } = table;
  const ways: [MatchKind, () => Iterable<FunctionId>][] = [
    ["name", () => idsWhere(functions, (found) => namesOf(found).includes(query))],
    ["position", () => idsWhere(functions, (found) => beginsAt(found, query))],
    ["line", () => idsWithLine(frames, table, query)],
    ["pattern", () => idsOfPattern(functions, query)],
    ["part", () => idsOfPart(functions, query)],
  ];
  for (const [kind, find] of ways) {
    const ids = Array.from(new Set(find())).filter((id) => ticks.total[id]! > 0);
    if (ids.length > 0) return { kind, ids: ids.sort((a, b) => compare(functions, ticks, a, b)) };
  }
  return undefined;
}

/** How V8 names the kinds of functions. Labels begin with these. */
const TYPES = ["js", "function", "lazycompile", "script", "eval"];
/** In a query, these can stand for a line, a pattern, or the part of a label before the name. */
const BEYOND_NAMES = /[\s:/~^+*≈-]/;

/**
 * Returns the part of its name and position that each function has which {@link findFunctions} can find for a query,
 * ignoring case; undefined if the query can find others.
 */
export function partOfNames(query: string): string | undefined {
  const part = query.toLowerCase();
  const isInOthers = ["<anonymous>", ...TYPES].some((text) => text.includes(part));
  return isInOthers || BEYOND_NAMES.test(query) ? undefined : query;
}

/** How many names are suggested. */
const SUGGESTIONS = 5;

/**
 * Returns what may be meant by a query that matches nothing: similar names of functions with ticks, hottest
 * first among equals; for `file:line`, the nearest lines in that file where functions with ticks begin.
 */
export function nearFunctions(query: string, table: FunctionTable, ticks: GroupTicks): string[] {
  const hottest = hottestIds(table, ticks);
  const positions = nearPositions(
    query,
    hottest.map((id) => table.functions[id]!),
  );
  if (positions.length > 0) return positions;
  return nearNames(query, namesToType(hottest, table), SUGGESTIONS);
}

/** Returns the names of the functions with the most self ticks. */
export function hottestFunctions(table: FunctionTable, ticks: GroupTicks, limit = SUGGESTIONS): string[] {
  return Array.from(new Set(namesToType(hottestIds(table, ticks), table))).slice(0, limit);
}

/** Returns the names of the files of the program and its packages, that of the function with the most self ticks first. */
export function hottestFiles(table: FunctionTable, ticks: GroupTicks): string[] {
  const files = hottestIds(table, ticks).flatMap((id) => {
    const { file, kind, origin } = table.functions[id]!;
    return kind === "js" && origin.kind !== "node" && file !== undefined ? [fileName(file)] : [];
  });
  return Array.from(new Set(files));
}

/** Returns the names of functions, without the parameters of C++ functions: a part of a name is enough. */
function namesToType(ids: readonly FunctionId[], { functions }: FunctionTable): string[] {
  return ids.map((id) => {
    const { title, kind } = functions[id]!;
    return kind === "js" ? title : withoutParameters(title);
  });
}

function withoutParameters(name: string): string {
  const end = name.lastIndexOf(")");
  let depth = 0;
  for (let at = end; at > 0; at--) {
    if (name[at] === ")") depth++;
    else if (name[at] === "(" && --depth === 0) return name.slice(0, at);
  }
  return name;
}

function hottestIds({ functions }: FunctionTable, ticks: GroupTicks): FunctionId[] {
  const ids = Array.from(functions.keys()).filter((id) => ticks.total[id]! > 0);
  return ids.sort((a, b) => compare(functions, ticks, a, b));
}

function nearPositions(query: string, functions: readonly ProfiledFunction[]): string[] {
  const [, file, line] = POSITION.exec(query) ?? [];
  if (file === undefined) return [];
  const distance = (found: ProfiledFunction) => Math.abs(found.line! - Number(line));
  const positions = functions
    .filter((found) => found.line !== undefined && found.file !== undefined && isEndOfFile(found.file, file))
    .sort((a, b) => distance(a) - distance(b))
    .map((found) => `${file}:${found.line}`);
  return Array.from(new Set(positions)).slice(0, SUGGESTIONS);
}

function compare(
  functions: readonly ProfiledFunction[],
  { self, total }: GroupTicks,
  a: FunctionId,
  b: FunctionId,
): number {
  const names = [functions[a]!.title, functions[b]!.title] as const;
  return (
    self[b]! - self[a]! ||
    total[b]! - total[a]! ||
    (names[0] === names[1] ? a - b : names[0] < names[1] ? -1 : 1)
  );
}

function* idsWhere(
  functions: readonly ProfiledFunction[],
  isMatch: (found: ProfiledFunction) => boolean,
): Iterable<FunctionId> {
  for (const [id, found] of functions.entries()) if (isMatch(found)) yield id;
}

/** Returns all names of a function: its own, its title, the logged one, and its label in `process`. */
function namesOf({ name, title, frame }: ProfiledFunction): string[] {
  const label = unmarkedLabelOf(frame);
  const unnamed = frame.kind === "js" && name === "" ? "<anonymous>" : "";
  return [name, title, unnamed, frame.kind === "js" ? frame.name : "", label].filter((text) => text !== "");
}

// /srv/app.js:10:5
// vvvvvvvvvvv vv v
const POSITION = /^(.+?):(\d+)(?::(\d+))?$/s;

function beginsAt({ file, line, column }: ProfiledFunction, query: string): boolean {
  const position = POSITION.exec(query);
  if (position === null || file === undefined || line !== Number(position[2])) return false;
  return isEndOfFile(file, position[1]!) && (position[3] === undefined || Number(position[3]) === column);
}

function* idsWithLine(
  frames: readonly Frame[],
  { functions, ofFrame }: FunctionTable,
  query: string,
): Iterable<FunctionId> {
  const position = POSITION.exec(query);
  if (position === null || position[3] !== undefined) return;
  for (const [i, frame] of frames.entries()) {
    if (frame.kind !== "js" || frame.line !== Number(position[2])) continue;
    const { file } = functions[ofFrame[i]!]!;
    if (file !== undefined && isEndOfFile(file, position[1]!)) yield ofFrame[i]!;
  }
}

function idsOfPattern(functions: readonly ProfiledFunction[], query: string): Iterable<FunctionId> {
  const pattern = /^\/(.+)\/(i?)$/s.exec(query);
  if (pattern === null) return [];
  const expression = new RegExp(pattern[1]!, pattern[2]);
  // A pattern can take time quadratic in the length of a text, and the texts come from the log.
  const matches = (text: string) => expression.test(text.slice(0, MATCHED_NAME_LENGTH));
  return idsWhere(functions, (found) => textsOf(found).some(matches));
}

function idsOfPart(functions: readonly ProfiledFunction[], query: string): Iterable<FunctionId> {
  if (POSITION.test(query)) return []; // "a.js:4" must not match "a.js:40".
  const part = query.toLowerCase();
  return idsWhere(functions, (found) => textsOf(found).some((text) => text.toLowerCase().includes(part)));
}

/**
 * Returns the texts that patterns and parts are matched against. Library names would match every function in
 * them.
 */
function textsOf(found: ProfiledFunction): string[] {
  const { file, line, kind } = found;
  const names = namesOf(found);
  return kind === "js" && file !== undefined ? [...names, `${file}:${line}`] : names;
}

/** Returns whether a path is this file's path, or the last parts of it. */
export function isEndOfFile(file: string, query: string): boolean {
  const path = file.replaceAll("\\", "/");
  const end = query.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  return path === end || path.endsWith(end.startsWith("/") ? end : `/${end}`);
}
