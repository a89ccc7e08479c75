import { stampAt, withRegularFile } from "../../io/regular-file.js";
import type { SymbolSource } from "../symbol-source.js";
import { debugFilePaths, readDebugLink, withDebugFile } from "./debug-file.js";
import type { ElfTable } from "./elf-table.js";
import type { ElfFile } from "./file.js";
import { type ElfSections, readSections, SECTION_TYPE } from "./sections.js";

/** Where to look for the symbol tables of a library. */
export interface ElfSymbolOptions {
  /** The system's directory of separate debug files. Default: `/usr/lib/debug`. */
  readonly debugDirectory: string;
}

const defaults: ElfSymbolOptions = { debugDirectory: "/usr/lib/debug" };

/**
 * Returns the source `elf`, which reads the symbol tables of ELF files in this process. It returns the
 * functions that `nm -n -S` and `nm -n -S -D` print for the file, then those of its separate debug file if
 * the file was stripped. Names are mangled. It returns none if neither file has a symbol table with
 * functions, and skips broken tables.
 */
export function elfSymbols(options: Partial<ElfSymbolOptions> = {}): SymbolSource {
  const { debugDirectory } = { ...defaults, ...options };
  return {
    name: "elf",
    isMangled: true,
    async load({ file, binary: elf }) {
      if (elf.format !== "elf") return { kind: "no-symbols" };
      const reader = await import("./elf-table.js"); // Not needed if the table is cached.
      const tables = readTables(file, elf, { directory: debugDirectory, ...reader });
      return reader.merge(tables, elf) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary: elf }) {
      if (elf.format !== "elf") return undefined;
      return withRegularFile(file, (open) => {
        const sections = readSections(open);
        if (sections === undefined) return undefined;
        if (hasSymbols(sections)) return "";
        const query = {
          file,
          buildId: elf.buildId,
          link: readDebugLink(sections),
          directory: debugDirectory,
        };
        return JSON.stringify(debugFilePaths(query).map((path) => [path, stampAt(path)]));
      });
    },
  };
}

interface TableReader {
  readonly directory: string;
  readonly readFunctions: (sections: ElfSections, debugFile?: string) => ElfTable[];
}

/** Returns the tables, most trusted first. */
function readTables(file: string, elf: ElfFile, { directory, readFunctions }: TableReader): ElfTable[] {
  const tables = withRegularFile(file, (open) => {
    const sections = readSections(open);
    if (sections === undefined) return [];
    const own = readFunctions(sections);
    // A debug file repeats the symbols that the file still has, and is large.
    if (hasSymbols(sections)) return own;
    const query = { file, buildId: elf.buildId, link: readDebugLink(sections), directory };
    return [...own, ...(withDebugFile(query, readFunctions) ?? [])];
  });
  return tables ?? [];
}

function hasSymbols({ list }: ElfSections): boolean {
  return list.some(({ type }) => type === SECTION_TYPE.symbols);
}
