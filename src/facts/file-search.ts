import { groupBy } from "../base/maps.js";
import { isEndOfFile } from "./function-search.js";
import { nearNames } from "./near-names.js";

/** Returns the file with exactly this path, or else the files whose paths end in it. */
export function findFiles(query: string, files: Iterable<string>): string[] {
  const all = Array.from(new Set(files));
  return all.includes(query) ? [query] : all.filter((file) => isEndOfFile(file, query));
}

/** How many files are suggested. */
const SUGGESTIONS = 5;

/** Returns the files with a similar name, for a path that matches no file. `files` come hottest first. */
export function nearFiles(query: string, files: Iterable<string>): string[] {
  const byName = groupBy(new Set(files), baseName);
  const near = nearNames(baseName(query), byName.keys(), SUGGESTIONS);
  return near.flatMap((name) => byName.get(name)!).slice(0, SUGGESTIONS);
}

function baseName(path: string): string {
  return path.replace(/^.*[\\/]/s, "");
}
