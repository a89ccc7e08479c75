import { LONG_LINE, SOURCE_MAP_NAME_LENGTH } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { compareTexts, partitionPoint } from "../base/sorted.js";
import { changedPositions } from "../profile/deopt.js";
import type { JsFrame } from "../profile/frame.js";
import { inScript, parseLoggedName, scriptName } from "../profile/logged-name.js";
import type { ScriptHashes, SourceText } from "../profile/profile.js";
import type { LineColumn } from "../profile/source-lines.js";
import type { StartupLog } from "../profile/startup-log.js";
import type { DeoptNames } from "../replay/deopt-costs.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import { isNameless, Script, Scripts, textHash } from "../replay/scripts.js";
import { type LoggedStartup, topLevelScript } from "../replay/startup-rows.js";
import {
  commentValue,
  type OriginalPosition,
  type ReadMapFile,
  type ScriptMap,
  SOURCE_URL_COMMENT,
  type SourceMap,
  type SourceMaps,
} from "./source-maps.js";

/** Longer names in comments are not taken. */
const LONGEST_NAME = 1024;

/** A script that has its name from here: it shares the logged one with others, or was logged without one. */
interface NamedScript {
  /**
   * The name in the comment `sourceURL` if the script has none, or `<eval #3>`, by the order in the log. The second script of a
   * name with another text has a number: `mod.js<2>`.
   */
  readonly file: string;
  /** A hash of the text. */
  readonly hash: string;
  /** The scripts with this name and text. */
  count: number;
}

/** Tells scripts of one name apart by their texts. Texts of other scripts are not looked at. */
class ScriptNames {
  readonly #scripts: Scripts;
  readonly #named = new Map<number, NamedScript>();
  /** By name and hash. */
  readonly #byText = new Map<string, Map<string, NamedScript>>();
  readonly #done = new Set<string>();

  constructor(scripts: Scripts) {
    this.#scripts = scripts;
  }

  /** Returns the name of a script; undefined if it is as logged. */
  of(id: number): NamedScript | undefined {
    const script = this.#scripts.get(id);
    if (script === undefined) return undefined;
    this.#nameAll(script.url);
    return this.#named.get(id);
  }

  #nameAll(url: string): void {
    const sharing = this.#scripts.sharing(url);
    if (sharing === undefined || this.#done.has(url)) return;
    this.#done.add(url);
    for (let i = 0; i < sharing.length; i++) {
      const id = sharing[i]!;
      const script = this.#scripts.get(id)!;
      const named = isNameless(url) ? this.#evaluated(script, i + 1) : this.#shared(url, script.hash);
      named.count++;
      this.#named.set(id, named);
    }
  }

  #evaluated(script: Script, number: number): NamedScript {
    const comment = commentValue(SOURCE_URL_COMMENT, script.occurrences(SOURCE_URL_COMMENT));
    if (comment === undefined || comment.length > LONGEST_NAME) {
      return this.#textOf("", script.hash, () => scriptName({ base: undefined, number }));
    }
    const only = this.#scripts.idOf(comment);
    if (only >= 0 && this.#scripts.sharing(comment) === undefined) {
      // The only script of that name keeps it.
      this.#shared(comment, this.#scripts.get(only)!.hash);
    } else this.#nameAll(comment);
    return this.#shared(comment, script.hash);
  }

  #shared(base: string, hash: string): NamedScript {
    return this.#textOf(base, hash, (others) => scriptName({ base, number: others + 1 }));
  }

  #textOf(base: string, hash: string, fileOf: (others: number) => string): NamedScript {
    const texts = valueAt(this.#byText, base, () => new Map<string, NamedScript>());
    return valueAt(texts, hash, () => ({ file: fileOf(texts.size), hash, count: 0 }));
  }
}

/** A function in its original source if a source map has it, else as logged. */
export interface FunctionSource {
  /** Its name, a space, `file:line:column`. */
  readonly name: string;
  /** Returns the line of an offset in its script, in UTF-16 units; 0 if it is unknown or in another file. */
  line(offset: number): number;
  /** Returns the column of an offset in its line, from 1; 0 if it is unknown or in another file. */
  column(offset: number): number;
  /** Returns whether an offset is in a long line of its script. Lines of original sources are not looked at. */
  isLongLine(offset: number): boolean;
}

/** The name, in positions of deoptimizations, of scripts without one. Source: V8, src/codegen/source-position.cc. */
const UNKNOWN = "unknown";

