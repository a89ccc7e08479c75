import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type SourceFiles, sourceFilesUnder } from "../io/source-files.js";

/**
 * Reads source maps wherever a log says that they are: `readSourceMap: readMapFile`. Only for logs that you
 * trust, such as your own: a log can name any file. For others use `sourceFilesUnder`. A map is a regular file
 * of a sane size; undefined if there is none.
 */
export const readMapFile: SourceFiles["readMap"] = (file, isNamed) => {
  const path = pathOf(file);
  return path === undefined
    ? Promise.resolve(undefined)
    : sourceFilesUnder([resolve(path, "..")]).readMap(path, isNamed);
};

function pathOf(file: string): string | undefined {
  try {
    return file.startsWith("file:") ? fileURLToPath(file) : resolve(file);
  } catch {
    return undefined; // It is a URL of another machine.
  }
}
