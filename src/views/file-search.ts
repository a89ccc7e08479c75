import { isEndOfFile } from "./function-search.js";
import { nearNames } from "./near-names.js";

/** The files that a path means: the one of that name, else those that end in it. */
export function findFiles(wanted: string, files: Iterable<string>): string[] {
  const all = Array.from(new Set(files));
  return all.includes(wanted) ? [wanted] : all.filter((file) => isEndOfFile(file, wanted));
}

/** The files that a path which means none may be meant for, by names for short. */
export function nearFiles(wanted: string, files: Iterable<string>): string[] {
  return nearNames(wanted.replace(/^.*[\\/]/, ""), files, 5);
}
