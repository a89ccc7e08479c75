import type { RecordedLibrary } from "../symbols/recorded-symbols.js";
import { isPublicLibrary } from "./public-libraries.js";
import type { Redactor } from "./redactor.js";

/** Saved symbols by the rules of their log: the paths are those of the redacted log, so that they are found for it. */
export function* redactSymbols(
  libraries: Iterable<RecordedLibrary>,
  redactor: Redactor,
): Generator<RecordedLibrary> {
  for (const library of libraries) {
    const { path, table } = library;
    // Once, however often they are read: what is kept is counted.
    const names = Array.from({ length: table.length }, (_, i) => redactor.symbol(path, table.name(i)));
    yield {
      ...library,
      path: redactor.library(path),
      // It tells which build of which library it is to who has one.
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
