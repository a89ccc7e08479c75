import { type NamedLibrary, nameLibraries } from "../../src/load/preprocess/vm-symbols.ts";
import { readRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import type { Library } from "../../src/native/symbol-source.ts";

/**
 * Libraries with the functions `start size name` (hexadecimal, in offsets from the library's start) of each, by path.
 * The file of each is mapped whole; nothing is read from disk.
 */
export function withFunctions(
  libraries: readonly Library[],
  functions: Readonly<Record<string, readonly string[]>>,
): Promise<NamedLibrary[]> {
  const text = libraries.flatMap(({ path, start, end }) =>
    path in functions
      ? [`library ${path}`, `segment 0 0 ${(end - start).toString(16)}`, ...(functions[path] ?? [])]
      : [],
  );
  const recorded = readRecordedSymbols(["ticks-symbols 1", ...text, ""].join("\n"), "test");
  return nameLibraries(libraries, { sources: [], recorded });
}
