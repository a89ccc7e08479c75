import { readDebugLink, withDebugFile } from "./debug-file.js";
import type { ElfFile } from "./elf-file.js";
import { type ElfFunctions, readElfFunctions } from "./elf-functions.js";
import { type ElfSections, readSections, SECTION_TYPE } from "./elf-sections.js";
import { withRegularFile } from "./regular-file.js";
import type { SymbolSource } from "./symbol-source.js";
import { type SymbolTable, SymbolTableBuilder } from "./symbol-table.js";

/** Where the symbol tables of a library are looked for. */
export interface ElfSymbolOptions {
  /** Where the system keeps separate debug files. Default is `/usr/lib/debug`. */
  readonly debugDirectory: string;
}

const defaults: ElfSymbolOptions = { debugDirectory: "/usr/lib/debug" };

/**
 * The source `elf`: reads the symbol tables of ELF files in this process. It has the functions that
 * `nm -n -S` and `nm -n -S -D` print for the file, then those of its separate debug file if it was stripped;
 * names are mangled. It has none where neither file has a symbol table that names a function, and skips tables
 * that are broken.
 */
export function elfSymbols(options: Partial<ElfSymbolOptions> = {}): SymbolSource {
  const { debugDirectory } = { ...defaults, ...options };
  return {
    name: "elf",
    isMangled: true,
    load: async ({ file, elf }) => merge(readTables(file, elf, debugDirectory), elf),
  };
}

/** In the order of trust. */
function readTables(file: string, elf: ElfFile, directory: string): ElfFunctions[] {
  const tables = withRegularFile(file, (open) => {
    const sections = readSections(open);
    if (sections === undefined) return [];
    const own = readFunctions(sections);
    // A debug file repeats the symbols that its file still has, and is large.
    if (sections.list.some(({ type }) => type === SECTION_TYPE.symbols)) return own;
    const wanted = { file, buildId: elf.buildId, link: readDebugLink(sections), directory };
    return [...own, ...(withDebugFile(wanted, readFunctions) ?? [])];
  });
  return tables ?? [];
}

/** Those of `.symtab`, which has all, before those of `.dynsym`, which has what other files may call. */
function readFunctions(sections: ElfSections): ElfFunctions[] {
  return [SECTION_TYPE.symbols, SECTION_TYPE.dynamicSymbols].flatMap((wanted) => {
    const section = sections.list.find(({ type }) => type === wanted);
    return (section && readElfFunctions(sections, section)) ?? [];
  });
}

function merge(tables: readonly ElfFunctions[], { segments }: ElfFile): SymbolTable | undefined {
  // Of a name only its place is kept, counted through all the tables.
  const builder = new SymbolTableBuilder<number>((place) => {
    let index = place;
    for (const table of tables) {
      if (index < table.length) return table.name(index);
      index -= table.length;
    }
    return "";
  });
  let place = 0;
  for (const table of tables) {
    for (let i = 0; i < table.length; i++) builder.add(table.starts[i]!, table.sizes[i]!, place++);
  }
  if (place === 0) return undefined;
  const end = segments.reduce((last, { linkAddress, size }) => Math.max(last, linkAddress + size), 0);
  return builder.build(end);
}
