import { posix, win32 } from "node:path";
import uri from "@jridgewell/resolve-uri";
import { decodedMappings, TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import {
  LAST_POSITION,
  SOURCE_MAP_BYTES,
  SOURCE_MAP_DEPTH,
  SOURCE_MAP_NAME_LENGTH,
  SOURCE_MAP_NESTING,
  SOURCE_MAP_SECTIONS,
  SOURCE_MAP_SEGMENTS,
  SOURCE_MAP_VALUES,
} from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { partitionPoint } from "../base/sorted.js";
import type { LineColumn } from "../profile/source-lines.js";
import { sourceLines } from "../profile/source-lines.js";
import type { Script, Scripts } from "../replay/scripts.js";

/** A map without sections, and where it begins in the generated script, from 0. */
interface MapPart {
  readonly line: number;
  readonly column: number;
  readonly sources: readonly (string | null)[];
  /** As long as `sources` or shorter; null where the map does not have the text. */
  readonly sourcesContent: readonly (string | null)[];
  readonly sourceRoot: string;
  readonly names: readonly (string | null)[];
  /** Not parsed yet. */
  readonly mappings: string;
}

/** Some servers begin a map with a line that starts like this, so that no page can run it as a script. */
const SHIELD = ")]}'";

/**
 * Reads the text of a source map and returns its parts in the order of where they begin. Throws an `Error`
 * that describes the fault if it does not have the shape of a source map; nothing is repaired.
 *
 * Source: ECMA-426, "Source map format" and "Index source map".
 */
export function readMapJson(text: string): readonly MapPart[] {
  if (text.length > SOURCE_MAP_BYTES) throw new Error("it is too long");
  const json = withoutShield(text);
  checkValues(json);
  const parts: MapPart[] = [];
  addParts(JSON.parse(json), { line: 0, column: 0 }, { parts, depth: 0 });
  return parts;
}

function withoutShield(text: string): string {
  if (!text.startsWith(SHIELD)) return text;
  const end = text.indexOf("\n");
  return end < 0 ? "" : text.slice(end + 1);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Throws if parsing the JSON would take many times its size in memory. */
function checkValues(json: string): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) at = endOfString(json, at);
    // `[` and `{`, then `]` and `}`
    else if (character === 0x5b || character === 0x7b) {
      values++;
      if (++depth > SOURCE_MAP_NESTING) throw new Error("it is too deep");
    } else if (character === 0x5d || character === 0x7d) depth--;
  }
  if (values > SOURCE_MAP_VALUES) throw new Error("it has too many values");
}

/** Returns where the string that begins at an offset ends; the end of the text if it is not closed. */
function endOfString(json: string, start: number): number {
  let end = start;
  let isEscaped = true;
  while (isEscaped) {
    end = json.indexOf('"', end + 1);
    if (end < 0) return json.length;
    let slashes = 0;
    while (json.charCodeAt(end - slashes - 1) === BACKSLASH) slashes++;
    isEscaped = slashes % 2 === 1;
  }
  return end;
}

interface Offset {
  readonly line: number;
  readonly column: number;
}

/** The state of the walk over a map's sections. */
interface Walk {
  readonly parts: MapPart[];
  readonly depth: number;
}

function addParts(map: unknown, at: Offset, walk: Walk): void {
  const { version, file, sections } = objectOf(map, "the map");
  if (version !== 3 && version !== "3") throw new Error("its version is not 3");
  if (file !== undefined && file !== null) stringOf(file, "file");
  if (sections !== undefined) {
    addSections(sections, at, walk);
    return;
  }
  if (walk.parts.length === SOURCE_MAP_SECTIONS) throw new Error("it has too many sections");
  walk.parts.push(partOf(objectOf(map, "the map"), at));
}

