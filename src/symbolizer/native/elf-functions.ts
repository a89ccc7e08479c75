import { addressesOf, findFunctions, readEntries, sizesOf } from "./elf-entries.js";
import { type ElfSections, SECTION_TYPE, type Section } from "./elf-sections.js";
import { readSymbolVersions, stringAt } from "./elf-versions.js";
import { mappingSymbolTest } from "./mapping-symbols.js";
import { symbolOrder } from "./symbol-order.js";

/** The functions in one symbol table of an ELF file: what `nm -n -S` prints as t, T or W, in its order. */
export interface ElfFunctions {
  readonly length: number;
  /** Link addresses, ascending; several functions can share one. */
  readonly starts: Float64Array;
  /** Bytes; 0 where the table does not say. */
  readonly sizes: Float64Array;
  /** Mangled, with the version where `nm` writes one. Made anew at each call. */
  name(index: number): string;
}

/**
 * Reads the functions of a symbol table: of `.symtab` or of `.dynsym`, as `section` says. Undefined when the file
 * does not hold it. Keeps the strings of the file for as long as the result lives.
 *
 * Source: binutils, binutils/nm.c, `filter_symbols`, `print_symname`.
 */
export function readElfFunctions(sections: ElfSections, section: Section): ElfFunctions | undefined {
  const entries = readEntries(sections, section);
  const linked = sections.list[section.link];
  const strings = linked && sections.read(linked);
  if (entries === undefined || strings === undefined) return undefined;

  const { words, layout, header } = entries;
  const nameOffset = (entry: number) => words[entry * layout.words + layout.name]!;
  const isMapping = mappingSymbolTest(header.machine, strings);
  const all = findFunctions(entries, sections, section);
  const found = isMapping === undefined ? all : all.filter((entry) => !isMapping(nameOffset(entry)));
  const order = symbolOrder(addressesOf(entries, found), (i) => nameOffset(found[i]!), strings);
  const ordered = new Uint32Array(found.length);
  for (let i = 0; i < found.length; i++) ordered[i] = found[order[i]!]!;
  const isDynamic = section.type === SECTION_TYPE.dynamicSymbols;
  const versions = isDynamic ? readSymbolVersions(sections, entries.count) : undefined;
  return {
    length: found.length,
    starts: addressesOf(entries, ordered),
    sizes: sizesOf(entries, ordered),
    name(index) {
      const entry = ordered[index]!;
      const name = stringAt(strings, nameOffset(entry));
      return versions === undefined ? name : name + versions.suffix(entry, name);
    },
  };
}
