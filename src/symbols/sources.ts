import { elfSymbols } from "./elf/source.js";
import type { SymbolSource } from "./symbol-source.js";

export interface SourceOptions {
  /** An `nm` to trust more than what is read in this process. Default: none, the one on the PATH comes last. */
  readonly nm?: string | undefined;
}

/** Every way to learn the functions of a library on this machine, the most trusted first. */
export function defaultSources({ nm }: SourceOptions = {}): SymbolSource[] {
  return nm === undefined ? [elfSymbols(), lazyNm()] : [lazyNm(nm), elfSymbols()];
}

/** The source `nm`, whose modules are loaded when it is asked: seldom. That there is none is no problem of the library. */
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
