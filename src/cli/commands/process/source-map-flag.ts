import { TicksError } from "../../../errors.js";
import { readRegularFile } from "../../../io/regular-file.js";
import { SOURCE_MAP_BYTES } from "../../../limits.js";
import { SourceMap } from "../../../symbolizer/source-maps.js";
import { printable } from "../../../views/label.js";

const POSITION = /:(\d+):(\d+)$/;

/**
 * Reads a source map and returns a function that renames labels. A label that ends in a position of the map
 * becomes `source:line:column -> label`; other labels stay. As in `--prof-process`, the map applies to every
 * file. Throws a {@link TicksError} if the file is not a readable source map.
 */
export function loadSourceMap(path: string): (label: string) => string {
  const map = readMap(path);
  return (label) => {
    const position = POSITION.exec(label);
    if (position === null) return label;
    const [line, column] = [Math.max(1, Number(position[1])), Math.max(1, Number(position[2]))];
    const original = map.original({ line, column });
    return original === undefined
      ? label
      : `${original.file}:${original.line}:${original.column} -> ${label}`;
  };
}

function readMap(path: string): SourceMap {
  try {
    return new SourceMap(readRegularFile(path, SOURCE_MAP_BYTES, "it").toString("utf8"), path);
  } catch (error) {
    const reason = printable((error as Error).message);
    throw new TicksError("BAD_SOURCE_MAP", `${printable(path)}: not a source map (${reason})`);
  }
}
