import { dirname, join } from "node:path";
import { valueAt } from "../base/maps.js";
import type { Address } from "../base/units.js";
import { withRegularFile } from "../io/regular-file.js";
import type { Library } from "./symbol-source.js";

// What a process had mapped, as `ticks record` saves it: V8 logs the libraries of a process when profiling starts, and no
// addon that is loaded later. The file has the lines of /proc/PID/maps that are code of a file. It is as hostile as a log.

/** A process with more has something else in mind. */
const MOST_BYTES = 4 * 2 ** 20;
/** Beyond user space. */
const ADDRESSES = 2 ** 64;
const MOST_LINES = 16 * 2 ** 10;
/**
 * `START-END PERMISSIONS OFFSET DEVICE INODE PATH`.
 *
 * Source: Linux, Documentation/filesystems/proc.rst, "/proc/PID/maps".
 */
const CODE_LINE =
  /^([0-9a-f]{1,16})-([0-9a-f]{1,16}) r.x[ps] ([0-9a-f]{1,16}) [0-9a-f]{1,8}:[0-9a-f]{1,8} \d{1,20} {1,80}(\/.{1,4096})$/;

/** Code that a process had mapped. */
export interface MappedCode {
  readonly from: Address;
  readonly to: Address;
  /** Its library, as V8 would log it: from where offset 0 of the file is mapped or would be, to its highest end. */
  readonly library: Library;
}

/** Matches the name of such a file. */
export const PROCESS_MAP = /^process-\d{1,10}\.maps$/;

/** Returns what the process of a log had mapped; nothing if no map of it is beside the log, or none as it is written. */
export function mappedBeside(log: string, pid: number | undefined): readonly MappedCode[] {
  if (pid === undefined) return [];
  return parseProcessMap(readProcessMap(join(dirname(log), `process-${pid}.maps`)));
}

/** Returns the text of a map; an empty one if there is none, or it is too long. */
export function readProcessMap(path: string): string {
  const text = withRegularFile(path, (file) =>
    file.size > MOST_BYTES ? undefined : file.read(0, file.size)?.toString(),
  );
  return text ?? "";
}

/** Returns the code in the text of a map. The last line counts only with its newline. */
export function parseProcessMap(text: string): readonly MappedCode[] {
  const ends = new Map<string, Address>();
  const lines = text.split("\n", MOST_LINES + 1).slice(0, -1);
  const pieces = lines.flatMap((line) => {
    const fields = CODE_LINE.exec(line);
    if (fields === null) return [];
    const [from = 0, to = 0, offset = 0] = fields.slice(1, 4).map((hex) => Number.parseInt(hex, 16));
    const start = from - offset;
    if (start < 0 || to <= from || to >= ADDRESSES) return [];
    // Linux escapes only newlines.
    const path = fields[4]!.replaceAll("\\012", "\n");
    const key = `${start} ${path}`;
    ends.set(key, Math.max(to, ends.get(key) ?? 0));
    return [{ from, to, start, path, key }];
  });
  const libraries = new Map<string, Library>();
  return pieces.map(({ from, to, start, path, key }) => {
    const library = valueAt(libraries, key, () => ({ path, start, end: ends.get(key)!, slide: 0 }));
    return { from, to, library };
  });
}
