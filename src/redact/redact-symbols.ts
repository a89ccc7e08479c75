import type { RecordedLibrary } from "../symbols/recorded-symbols.js";
import { isPublicLibrary } from "./public-libraries.js";
import type { Redactor } from "./redactor.js";

/**
 * Yields saved symbols redacted like their log. Paths are those of the redacted log, so that they are found
 * for it.
 */
export function* redactSymbols(
  libraries: Iterable<RecordedLibrary>,
  redactor: Redactor,
): Generator<RecordedLibrary> {
  for (const library of libraries) {
    const { path, table } = library;
    // Only once, because kept strings are counted.
    const names = Array.from({ length: table.length }, (_, i) => redactor.symbol(path, table.name(i)));
    yield {
      ...library,
      path: redactor.library(path),
      // To somebody who has the library, the build id reveals which one it is.
      buildId: isPublicLibrary(path) ? library.buildId : undefined,
      table: {
        length: table.length,
        starts: table.starts,
        ends: table.ends,
        name: (index) => names[index]!,
      },
    };
  }
}
