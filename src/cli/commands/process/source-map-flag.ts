import { readFileSync, statSync } from "node:fs";
import { TicksError } from "../../../errors.js";
import { SOURCE_MAP_BYTES } from "../../../limits.js";
import { SourceMap } from "../../../symbolizer/source-map.js";
import { printable } from "../../../views/label.js";

const PLACE = /:(\d+):(\d+)$/;

/**
 * Reads a source map and returns what it makes of a label: `source:line:column -> label` for one that ends
 * in a place the map knows, else the label. The map is taken to be of every file, as by `--prof-process`.
 * Throws a {@link TicksError} when the file cannot be read as a source map.
 */
export function loadSourceMap(path: string): (label: string) => string {
  const map = readMap(path);
  return (label) => {
    const place = PLACE.exec(label);
    if (place === null) return label;
    const [line, column] = [Math.max(1, Number(place[1])), Math.max(1, Number(place[2]))];
    const original = map.original({ line, column });
    return original === undefined
      ? label
      : `${original.file}:${original.line}:${original.column} -> ${label}`;
  };
}

function readMap(path: string): SourceMap {
  try {
    if (statSync(path).size > SOURCE_MAP_BYTES) throw new Error("it is too long");
    return new SourceMap(readFileSync(path, "utf8"), path);
  } catch (error) {
    const reason = printable((error as Error).message);
    throw new TicksError("BAD_SOURCE_MAP", `${printable(path)}: not a source map (${reason})`);
  }
}
