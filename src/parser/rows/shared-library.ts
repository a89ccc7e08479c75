import type { Address } from "../../profile/units.js";
import { unescapeText } from "../escapes.js";
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

/** A Windows path whose backslashes Node 10 did not escape, so that `\n` in it is not a newline. */
const UNESCAPED_WINDOWS_PATH = /^[A-Za-z]:\\(?!\\)/;

/**
 * `path,start,end[,slide]`; the path is quoted up to Node 8.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::SharedLibraryEvent`.
 */
export function decodeSharedLibrary(row: Row): SharedLibraryRecord | undefined {
  let path: string;
  if (row.isQuoted()) {
    path = row.text();
  } else {
    const raw = row.rawText();
    path = UNESCAPED_WINDOWS_PATH.test(raw) ? raw : unescapeText(raw);
  }
  const start = row.hex();
  const end = row.hex();
  const slide = row.hasMore() ? row.integer() : 0;
  if (Number.isNaN(start + end + slide) || end < start) return undefined;
  return { type: "shared-library", path, start, end, slide };
}
