import { posix, win32 } from "node:path";
import { SOURCE_MAP_BYTES } from "../limits.js";
import type { Script } from "../recorder/script.js";
import type { Scripts } from "../recorder/scripts.js";
import type { SourceMap } from "./source-map.js";

/** How the comment that names a source map begins, after `//# `. */
export const MAP_URL_COMMENT = "sourceMappingURL=";
/** How the comment that names a script without a name of its own begins, after `//# `. */
export const SOURCE_URL_COMMENT = "sourceURL=";
/** A comment begins at most this far before its word: `//# `, with a few more spaces. */
const COMMENT_REACH = 10;
const COMMENT_START = /(?:\/\/|\/\*)[#@][ \t]*$/;
const BLANKS = /[ \t]*/y;
const COMMENT_VALUE = /[^\s'"`]+/y;
const REST_OF_LINE = /[^\n\r\u2028\u2029]*/y;

/**
 * Returns the value of the last comment of a script that begins with a word: `//# sourceMappingURL=app.js.map`; undefined if
 * there is none. `parts` are the script's occurrences of the word, the last one first: each is text from shortly before it up
 * to the next one. As for V8, the comment can be anywhere, and nothing follows the value in its line. The word is often in
 * texts of programs too, which write such comments: most of these have quotes.
 *
 * Source: V8, src/parsing/scanner.cc, `Scanner::TryToParseMagicComment`; Node, lib/internal/source_map/source_map_cache.js.
 */
export function commentValue(word: string, parts: Iterable<string>): string | undefined {
  let isLast = true;
  for (const part of parts) {
    const mayEnd = isLast;
    isLast = false;
    const at = part.lastIndexOf(word);
    if (!COMMENT_START.test(part.slice(Math.max(0, at - COMMENT_REACH), at))) continue;
    const blanks = textAt(part, at + word.length, BLANKS);
    const start = at + word.length + blanks.length;
    const value = textAt(part, start, COMMENT_VALUE);
    const rest = textAt(part, start + value.length, REST_OF_LINE);
    // A line that goes on in the next part has more than a value.
    if (value === "" || (start + value.length + rest.length === part.length && !mayEnd)) continue;
    const end = value.endsWith("*/") ? "" : rest.trim();
    if ((end === "" || end === "*/") && !value.includes("${")) return value.replace(/\*\/$/, "");
  }
  return undefined;
}

/** Returns what a sticky pattern matches at an offset; empty if it does not. */
function textAt(text: string, offset: number, pattern: RegExp): string {
  pattern.lastIndex = offset;
  return pattern.exec(text)?.[0] ?? "";
}

/** Returns the text of a data URL. Throws an `Error` if it cannot be read. */
export function dataText(url: string): string {
  if (url.length > SOURCE_MAP_BYTES) throw new Error("it is too long");
  const comma = url.indexOf(",");
  if (comma < 0) throw new Error("it has no data");
  const data = url.slice(comma + 1);
  const isBase64 = url.slice(0, comma).endsWith(";base64");
  return isBase64 ? Buffer.from(data, "base64").toString("utf8") : decodeURIComponent(data);
}

/** Resolves a path or URL relative to a script. Throws an `Error` if it is invalid. */
export function besideScript(script: string, named: string): string {
  if (/^[a-z][a-z0-9+.-]+:/i.test(named)) return named;
  if (script.startsWith("file:")) return new URL(named, script).href;
  const path = /^[A-Za-z]:[\\/]|^\\\\/.test(script) ? win32 : posix;
  const decoded = decodeURI(named);
  return path.isAbsolute(decoded) ? path.normalize(decoded) : path.join(path.dirname(script), decoded);
}

/**
 * Reads the text of a file by its path or `file:` URL: undefined if there is none, null if it may not be
 * read. `isNamed` is true if a script of the program names it, so that a missing file is reported.
 */
export type ReadMapFile = (path: string, isNamed: boolean) => Promise<string | null | undefined>;

/** The faults of a script's source map. */
export type SourceMapFault = "broken-source-map" | "missing-source-map";

/** The source map of a script. */
export interface ScriptMap {
  readonly map: SourceMap;
  /** The path or URL of its file; undefined if it is inline in the script. */
  readonly file: string | undefined;
}

/** Source maps by script id. */
export type SourceMaps = ReadonlyMap<number, ScriptMap>;

/** The options of {@link loadSourceMaps}. */
interface SourceMapsOptions {
  readonly read: ReadMapFile;
  /** Called for each script whose named map cannot be used, except maps that may not be read. */
  readonly onFault: (fault: SourceMapFault, script: number) => void;
}

/**
 * Loads the source maps of some scripts: inline maps, maps that the scripts name, and maps beside them with
 * `.map` appended to the script's name.
 */
export async function loadSourceMaps(
  scripts: Scripts,
  ids: Iterable<number>,
  { read, onFault }: SourceMapsOptions,
): Promise<SourceMaps> {
  const maps = new Map<number, ScriptMap>();
  const files = new MapFiles(read);
  for (const id of ids) {
    const script = scripts.get(id);
    if (script === undefined || script.url === "" || script.url.startsWith("node:")) continue;
    try {
      const found = await findMap(script.url, mapUrl(script), files);
      if (typeof found === "object") maps.set(id, found);
      // Packages are often published without the maps that they name.
      else if (found === "missing" && !isOfPackage(script.url)) onFault("missing-source-map", id);
    } catch {
      onFault("broken-source-map", id);
    }
  }
  return maps;
}

/** Returns the URL of the source map that a script names; undefined if it names none. */
export function mapUrl(script: Script): string | undefined {
  return commentValue(MAP_URL_COMMENT, script.occurrences(MAP_URL_COMMENT));
}

function isOfPackage(url: string): boolean {
  return /[\\/]node_modules[\\/]/.test(url);
}

/** Returns the map of a script; undefined if it has none. Throws an `Error` if the map is invalid. */
async function findMap(
  script: string,
  named: string | undefined,
  files: MapFiles,
): Promise<ScriptMap | "missing" | "forbidden" | undefined> {
  if (named?.startsWith("data:"))
    return { map: await readSourceMap(dataText(named), script), file: undefined };
  const file = named === undefined ? `${script}.map` : besideScript(script, named);
  const map = await files.get(file, named !== undefined && !isOfPackage(script));
  if (typeof map !== "string") return { map, file };
  return named === undefined ? undefined : map;
}

async function readSourceMap(text: string, file: string): Promise<SourceMap> {
  const { SourceMap } = await import("./source-map.js"); // Most programs have none.
  return new SourceMap(text, file);
}

/** Map files, each read once, because several scripts can name one. */
class MapFiles {
  readonly #read: ReadMapFile;
  readonly #maps = new Map<string, Promise<SourceMap | "missing" | "forbidden">>();

  constructor(read: ReadMapFile) {
    this.#read = read;
  }

  get(file: string, isNamed: boolean): Promise<SourceMap | "missing" | "forbidden"> {
    let map = this.#maps.get(file);
    if (map === undefined) {
      map = this.#load(file, isNamed);
      this.#maps.set(file, map);
    }
    return map;
  }

  async #load(file: string, isNamed: boolean): Promise<SourceMap | "missing" | "forbidden"> {
    const text = await this.#read(file, isNamed);
    if (text === null) {
      this.#maps.delete(file); // Another script may name it.
      return "forbidden";
    }
    return text === undefined ? "missing" : readSourceMap(text, file);
  }
}
