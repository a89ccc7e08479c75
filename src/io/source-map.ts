import { readFileSync } from "node:fs";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { TicksError } from "../errors.js";

const PLACE = /:(\d+):(\d+)$/;

/**
 * Reads a source map and returns what it makes of a label: `source:line:column -> label` for one that ends
 * in a place the map knows, else the label. The map is taken to be of every file, as by `--prof-process`.
 * Throws a {@link TicksError} when the file cannot be read as a source map.
 */
export function loadSourceMap(path: string): (label: string) => string {
  let map: TraceMap;
  try {
    map = new TraceMap(readFileSync(path, "utf8"), path);
  } catch (error) {
    throw new TicksError("BAD_SOURCE_MAP", `${path}: not a source map (${(error as Error).message})`);
  }
  return (label) => {
    const place = PLACE.exec(label);
    if (place === null) return label;
    // Logs count columns from 1, source maps from 0.
    const { source, line, column } = originalPositionFor(map, {
      line: Math.max(1, Number(place[1])),
      column: Math.max(0, Number(place[2]) - 1),
    });
    return source === null ? label : `${source}:${line}:${column + 1} -> ${label}`;
  };
}