function addSections(sections: unknown, at: Offset, { parts, depth }: Walk): void {
  if (depth === SOURCE_MAP_DEPTH) throw new Error("its sections are too deep");
  let last: Offset = at;
  for (const section of arrayOf(sections, "sections")) {
    const { offset, map, url } = objectOf(section, "a section");
    // The section would have to be fetched.
    if (url !== undefined) throw new Error("a section is in another file");
    const { line, column } = offsetOf(offset);
    // Only on its first line does a map count columns from where it begins.
    const start = { line: at.line + line, column: line === 0 ? at.column + column : column };
    if (start.line > LAST_POSITION || start.column > LAST_POSITION)
      throw new Error("a section is too far off");
    if (isBefore(start, last)) throw new Error("its sections are not in order");
    last = start;
    addParts(map, start, { parts, depth: depth + 1 });
  }
}

/** Returns whether one position is before another. */
function isBefore(a: Offset, b: Offset): boolean {
  return a.line < b.line || (a.line === b.line && a.column < b.column);
}

function partOf(map: Readonly<Record<string, unknown>>, at: Offset): MapPart {
  return {
    ...at,
    sources: textsOf(map.sources, "sources"),
    sourcesContent: textsOf(map.sourcesContent ?? [], "sourcesContent"),
    sourceRoot: stringOf(map.sourceRoot ?? "", "sourceRoot"),
    names: textsOf(map.names ?? [], "names"),
    mappings: stringOf(map.mappings, "mappings"),
  };
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new Error(`${what} is not an object`);
}

