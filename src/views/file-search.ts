import { isEndOfFile } from "./function-search.js";
import { nearNames } from "./near-names.js";

/** The files that a path means: the one of that name, else those that end in it. */
export function findFiles(query: string, files: Iterable<string>): string[] {
  const all = Array.from(new Set(files));
  return all.includes(query) ? [query] : all.filter((file) => isEndOfFile(file, query));
}

/** The files that a path which means none may be meant for, by names for short. */
export function nearFiles(query: string, files: Iterable<string>): string[] {
  return nearNames(query.replace(/^.*[\\/]/, ""), files, 5);
}
