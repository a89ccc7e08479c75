import {
  decodedMappings,
  FlattenMap,
  sourceContentFor,
  type TraceMap,
  traceSegment,
} from "@jridgewell/trace-mapping";
import { sourceLines } from "../profile/source-lines.js";
import type { LineColumn } from "./scripts.js";

/** A place as the author of the code wrote it. */
export interface OriginalPlace extends LineColumn {
  readonly file: string;
  /** Whether the map has an entry for just the place that was asked, not only for one before it. */
  readonly isExact: boolean;
  /** What the author called the thing there; undefined where the map has no name for it. */
  readonly name: string | undefined;
}

/** Some servers put this line in front, so that no page runs a map as a script. */
const SHIELD = /^\)\]\}'[^\n]*\n/;

/** The source map of one script. Lines and columns are from 1, as V8 logs them. */
export class SourceMap {
  readonly #map: TraceMap;
  /** The sources whose lines were asked for. */
  readonly #lines = new Map<string, readonly string[]>();

  /** Reads the text of a map that is at `url`, which its sources are relative to. Throws where it is none. */
  constructor(text: string, url: string) {
    this.#map = FlattenMap(text.replace(SHIELD, ""), url);
    if (!Array.isArray(this.#map.sources)) throw new Error("it names no sources");
    decodedMappings(this.#map);
  }

  /** Where a place of the script comes from; undefined for what a tool added. */
  original({ line, column }: LineColumn): OriginalPlace | undefined {
    const segment = traceSegment(this.#map, line - 1, column - 1);
    if (segment === null || segment.length === 1) return undefined;
    const file = this.#map.resolvedSources[segment[1]];
    if (!file) return undefined;
    const isExact = segment[0] === column - 1;
    const name = segment.length === 5 ? this.#map.names[segment[4]] : undefined;
    return { file, line: segment[2] + 1, column: segment[3] + 1, isExact, name };
  }

  /** The text of a file that places come from, where the map has it. */
  text(file: string): string | undefined {
    const source = this.#map.sources[this.#map.resolvedSources.indexOf(file)];
    return source ? (sourceContentFor(this.#map, source) ?? undefined) : undefined;
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
}