function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${what} is not an array`);
}

function stringOf(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw new Error(`${what} is not a string`);
}

function textsOf(value: unknown, what: string): readonly (string | null)[] {
  const isText = (item: unknown): item is string | null => item === null || typeof item === "string";
  const texts = arrayOf(value, what);
  if (texts.every(isText)) return texts;
  throw new Error(`${what} has an entry that is not a string`);
}

function offsetOf(value: unknown): Offset {
  const { line, column } = objectOf(value, "the offset of a section");
  return { line: positionOf(line), column: positionOf(column) };
}

function positionOf(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LAST_POSITION)
    return value;
  throw new Error("the offset of a section is not a position");
}

/** The number of sources and names that the segments of a map can refer to. */
interface SegmentBounds {
  readonly sources: number;
  readonly names: number;
}

/** A column of a line; where it has an origin, its source, line and column there, from 0; and a name, if it has one. */
export type MapSegment =
  | readonly [column: number]
  | readonly [column: number, source: number, line: number, sourceColumn: number]
  | readonly [column: number, source: number, line: number, sourceColumn: number, name: number];

/**
 * The segments of a source map, which map positions of the generated script to positions in sources, all from 0. The
 * library takes any text: what it is given is checked before, and what it returns after.
 *
 * Source: ECMA-426, "Mappings structure".
 */
export class MapSegments {
  readonly #map: TraceMap;

  /** Reads the `mappings` of a map. Throws an `Error` if they are malformed or exceed the bounds. */
  constructor(mappings: string, bounds: SegmentBounds) {
    checkLength(mappings);
    const withoutEmpty = mappings.replace(EMPTY_SEGMENTS, "");
    checkFields(withoutEmpty);
    this.#map = new TraceMap({ version: 3, sources: [], names: [], mappings: withoutEmpty });
    checkRanges(this.lines, bounds);
  }

  /** The segments of each line, in the order of their columns. */
  get lines(): readonly (readonly MapSegment[])[] {
    return decodedMappings(this.#map);
  }

  /**
   * Returns the last segment of a line that begins at or before a column, or the first of several at exactly
   * that column; undefined if there is none.
   */
  find(line: number, column: number): MapSegment | undefined {
    return line < 0 ? undefined : (traceSegment(this.#map, line, column) ?? undefined);
  }
}

/** Commas without a segment before or after them. */
const EMPTY_SEGMENTS = /(?<=^|;),+|,+(?=[,;]|$)/g;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/** Throws if there are too many lines, or segments as far as commas tell. */
function checkLength(mappings: string): void {
  let [lines, commas] = [1, 0];
  for (let i = 0; i < mappings.length; i++) {
    const character = mappings.charCodeAt(i);
    if (character === SEMICOLON) lines++;
    else if (character === COMMA) commas++;
  }
  if (lines > SOURCE_MAP_SEGMENTS || Math.min(lines + commas, mappings.length) > SOURCE_MAP_SEGMENTS)
    throw new Error("it has too many segments");
}

/**
 * A segment of one, four or five numbers up to its comma or the end of its line; or the end of an empty line. A number has 32
 * bits, 5 in each character, of which all but the last have a sixth.
 */
const SEGMENT =
  /(?:[g-z0-9+/]{0,5}[A-Za-f]|[g-z0-9+/]{6}[A-D])(?:(?:[g-z0-9+/]{0,5}[A-Za-f]|[g-z0-9+/]{6}[A-D]){3,4})?(?:[,;]|$)|;/y;

/** Throws if mappings have anything but numbers in segments. */
function checkFields(mappings: string): void {
  for (SEGMENT.lastIndex = 0; SEGMENT.lastIndex < mappings.length; ) {
    if (!SEGMENT.test(mappings)) throw new Error("a segment is malformed");
  }
}

/** Throws if a number of a segment is not from 0 to the most that it can be. */
function checkRanges(lines: MapSegments["lines"], { sources, names }: SegmentBounds): void {
  const most = [LAST_POSITION, sources - 1, LAST_POSITION, LAST_POSITION, names - 1];
  for (const line of lines) {
    for (const segment of line) {
      for (let i = 0; i < segment.length; i++) {
        if (segment[i]! < 0 || segment[i]! > most[i]!) throw new Error("a segment is out of range");
      }
    }
  }
}

export interface OriginalPosition extends LineColumn {
  readonly file: string;
  /** Whether the map has an entry for exactly this position, not only for an earlier one. */
  readonly isExact: boolean;
  /** The original name at the position; undefined if the map has none. */
  readonly name: string | undefined;
}

/** The package's types describe its CommonJS form; as a module, its default export is the function itself. */
const resolveUri = uri as unknown as (path: string, base: string) => string;

interface ReadPart extends MapPart {
  readonly segments: MapSegments;
  /** The names of the sources looked up so far; undefined if a source has none. */
  readonly files: Map<number, string | undefined>;
}

/**
 * The source map of one script. Lines and columns are from 1, as V8 logs them.
 *
 * The whole map is checked when it is read, so that later look-ups cannot fail. Its memory depends on the
 * length of its text: sources get their full names only when looked up, and names that are too long are
 * ignored.
 */
export class SourceMap {
  readonly #parts: readonly ReadPart[];
  /** The base of the sources' names. */
  readonly #folder: string;
  /** The texts of the sources looked up so far; null if the map does not have one. */
  readonly #texts = new Map<string, string | null>();
  /** The lines of those texts, split on demand. */
  readonly #lines = new Map<string, readonly string[]>();

  /**
   * Reads the text of a map at `url`, which its sources are relative to. Throws an `Error` if it is not a
   * source map.
   */
  constructor(text: string, url: string) {
    this.#parts = readMapJson(text).map((part) => {
      const bounds = { sources: part.sources.length, names: part.names.length };
      return { ...part, segments: new MapSegments(part.mappings, bounds), files: new Map() };
    });
    this.#folder = url.slice(0, url.lastIndexOf("/") + 1);
  }

  /** Returns the original of a position in the script; undefined if a tool added the code there. */
  original(at: LineColumn): OriginalPosition | undefined {
    const generated = { line: at.line - 1, column: at.column - 1 };
    const part = this.#partAt(generated);
    if (part === undefined) return undefined;
    const { segments, names } = part;
    const inPart = generated.column - (generated.line === part.line ? part.column : 0);
    const segment = segments.find(generated.line - part.line, inPart);
    if (segment === undefined || segment.length === 1) return undefined;
    const [column, source, sourceLine, sourceColumn, nameIndex = -1] = segment;
    const file = this.#file(part, source);
    if (file === undefined) return undefined;
    const name = names[nameIndex];
    return {
      file,
      line: sourceLine + 1,
      column: sourceColumn + 1,
      isExact: column === inPart,
      name: isShort(name) ? name : undefined,
    };
  }

  /**
   * Returns the start of the only file that the script was made from; undefined if there are several or none.
   */
  start(): OriginalPosition | undefined {
    const [part] = this.#parts;
    if (part === undefined || this.#parts.length > 1 || part.sources.length > 1) return undefined;
    const file = this.#file(part, 0);
    return file === undefined ? undefined : { file, line: 1, column: 1, isExact: false, name: undefined };
  }

  /** Returns the files that the script was made from, and the first position of each in the script. */
  starts(): ReadonlyMap<string, LineColumn> {
    const starts = new Map<string, LineColumn>();
    for (const part of this.#parts) {
      const isKnown = new Uint8Array(part.sources.length);
      for (const [line, segments] of part.segments.lines.entries()) {
        for (const [column, source = -1] of segments) {
          if (source < 0 || isKnown[source] === 1) continue;
          isKnown[source] = 1;
          const file = this.#file(part, source);
          if (file === undefined || starts.has(file)) continue;
          starts.set(file, {
            line: part.line + line + 1,
            column: column + (line === 0 ? part.column : 0) + 1,
          });
        }
      }
    }
    return starts;
  }

  /** Returns the text of a file that {@link original} returned; undefined if the map does not have it. */
  text(file: string): string | undefined {
    return this.#texts.get(file) ?? undefined;
  }

  /**
   * Returns a line of a file that {@link original} returned, from 1; undefined if the map does not have it.
   */
  line(file: string, line: number): string | undefined {
    const lines = valueAt(this.#lines, file, () => sourceLines(this.text(file) ?? ""));
    return lines[line - 1];
  }

  /** Returns the last part that begins at or before a position, from 0. */
  #partAt(generated: LineColumn): ReadPart | undefined {
    const parts = this.#parts;
    return parts[partitionPoint(parts.length, (i) => !isBefore(generated, parts[i]!)) - 1];
  }

  /**
   * Returns the name of a source by its index; undefined if it has none. Keeps the source's text if the map
   * has it.
   */
  #file(part: ReadPart, source: number): string | undefined {
    return valueAt(part.files, source, () => {
      const file = this.#resolved(part, part.sources[source]);
      if (file !== undefined && !this.#texts.get(file))
        this.#texts.set(file, part.sourcesContent[source] ?? null);
      return file;
    });
  }

  /** Returns the full name of a source; undefined if the map does not name it or the name is unusable. */
  #resolved({ sourceRoot }: MapPart, source: string | null | undefined): string | undefined {
    if (!isShort(source) || !isShort(sourceRoot) || !isShort(this.#folder)) return undefined;
    const path = sourceRoot === "" ? source : `${sourceRoot}/${source}`;
    return resolveUri(path, this.#folder) || undefined;
  }
}

function isShort(name: string | null | undefined): name is string {
  return name !== null && name !== undefined && name.length <= SOURCE_MAP_NAME_LENGTH;
}

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
  const readMap = mapReader(read);
  for (const id of ids) {
    const script = scripts.get(id);
    if (script === undefined || script.url === "" || script.url.startsWith("node:")) continue;
    try {
      const found = await findMap(script.url, mapUrl(script), readMap);
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
  readMap: ReturnType<typeof mapReader>,
): Promise<ScriptMap | "missing" | "forbidden" | undefined> {
  if (named?.startsWith("data:")) return { map: new SourceMap(dataText(named), script), file: undefined };
  const file = named === undefined ? `${script}.map` : besideScript(script, named);
  const map = await readMap(file, named !== undefined && !isOfPackage(script));
  if (typeof map !== "string") return { map, file };
  return named === undefined ? undefined : map;
}

type FoundMap = SourceMap | "missing" | "forbidden";

/** Returns a function that reads map files, each once, because several scripts can name one. */
function mapReader(read: ReadMapFile): (file: string, isNamed: boolean) => Promise<FoundMap> {
  const maps = new Map<string, Promise<FoundMap>>();
  const load = async (file: string, isNamed: boolean): Promise<FoundMap> => {
    const text = await read(file, isNamed);
    if (text !== null) return text === undefined ? "missing" : new SourceMap(text, file);
    maps.delete(file); // Another script may name it.
    return "forbidden";
  };
  return (file, isNamed) => valueAt(maps, file, () => load(file, isNamed));
}
