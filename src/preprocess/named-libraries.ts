import type { LibraryInfo } from "../profile/profile.js";
import { type LoadOptions, loadLibrary, type MappedSymbols } from "../symbols/load-library.js";
import { platformOf } from "../symbols/platform.js";
import type { LibraryFunction } from "../symbols/readable-names.js";
import type { Library } from "../symbols/symbol-source.js";

export interface NameLibrariesOptions extends LoadOptions {
  /** The readable names of functions, one for one. Default: they stay as the linker has them. */
  readonly readNames?: ((functions: readonly LibraryFunction[]) => Promise<readonly string[]>) | undefined;
}

/** A library with all of its functions. */
export interface NamedLibrary {
  readonly library: Library;
  readonly info: LibraryInfo;
  /** Undefined when nothing names the library. */
  readonly symbols: MappedSymbols | undefined;
  /** The readable name of the function at an index of the table of `symbols`. */
  name(index: number): string;
}

/** Names made readable at a time: enough that starting a program for them costs nothing. */
const BATCH = 1 << 15;

/** Reads the functions of libraries, whether ticks lie in them or not, one after the other. In the order given. */
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
