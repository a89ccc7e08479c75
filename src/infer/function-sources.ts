import { LONG_LINE } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import { changedPositions } from "../profile/deopt.js";
import { inScript, parseLoggedName, scriptName } from "../profile/logged-name.js";
import type { ScriptHashes, SourceText } from "../profile/profile.js";
import type { LineColumn } from "../profile/source-lines.js";
import type { DeoptNames } from "../replay/deopt-costs.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import { isNameless, Script, Scripts, textHash } from "../replay/scripts.js";
import { ModuleFrames } from "./bundled-modules.js";
import {
  commentValue,
  type ReadMapFile,
  type ScriptMap,
  SOURCE_URL_COMMENT,
  type SourceMaps,
} from "./source-maps.js";
import { originalName, ROLE_LINES, ROLE_REACH, roleOf } from "./source-names.js";

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
