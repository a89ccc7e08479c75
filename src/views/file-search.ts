import { isEndOfFile } from "./function-search.js";
import { nearNames } from "./near-names.js";

/** Returns the file with exactly this path, or else the files whose paths end in it. */
export function findFiles(query: string, files: Iterable<string>): string[] {
  const all = Array.from(new Set(files));
  return all.includes(query) ? [query] : all.filter((file) => isEndOfFile(file, query));
}

/** Returns similar file names, for a path that matches no file. */
export function nearFiles(query: string, files: Iterable<string>): string[] {
  return nearNames(query.replace(/^.*[\\/]/, ""), files, 5);
}