/** The first word of a loop, in as many letters as are needed to know it. */
const LOOP = /^(?:for|while|do)\b/;
const LOOP_LENGTH = 6;

/** The original names, files and lines of a log's functions. */
export class FunctionSources {
  readonly #scripts: Scripts;
  readonly #maps: SourceMaps;
  readonly #functions = new Map<LoggedFunction, FunctionSource>();
  readonly #roles = new Map<LoggedFunction, string | undefined>();
  readonly #texts = new Map<string, SourceText>();
  /** Files that maps name and have no text of. */
  readonly #lacking = new Set<string>();
  /** What has the text of each file of {@link scripts}. */
  readonly #files = new Map<string, Script | SourceText>();
  readonly #names: ScriptNames;
  /** The modules that the functions are in. */
  readonly modules: ModuleFrames;

  /** With `modules`, evaluated code belongs to the module around it, and scripts are named as logged. */
  constructor(
    scripts: Scripts,
    maps: SourceMaps,
    { modules = false }: { readonly modules?: boolean | undefined } = {},
  ) {
    this.#scripts = scripts;
    this.#maps = maps;
    this.modules = new ModuleFrames(scripts, maps);
    this.#names = new ScriptNames(modules ? new Scripts() : scripts);
  }

  of(logged: LoggedFunction): FunctionSource {
    return valueAt(this.#functions, logged, () => {
      const map = this.#maps.get(logged.script);
      return (map && this.#mapped(logged, map)) ?? this.#asLogged(logged);
    });
  }

  /** Returns the name of {@link of}, without looking up lines that nobody asks for. */
  nameOf(logged: LoggedFunction): string {
    return this.#maps.has(logged.script) ? this.of(logged).name : this.#named(logged);
  }

  /** Returns what a function without a name is for; undefined for one with a name, and if the text around it does not tell. */
  roleOf(logged: LoggedFunction): string | undefined {
    if (logged.start <= 0 || !isUnnamed(logged.name)) return undefined;
    return valueAt(this.#roles, logged, () => this.#findRole(logged));
  }

  #findRole({ name, script: id, start }: LoggedFunction): string | undefined {
    const script = this.#scripts.get(id);
    if (script === undefined) return undefined;
    const map = this.#maps.get(id)?.map;
    const position = map && this.#scripts.position(id, start);
    const original = position && map.original(position);
    if (map !== undefined && original?.isExact) {
      if (!isUnnamed(this.named(name, id))) return undefined;
      const lineAt = (line: number) => map.line(original.file, line) ?? "";
      const lines = [
        lineAt(original.line)
          .slice(0, original.column - 1)
          .slice(-ROLE_REACH),
      ];
      for (let line = original.line - 1; line > Math.max(0, original.line - ROLE_LINES); line--)
        lines.push(lineAt(line).slice(-ROLE_REACH));
      const text = lines.reverse().join("\n");
      if (text.trim() !== "") return roleOf(text.slice(-ROLE_REACH), true);
    }
    const from = Math.max(0, start - ROLE_REACH);
    return roleOf(script.slice(from, start), from > 0);
  }

  /** Returns what tells the script of a function from others of its name, or has none; undefined for all others. */
  scriptOf({ script }: LoggedFunction): NamedScript | undefined {
    return this.#names.of(script);
  }

  #named({ name, script }: Pick<LoggedFunction, "name" | "script">): string {
    const own = this.#scripts.get(script);
    if (own === undefined) return name;
    const named = this.#names.of(script);
    const { url } = own;
    const file = named?.file ?? url;
    if (!isNameless(file) && !this.#scripts.isOfNode(script)) this.#files.set(file, own);
    if (named === undefined) return name;
    return inScript(name, isNameless(url) ? "" : url, file);
  }

  /** Returns whether a function is of one of Node's own scripts. */
  isOfNode({ script }: LoggedFunction): boolean {
    return this.#scripts.isOfNode(script);
  }

  /** Returns the name of a function by its logged name and its script; -1 stands for one that is unknown. */
  named(name: string, id: number): string {
    const { file, line = 1, column = 1 } = parseLoggedName(name);
    const script = id < 0 ? this.#scripts.idOf(file ?? "") : id;
    const map = this.#maps.get(script);
    if (map === undefined) return id < 0 ? name : this.#named({ name, script });
    const start = this.#scripts.offset(script, { line, column });
    return this.#mapped({ name, script, start, end: start, bytecodePositions: "" }, map)?.name ?? name;
  }

