import uri from "@jridgewell/resolve-uri";
import { SOURCE_MAP_NAME_LENGTH } from "../limits.js";
import { sourceLines } from "../profile/source-lines.js";
import type { LineColumn } from "../recorder/scripts.js";
import { isBefore, type MapPart, readMapJson } from "./map-json.js";
import { MapSegments } from "./map-segments.js";

/** A place as the author of the code wrote it. */
export interface OriginalPosition extends LineColumn {
  readonly file: string;
  /** Whether the map has an entry for just the place that was asked, not only for one before it. */
  readonly isExact: boolean;
  /** What the author called the thing there; undefined where the map has no name for it. */
  readonly name: string | undefined;
}

/** The package's types are those of its CommonJS form; as a module, its default export is the function itself. */
const resolveUri = uri as unknown as (path: string, base: string) => string;

/** A part of a map, read. */
interface ReadPart extends MapPart {
  readonly segments: MapSegments;
  /** The names of the sources that were asked for; undefined for one that has none. */
  readonly files: Map<number, string | undefined>;
}

/**
 * The source map of one script. Lines and columns are from 1, as V8 logs them.
 *
 * All of the map is checked when it is read, so that what is asked of it later cannot fail. What it takes of memory goes
 * by its text: sources get their full names only when they are asked for, and a name that is too long is none.
 */
export class SourceMap {
  readonly #parts: readonly ReadPart[];
  /** What the names of sources are relative to. */
  readonly #folder: string;
  /** The texts of the sources that were asked for; null where the map does not have it. */
  readonly #texts = new Map<string, string | null>();
  /** The lines of those whose lines were asked for. */
  readonly #lines = new Map<string, readonly string[]>();

  /** Reads the text of a map that is at `url`, which its sources are relative to. Throws an `Error` where it is none. */
  constructor(text: string, url: string) {
    this.#parts = readMapJson(text).map((part) => {
      const bounds = { sources: part.sources.length, names: part.names.length };
      return { ...part, segments: new MapSegments(part.mappings, bounds), files: new Map() };
    });
    this.#folder = url.slice(0, url.lastIndexOf("/") + 1);
  }

  /** Where a place of the script comes from; undefined for what a tool added. */
  original({ line, column }: LineColumn): OriginalPosition | undefined {
    const place = { line: line - 1, column: column - 1 };
    const part = this.#partAt(place);
    if (part === undefined) return undefined;
    const { segments, names } = part;
    const inPart = place.column - (place.line === part.line ? part.column : 0);
    const segment = segments.find(place.line - part.line, inPart);
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

  /** The text of a file that places were found to come from, where the map has it. */
  text(file: string): string | undefined {
    return this.#texts.get(file) ?? undefined;
  }

  /** One line of a file that places come from, counted from 1; undefined where the map does not have it. */
  line(file: string, line: number): string | undefined {
    let lines = this.#lines.get(file);
    if (lines === undefined) {
      lines = sourceLines(this.text(file) ?? "");
      this.#lines.set(file, lines);
    }
    return lines[line - 1];
  }

  /** The last part that begins at a place, from 0, or before it. */
  #partAt(place: LineColumn): ReadPart | undefined {
    let low = 0;
    let high = this.#parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(place, this.#parts[middle]!)) high = middle;
      else low = middle + 1;
    }
    return this.#parts[low - 1];
  }

  /** The name of a source, by its number; undefined where it has none. Keeps the text that the map has for it. */
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

  /** The full name of a source; undefined where the map does not name it, or has no name that can be. */
  #resolved({ sourceRoot }: MapPart, source: string | null | undefined): string | undefined {
    if (!isShort(source) || !isShort(sourceRoot) || !isShort(this.#folder)) return undefined;
    const path = sourceRoot === "" ? source : `${sourceRoot}/${source}`;
    return resolveUri(path, this.#folder) || undefined;
  }
}

function isShort(name: string | null | undefined): name is string {
  return name !== null && name !== undefined && name.length <= SOURCE_MAP_NAME_LENGTH;
}
