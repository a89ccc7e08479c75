import { TicksError } from "../errors.js";
import { escapeText } from "./escaped-text.js";
import { readNmOutput } from "./nm-output.js";
import { isWindowsPath } from "./platform.js";
import { isRecordedSymbols, readRecordedSymbols } from "./recorded-symbols.js";
import type { SavedFunctions } from "./saved-functions.js";
import { readWindowsMap } from "./windows-map.js";

/** Symbols that the user gave for a library of the log. */
export interface AssignedSymbols {
  /** The path that the log has for the library, or only the name of its file. */
  readonly library: string;
  readonly functions: SavedFunctions;
}

export interface SavedSymbolsOptions {
  /** What errors call the file. */
  readonly name: string;
  /** The library that is asked for, of a file that can have several. */
  readonly library: string;
}

const HINT =
  "Give what `nm -n -S LIB` printed, a linker's .map (link with /MAP), or what ticks symbols wrote.";

/**
 * Reads the symbols of one library in whatever form they are: as this program saves them, as the map of a linker of
 * Windows, as the output of `nm`. Throws a {@link TicksError} for any other text.
 */
export function readSavedSymbols(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const content = text.replace(/^\ufeff/, "");
  const functions = isRecordedSymbols(content)
    ? readOneRecorded(content, { name, library })
    : (readWindowsMap(content, name) ?? readNmOutput(content, name));
  if (functions === undefined)
    throw new TicksError("BAD_SYMBOLS", `${name}: no symbols in a known form`, HINT);
  return functions;
}

/**
 * The symbols given for the library at a path of the log; undefined when there are none. Those for the whole path
 * come before those for its name, later ones before earlier ones.
 */
export function findAssigned(assigned: readonly AssignedSymbols[], path: string): SavedFunctions | undefined {
  const found =
    assigned.findLast(({ library }) => folded(library, path) === folded(path, path)) ??
    assigned.findLast(({ library }) => folded(library, path) === fileName(folded(path, path)));
  return found?.functions;
}

function readOneRecorded(text: string, { name, library }: SavedSymbolsOptions): SavedFunctions {
  const all = readRecordedSymbols(text, name);
  const libraries = Array.from(all.values(), (recorded) => ({
    library: recorded.path,
    functions: { source: "recorded", mapTo: () => ({ ...recorded, isMangled: false }) },
  }));
  // Whichever of the two is only a name: the file may be of a machine that has the library elsewhere.
  const found =
    findAssigned(libraries, library) ??
    libraries.find(({ library: path }) => fileName(folded(path, path)) === fileName(folded(library, path)))
      ?.functions;
  if (found !== undefined) return found;
  throw new TicksError(
    "BAD_SYMBOLS",
    `${name}: no symbols of ${escapeText(library)}`,
    `It has those of: ${libraries.map(({ library: path }) => escapeText(path)).join(", ")}`,
  );
}

/** Text as a path is compared with the path of a library: those of Windows have no case, and either slash. */
function folded(text: string, path: string): string {
  return isWindowsPath(path) ? text.replaceAll("/", "\\").toLowerCase() : text;
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
