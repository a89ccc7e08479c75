import { readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

/** Longer files are no scripts. */
const SIZE_LIMIT = 64e6;

/**
 * The text of a script as it is on this machine now, by its name as logged: an absolute path or a file URL. Undefined
 * where it cannot be read.
 */
export function readSourceFile(file: string): string | undefined {
  try {
    const path = file.startsWith("file:") ? fileURLToPath(file) : file;
    if (!isAbsolute(path)) return undefined;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > SIZE_LIMIT) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // The names of a log need not be of files here: the view says that it has no text.
  }
}
