import { elfSymbols } from "./elf/source.js";
import type { SymbolSource } from "./symbol-source.js";

export interface SourceOptions {
  /** An `nm` to use before the built-in reader. Default: none; the `nm` on the PATH comes last. */
  readonly nm?: string | undefined;
}

/** Returns all sources of a library's functions on this machine, most trusted first. */
export function defaultSources({ nm }: SourceOptions = {}): SymbolSource[] {
  return nm === undefined ? [elfSymbols(), lazyNm()] : [lazyNm(nm), elfSymbols()];
}

/**
 * Returns the source `nm`, which loads its modules only when it is asked, which is rare. A missing nm is not
 * reported.
 */
function lazyNm(program?: string): SymbolSource {
  return {
    name: "nm",
    isMangled: true,
    async load(library) {
      const loaded = await (await import("./nm-source.js")).nmSource({ program }).load(library);
      const isMissing = program === undefined && "kind" in loaded;
      return isMissing ? { kind: "no-symbols" } : loaded;
    },
  };
}
