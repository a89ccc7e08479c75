import uri from "@jridgewell/resolve-uri";
import { SOURCE_MAP_NAME_LENGTH } from "../limits.js";
import type { LineColumn } from "../profile/line-starts.js";
import { partitionPoint } from "../profile/sorted.js";
import { sourceLines } from "../profile/source-lines.js";
import { isBefore, type MapPart, readMapJson } from "./map-json.js";
import { MapSegments } from "./map-segments.js";

/** A position in an original source. */
export interface OriginalPosition extends LineColumn {
  readonly file: string;
  /** Whether the map has an entry for exactly this position, not only for an earlier one. */
  readonly isExact: boolean;
  /** The original name at the position; undefined if the map has none. */
  readonly name: string | undefined;
}

/** The package's types describe its CommonJS form; as a module, its default export is the function itself. */
const resolveUri = uri as unknown as (path: string, base: string) => string;

/** A part of a map with its segments. */
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
  original({ line, column }: LineColumn): OriginalPosition | undefined {
    const generated = { line: line - 1, column: column - 1 };
    const part = this.#partAt(generated);
    if (part === undefined) return undefined;
    const { segments, names } = part;
    const inPart = generated.column - (generated.line === part.line ? part.column : 0);
    const segment = segments.find(generated.line - part.line, inPart);
    if (segment < 0) return undefined;
    const file = this.#file(part, segments.source(segment));
    if (file === undefined) return undefined;
    const name = names[segments.name(segment)];
    return {
      file,
      line: segments.sourceLine(segment) + 1,
      column: segments.sourceColumn(segment) + 1,
      isExact: segments.column(segment) === inPart,
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
      part.segments.visit((line, column, source) => {
        if (isKnown[source] === 1) return;
        isKnown[source] = 1;
        const file = this.#file(part, source);
        if (file === undefined || starts.has(file)) return;
        starts.set(file, {
          line: part.line + line + 1,
          column: column + (line === 0 ? part.column : 0) + 1,
        });
      });
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
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = sourceLines(this.text(file) ?? "");
      this.#lines.set(file, lines);
    }
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
    if (source < 0) return undefined;
    if (part.files.has(source)) return part.files.get(source);
    const file = this.#resolved(part, part.sources[source]);
    part.files.set(source, file);
    if (file !== undefined && !this.#texts.get(file)) {
      this.#texts.set(file, part.sourcesContent[source] ?? null);
    }
    return file;
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
