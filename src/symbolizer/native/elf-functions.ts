import { addressesOf, findFunctions, readEntries, sizesOf } from "./elf-entries.js";
import { type ElfSections, isPacked, SECTION_TYPE, type Section } from "./elf-sections.js";
import { readSymbolVersions, stringAt } from "./elf-versions.js";
import type { StringsRange } from "./file-strings.js";
import { mappingSymbolTest } from "./mapping-symbols.js";
import { symbolOrder } from "./symbol-order.js";

/** The functions in one symbol table of an ELF file: what `nm -n -S` prints as t, T or W, in its order. */
export interface ElfFunctions {
  readonly length: number;
  /** Link addresses, ascending; several functions can share one. */
  readonly starts: Float64Array;
  /** Bytes; 0 where the table does not say. */
  readonly sizes: Float64Array;
  /** Where the names lie in the file; undefined where they are packed. */
  readonly strings: StringsRange | undefined;
  /** Where each name starts in `strings`. */
  readonly nameOffsets: Uint32Array;
  /** What `nm` writes after the name of a dynamic symbol, its version; undefined where that is nothing for all. */
  readonly suffix: ((index: number) => string) | undefined;
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
  if (entries === undefined || linked === undefined || strings === undefined) return undefined;

  const { words, layout, header } = entries;
  const isMapping = mappingSymbolTest(header.machine, strings);
  const nameOffset = (entry: number) => words[entry * layout.words + layout.name]!;
  const all = findFunctions(entries, sections, section);
  const found = isMapping === undefined ? all : all.filter((entry) => !isMapping(nameOffset(entry)));
  const { length } = found;
  const addresses = addressesOf(entries, found);
  const order = symbolOrder(addresses, (i) => nameOffset(found[i]!), strings);
  const ordered = new Uint32Array(length);
  const starts = new Float64Array(length);
  const nameOffsets = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    const entry = found[order[i]!]!;
    ordered[i] = entry;
    starts[i] = addresses[order[i]!]!;
    nameOffsets[i] = words[entry * layout.words + layout.name]!;
  }
  const isDynamic = section.type === SECTION_TYPE.dynamicSymbols;
  const versions = isDynamic ? readSymbolVersions(sections, entries.count) : undefined;
  const plainName = (index: number) => stringAt(strings, nameOffsets[index]!);
  const suffix = versions && ((index: number) => versions.suffix(ordered[index]!, plainName(index)));
  return {
    length,
    starts,
    sizes: sizesOf(entries, ordered),
    strings: isPacked(linked) ? undefined : { offset: linked.offset, size: linked.size },
    nameOffsets,
    suffix,
    name: suffix === undefined ? plainName : (index) => plainName(index) + suffix(index),
  };
}
