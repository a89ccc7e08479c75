import type { Address } from "../../profile/units.js";
import { unescapePath } from "../escapes.js";
import type { Row } from "../fields.js";

/** A file mapped into the process. */
export interface SharedLibraryRecord {
  readonly type: "shared-library";
  readonly path: string;
  readonly start: Address;
  readonly end: Address;
  /** What was added to every address of the file; always 0 except on macOS. */
  readonly slide: number;
}

/**
 * `path,start,end[,slide]`; the path is quoted up to Node 8.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::SharedLibraryEvent`.
 */
export function decodeSharedLibrary(row: Row): SharedLibraryRecord | undefined {
  const written = row.isQuoted() ? row.text() : unescapePath(row.rawText());
  // Linux's own escape of a newline, its only one. Source: Linux, fs/proc/task_mmu.c, `show_map_vma`.
  const path = written.startsWith("/") ? written.replaceAll("\\012", "\n") : written;
  const start = row.hex();
  const end = row.hex();
  const slide = row.hasMore() ? row.integer() : 0;
  if (Number.isNaN(start + end + slide) || end < start) return undefined;
  return { type: "shared-library", path, start, end, slide };
}
