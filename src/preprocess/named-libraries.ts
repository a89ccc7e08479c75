import type { LibraryInfo } from "../profile/profile.js";
import { type LoadOptions, loadLibrary, type MappedSymbols } from "../symbols/load-library.js";
import { platformOf } from "../symbols/platform.js";
import type { LibraryFunction } from "../symbols/readable-names.js";
import type { Library } from "../symbols/symbol-source.js";

/** The options of {@link nameLibraries}. */
export interface NameLibrariesOptions extends LoadOptions {
  /** Returns the readable names of functions, one for each. Default: names stay mangled. */
  readonly readNames?: ((functions: readonly LibraryFunction[]) => Promise<readonly string[]>) | undefined;
}

/** A library with all its functions. */
export interface NamedLibrary {
  readonly library: Library;
  readonly info: LibraryInfo;
  /** Undefined if no source has symbols for the library. */
  readonly symbols: MappedSymbols | undefined;
  /** Returns the readable name of the function at an index of the table of `symbols`. */
  name(index: number): string;
}

/** The number of names demangled at a time: enough to make starting a program for them cheap. */
const BATCH = 1 << 15;

/** Reads the functions of libraries one after the other, in the given order, even of those without ticks. */
export async function nameLibraries(
  libraries: readonly Library[],
  options: NameLibrariesOptions,
): Promise<NamedLibrary[]> {
  const known = { platform: platformOf(libraries), ...options };
  const named: NamedLibrary[] = [];
  for (const library of libraries) named.push(await nameLibrary(library, known));
  return named;
}

async function nameLibrary(library: Library, options: NameLibrariesOptions): Promise<NamedLibrary> {
  const { info, symbols } = await loadLibrary(library, options);
  if (symbols === undefined) return { library, info, symbols, name: () => "" };
  const { table, isMangled } = symbols;
  if (!isMangled || options.readNames === undefined) {
    return { library, info, symbols, name: (index) => table.name(index) };
  }
  const names: string[] = [];
  for (let from = 0; from < table.length; from += BATCH) {
    const length = Math.min(BATCH, table.length - from);
    const batch = Array.from({ length }, (_, i) => ({ symbols, index: from + i }));
    for (const name of await options.readNames(batch)) names.push(name);
  }
  return { library, info, symbols, name: (index) => names[index]! };
}
