import type { BinaryFile } from "./binary-file.js";
import { elfSymbols } from "./elf.js";
import type { SymbolSource } from "./symbol-source.js";

export interface SourceOptions {
  /** An `nm` to use before the built-in reader. Default: none; the `nm` on the PATH comes last. */
  readonly nm?: string | undefined;
}

/** Returns all sources of a library's functions on this machine, most trusted first. */
export function defaultSources({ nm }: SourceOptions = {}): SymbolSource[] {
  const here = [elfSymbols(), lazySource("mach-o", machO), lazySource("pe", pe)];
  return nm === undefined ? [...here, lazyNm()] : [lazyNm(nm), ...here];
}

const machO = async () => (await import("./mach-o.js")).machOSymbols();
const pe = async () => (await import("./pe.js")).peSymbols();

/** Returns a source of the files of one format, which loads its modules only when it meets such a file. */
function lazySource(format: BinaryFile["format"], open: () => Promise<SymbolSource>): SymbolSource {
  return {
    name: format,
    isMangled: true,
    async load(library) {
      return library.binary.format === format ? (await open()).load(library) : { kind: "no-symbols" };
    },
    async fingerprint(library) {
      return library.binary.format === format ? (await open()).fingerprint?.(library) : undefined;
    },
  };
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
      // It knows no more of other files, and that of macOS may ask the user to install developer tools.
      if (program === undefined && library.binary.format !== "elf") return { kind: "no-symbols" };
      const loaded = await (await import("./nm-source.js")).nmSource({ program }).load(library);
      const isMissing = program === undefined && "kind" in loaded;
      return isMissing ? { kind: "no-symbols" } : loaded;
    },
  };
}
