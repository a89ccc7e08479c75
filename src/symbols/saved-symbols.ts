import { TicksError } from "../errors.js";
import { escapeText } from "./escaped-text.js";
import { readNmOutput } from "./nm-output.js";
import { isWindowsPath } from "./platform.js";
import { isRecordedSymbols, readRecordedSymbols } from "./recorded-symbols.js";
import type { SavedFunctions } from "./saved-functions.js";
import { readWindowsMap } from "./windows-map.js";

/** A library of the log that the user named: its path there, or just its file name. */
export interface AssignedLibrary {
  readonly library: string;
}

/** Symbols that the user gave for a library of the log: its functions, or the path of its binary. */
export type AssignedSymbols =
  | (AssignedLibrary & { readonly functions: SavedFunctions })
  | (AssignedLibrary & { readonly binary: string });

export interface SavedSymbolsOptions {
  /** What error messages call the file. */
  readonly name: string;
  /** The requested library, since a file can have several. */
  readonly library: string;
}

const HINT =
  "Use the output of `nm -n -S LIB`, a linker's .map (link with /MAP), LIB's binary, or a file written by ticks symbols.";

/**
 * Reads the symbols of one library in any supported format: saved symbols, the map of a Windows linker, or
 * the output of `nm`. Throws a {@link TicksError} for any other text.
 */
export function readSavedSymbols(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const content = text.replace(/^\ufeff/, "");
  const functions = isRecordedSymbols(content)
    ? readOneRecorded(content, { name, library })
    : (readWindowsMap(content, name) ?? readNmOutput(content, name));
  if (functions === undefined) throw new TicksError("BAD_SYMBOLS", `${name}: unknown symbol format`, HINT);
  return functions;
}

/**
 * Returns the symbols given for the library at a path of the log; undefined if there are none. A whole path
 * takes precedence over a file name, and later ones over earlier ones.
 */
export function findAssigned<T extends AssignedLibrary>(assigned: readonly T[], path: string): T | undefined {
  return (
    assigned.findLast(({ library }) => folded(library, path) === folded(path, path)) ??
    assigned.findLast(({ library }) => folded(library, path) === fileName(folded(path, path)))
  );
}

function readOneRecorded(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const all = readRecordedSymbols(text, name);
  const libraries = Array.from(all.values(), (recorded) => ({
    library: recorded.path,
    functions: { source: "recorded", mapTo: () => ({ ...recorded, isMangled: false }) },
  }));
  // Either may be just a name: the file may be from a machine where the library is elsewhere.
  const found =
    findAssigned(libraries, library) ??
    libraries.find(({ library: path }) => fileName(folded(path, path)) === fileName(folded(library, path)));
  if (found !== undefined) return found.functions;
  throw new TicksError(
    "BAD_SYMBOLS",
    `${name}: no symbols for ${escapeText(library)}`,
    `It has symbols for: ${libraries.map(({ library: path }) => escapeText(path)).join(", ")}`,
  );
}

/**
 * Returns text as it is compared with the path of a library. Paths of Windows ignore case and allow both
 * slashes.
 */
function folded(text: string, path: string): string {
  return isWindowsPath(path) ? text.replaceAll("/", "\\").toLowerCase() : text;
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
