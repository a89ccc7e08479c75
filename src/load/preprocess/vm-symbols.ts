import { jsonText } from "../../base/shown-text.js";
import type { Address } from "../../base/units.js";
import { type LoadOptions, loadLibrary, type MappedSymbols } from "../../native/load-library.js";
import { platformOf } from "../../native/platform.js";
import type { LibraryFunction } from "../../native/readable-names.js";
import type { Library } from "../../native/symbol-source.js";
import type { LibraryInfo } from "../../profile/profile.js";

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

/**
 * Yields the lines of a JSON list of the functions of libraries, `[[name, start, end], …]`, followed by the
 * libraries themselves with their paths as names. Both are sorted by start; addresses are those of the
 * process, `end` is exclusive.
 *
 * Source: V8, tools/profile.mjs, `Profile.serializeVMSymbols`, which loses the libraries.
 */
export function* vmSymbolLines(libraries: readonly NamedLibrary[]): Iterable<string> {
  yield "[";
  let last: string | undefined;
  for (const entry of entries(libraries)) {
    if (last !== undefined) yield `${last},`;
    last = jsonText(entry);
  }
  if (last !== undefined) yield last;
  yield "]";
}

function* entries(libraries: readonly NamedLibrary[]): Iterable<readonly [string, Address, Address]> {
  const owners: number[] = [];
  const indices: number[] = [];
  const starts: Address[] = [];
  for (const [owner, { symbols }] of libraries.entries()) {
    for (let index = 0; symbols !== undefined && index < symbols.table.length; index++) {
      const start = symbols.toAddress(symbols.table.starts[index]!);
      if (start === undefined) continue;
      owners.push(owner);
      indices.push(index);
      starts.push(start);
    }
  }
  for (const i of ascending(starts)) {
    const named = libraries[owners[i]!]!;
    const { table } = named.symbols!;
    const index = indices[i]!;
    const start = starts[i]!;
    const end = start + table.ends[index]! - table.starts[index]!;
    // The last symbol of a table may have no size and then extends to the end of the file's code.
    yield [named.name(index), start, start < named.library.end ? Math.min(end, named.library.end) : end];
  }
  for (const i of ascending(libraries.map(({ library }) => library.start))) {
    const { path, start, end } = libraries[i]!.library;
    yield [path, start, end];
  }
}

/** Returns the indices of addresses sorted by address; equal addresses keep their order. */
function ascending(addresses: readonly Address[]): Uint32Array {
  const order = Uint32Array.from(addresses, (_, i) => i);
  return order.sort((a, b) => addresses[a]! - addresses[b]! || a - b);
}