  /** Returns a position in a script, `file:line:column`. It is in the script `id` if that has the logged name `file`. */
  shownPosition(file: string, at: LineColumn, id: number): string {
    const url = this.#scripts.get(id)?.url;
    const isOwn = url !== undefined && (url === file || (isNameless(url) && file === UNKNOWN));
    const original = this.#originalIn(isOwn ? id : this.#scripts.idOf(file), at);
    const shown = isOwn ? (this.#names.of(id)?.file ?? file) : file;
    return original ?? `${shown}:${at.line}:${at.column}`;
  }

  /**
   * Returns the original of a position in a script, as `file:line:column`; undefined if no source map has it.
   */
  originalPosition(file: string, generated: LineColumn): string | undefined {
    return this.#originalIn(this.#scripts.idOf(file), generated);
  }

  #originalIn(script: number, generated: LineColumn): string | undefined {
    const original = this.#maps.get(script)?.map.original(generated);
    return original && `${original.file}:${original.line}:${original.column}`;
  }

  /** Returns the last offset of a line in the script of a function; -1 if the line is unknown. */
  offsetOf({ script }: LoggedFunction, line: number): number {
    return line === 0 ? -1 : this.#scripts.offset(script, { line: line + 1, column: 1 }) - 1;
  }

  /** Returns whether a loop begins at an offset of a function's script. */
  isLoop({ script }: LoggedFunction, offset: number): boolean {
    return LOOP.test(this.#scripts.get(script)?.slice(offset, offset + LOOP_LENGTH) ?? "");
  }

  /**
   * Returns the texts of the files of all functions looked up so far, sorted by name. `read` decides which files it reads, of those
   * whose map has no text of them.
   */
  async texts(read: ReadMapFile | undefined): Promise<SourceText[]> {
    for (const file of read === undefined ? [] : this.#lacking) {
      if (this.#texts.has(file)) continue;
      const text = await read!(file, false);
      if (typeof text === "string") this.#texts.set(file, { file, text, isOnDisk: true, mapFile: undefined });
    }
    return Array.from(this.#texts.values()).sort((a, b) => compareTexts(a.file, b.file));
  }

  /** Returns the hashes of the texts of the files of all functions looked up so far, which are made when asked for. */
  scripts(): ScriptHashes | undefined {
    if (this.#files.size === 0) return undefined;
    const files = new Map(this.#files);
    let byFile: Map<string, string> | undefined;
    return {
      get byFile() {
        byFile ??= new Map(
          Array.from(files, ([file, of]) => [file, of instanceof Script ? of.hash : textHash(of.text)]),
        );
        return byFile;
      },
    };
  }

  #mapped(logged: LoggedFunction, { map, file: mapFile }: ScriptMap): FunctionSource | undefined {
    const positionAt = (offset: number) => {
      const generated = this.#scripts.position(logged.script, offset);
      return generated && map.original(generated);
    };
    // Compilers begin a module with code of their own, such as `"use strict"`, which maps leave out.
    const start = positionAt(logged.start) ?? (logged.start === 0 ? map.start() : undefined);
    if (start === undefined) return undefined;
    const { file, line, column } = start;
    const text = this.#texts.has(file) ? undefined : map.text(file);
    if (text !== undefined) {
      const source = { file, text, mapFile };
      this.#texts.set(file, source);
      this.#files.set(file, source);
    } else if (!this.#texts.has(file)) this.#lacking.add(file);
    const { name } = parseLoggedName(logged.name);
    const original = originalName(
      { script: this.#scripts.get(logged.script)!.source, start: logged.start, name },
      { positionAt, map, classBefore: (offset) => this.#scripts.lastClass(logged.script, offset) },
    );
    return { name: `${original} ${file}:${line}:${column}`, ...this.#originalLines(logged.script, file) };
  }

  /** Returns the lines of a script in a file that it was made from. */
  #originalLines(script: number, file: string): Omit<FunctionSource, "name"> {
    const originalAt = (offset: number) => {
      const generated = this.#scripts.position(script, offset);
      const original = generated && this.#maps.get(script)?.map.original(generated);
      return original?.file === file ? original : undefined;
    };
    return {
      line: (offset) => originalAt(offset)?.line ?? 0,
      column: (offset) => originalAt(offset)?.column ?? 0,
      isLongLine: () => false,
    };
  }

  #asLogged(logged: LoggedFunction): FunctionSource {
    const { script: id, start } = logged;
    const name = this.#named(logged);
    const script = this.#scripts.get(id);
    const first = this.#scripts.position(id, start)?.line;
    const named = this.#names.of(id);
    const file = named?.file ?? script?.url;
    // What a compiler makes of a file can have its name, as with tsx: lines are those of the file, and so is its text.
    const isOfOriginal = this.#maps.get(id)?.map.start()?.file === file;
    if (script === undefined || first === undefined || file === undefined)
      return { name, line: () => 0, column: () => 0, isLongLine: () => false };
    if (isOfOriginal) return { name, ...this.#originalLines(id, file) };
    if (!this.#texts.has(file)) this.#texts.set(file, loggedText(script, file, named?.count));
    // A script can be made to begin at another line than 1, which the function's name takes into account.
    const shift = (parseLoggedName(name).line ?? first) - first;
    return {
      name,
      line: (offset) => (this.#scripts.position(id, offset)?.line ?? -shift) + shift,
      column: (offset) => this.#scripts.position(id, offset)?.column ?? 0,
      isLongLine: (offset) => script.lineLength(offset) > LONG_LINE,
    };
  }
}

/** Returns whether a function has no name, by its logged name: a space, and its position. */
function isUnnamed(logged: string): boolean {
  return logged === "" || logged.startsWith(" ");
}

/** Returns the text of a script in the log. Most views need none, or few lines of it, and decoding it may take long. */
function loggedText(script: Script, file: string, scripts: number | undefined): SourceText {
  const text = {
    file,
    scripts,
    get text() {
      return script.source;
    },
    mapFile: undefined,
  };
  // Not enumerable, so that a profile can be cloned.
  return Object.defineProperties(text, {
    line: { value: (line: number) => script.line(line) },
    lineCount: { get: () => script.lineCount },
    linesBetween: { value: (first: number, last: number) => script.linesBetween(first, last) },
  });
}

/** Returns the names of deoptimizations that other reports have too: original ones, and those of scripts without a name. */
export function deoptNames(functions: FunctionSources): DeoptNames {
  return {
    functionName: (name, script) => functions.named(name, script),
    position: (position, { script, inlinedScript }) =>
      changedPositions(position, ({ file, isOutermost, ...at }) =>
        functions.shownPosition(file, at, isOutermost ? script : inlinedScript),
      ),
  };
}

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
const ROLE_REACH = 2000;
/** As many lines of an original source. */
const ROLE_LINES = 50;
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

/** A module in the script of a bundle. */
interface BundledModule {
  /** Its file, as the source map or the bundler names it. */
  readonly file: string;
  /** Where it begins in the script, in UTF-16 units. */
  readonly start: number;
}

/** Returns the module at an offset of a bundle; undefined if the bundler added the code there. */
type FindModule = (offset: number) => BundledModule | undefined;

/** Code of webpack itself, which its maps show as sources. */
const RUNTIME = /(?:^|[\\/])webpack[\\/](?:bootstrap|runtime[\\/].*|(?:before-|after-)?startup)$/s;

/** Returns the modules of a script made from several sources; undefined if it was made from one. */
export function mappedModules(map: SourceMap, scripts: Scripts, script: number): FindModule | undefined {
  if (map.start() !== undefined) return undefined;
  const starts = new Map<string, number>();
  for (const [file, position] of map.starts()) starts.set(file, scripts.offset(script, position));
  return (offset) => {
    const position = scripts.position(script, offset);
    const file = position && map.original(position)?.file;
    const start = file === undefined || RUNTIME.test(file) ? undefined : starts.get(file);
    return start === undefined || start < 0 ? undefined : { file: file!, start };
  };
}

/**
 * What bundlers write before a module: esbuild `// src/a.js`, webpack `;// ./src/a.js` and
 * `;// CONCATENATED MODULE: ./src/a.js`, rolldown `//#region src/a.js`.
 */
const MARK = /^[ \t]{0,2}(?:\/\/ |;\/\/ (?:CONCATENATED MODULE: )?|\/\/#region )([^\s"'`]+)$/;
/** A mark is a short line. */
const MARK_LENGTH = 1024;
/** The names of modules that are told from other comments. */
const MODULE_FILE = /\.(?:[cm]?[jt]sx?|json|node|vue|svelte)$/;
/** A bundle has at least so many. One alone may be any comment. */
const LEAST_MARKS = 2;

/** Returns the modules of a script that a bundler marked with comments; undefined if there are none. */
export function markedModules(source: string, script: string): FindModule | undefined {
  const modules: BundledModule[] = [];
  for (let at = source.indexOf("//"); at >= 0; ) {
    const start = source.lastIndexOf("\n", at) + 1;
    const found = source.indexOf("\n", at);
    const end = found < 0 ? source.length : found;
    const line = end - start <= MARK_LENGTH ? source.slice(start, end) : "";
    const file = MARK.exec(line)?.[1];
    if (file !== undefined && MODULE_FILE.test(file))
      modules.push({ file: bundledFile(file, script), start });
    at = source.indexOf("//", end);
  }
  if (modules.length < LEAST_MARKS) return undefined;
  return (offset) => modules[partitionPoint(modules.length, (i) => modules[i]!.start <= offset) - 1];
}

/**
 * Returns the name of a file in a bundle. Bundlers name it relative to a folder that is not known: it is shown as
 * if the bundle were a folder, so that the packages in the bundle, and that of the bundle, are known.
 */
function bundledFile(file: string, script: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : `${script}/${file.replace(/^(?:\.{0,2}[\\/])+/, "")}`;
}

/** A path with folders, as the wrappers of modules are named. */
const PATH = /^[^\s"'`]*\/[^\s"'`/]+$/;
/** The number of a module, as webpack names wrappers in short. */
const NUMBER = /^\d{1,9}$/;

/**
 * Returns the module of which a function is the wrapper, by the name of the function; undefined if it is no
 * wrapper. Bundlers call wrappers by the module's path, `node_modules/a/index.js`, or by its number.
 */
export function wrappedModule(name: string, script: string): string | undefined {
  if (NUMBER.test(name)) return `${script}#${name}`;
  return name.length <= MARK_LENGTH && MODULE_FILE.test(name) && PATH.test(name)
    ? bundledFile(name, script)
    : undefined;
}

/** Names the top-level code of modules, of which several can be in one script. */
export class ModuleFrames {
  readonly #scripts: Scripts;
  readonly #maps: SourceMaps;
  readonly #bundles = new Map<number, FindModule | undefined>();

  constructor(scripts: Scripts, maps: SourceMaps) {
    this.#scripts = scripts;
    this.#maps = maps;
  }

  /**
   * Returns the file of a script as a module: its source if a source map has only one, else the script itself.
   */
  file(script: string): string {
    return this.#maps.get(this.#scripts.idOf(script))?.map.start()?.file ?? script;
  }

  /**
   * Returns the frame of a function, named as the top-level code of a module if it is that: of a script, or the
   * wrapper around a module in a bundle. `name` is that in its source.
   */
  named(frame: JsFrame, logged: LoggedFunction | undefined): JsFrame {
    const script = topLevelScript(logged?.name ?? frame.name);
    if (script !== undefined) return { ...frame, name: topLevelName(this.file(script)) };
    const { name, file = "", line, column } = parseLoggedName(frame.name);
    if (line === 1 && column === 1 && logged !== undefined && this.#bundleOf(logged.script) !== undefined)
      return { ...frame, name: topLevelName(file) };
    const wrapped = file === "" ? undefined : wrappedModule(name, file);
    return wrapped === undefined ? frame : { ...frame, name: topLevelName(wrapped) };
  }

  /**
   * Returns the name of the top-level code of the module whose code a function has inside of its own, at an
   * offset of its script; undefined if the code there is its own.
   */
  inside(logged: LoggedFunction, offset: number): string | undefined {
    const found = offset < 0 ? undefined : this.#bundleOf(logged.script)?.(offset);
    return found !== undefined && logged.start <= found.start ? topLevelName(found.file) : undefined;
  }

  #bundleOf(id: number): FindModule | undefined {
    return valueAt(this.#bundles, id, () => {
      const map = this.#maps.get(id)?.map;
      if (map !== undefined) return mappedModules(map, this.#scripts, id);
      const { url = "", source = "" } = this.#scripts.get(id) ?? {};
      return markedModules(url.startsWith("node:") ? "" : source, url);
    });
  }
}

/** Returns the logged name of a module's top-level code. */
function topLevelName(file: string): string {
  return ` ${file}:1:1`;
}

/** Returns what a log says about the start of its program, with the original files of modules. */
export function originalModules({ modules, ...rest }: LoggedStartup, found: ModuleFrames): StartupLog {
  return {
    ...rest,
    modules: modules.map(({ time, name }) => ({
      time,
      file: found.file(topLevelScript(name) ?? name),
    })),
  };
}
