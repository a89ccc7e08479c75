import { type StringsRange, stringAt } from "../table/file-strings.js";
import { NameOrder, symbolOrder } from "../table/symbol-order.js";
import { addressesOf, type ElfEntries, findFunctions, readEntries, sizesOf } from "./entries.js";
import { mappingSymbolTest } from "./mapping-symbols.js";
import { type ElfSections, isPacked, SECTION_TYPE, type Section } from "./sections.js";
import { readSymbolVersions } from "./versions.js";

/**
 * The functions in one symbol table of an ELF file: those that `nm -n -S` prints as t, T or W, in its order.
 */
export interface ElfFunctions {
  readonly length: number;
  /** Link addresses, ascending. Several functions can have the same one. */
  readonly starts: Float64Array;
  /** Bytes; 0 if the table does not say. */
  readonly sizes: Float64Array;
  /** Where the names are in the file; undefined if they are compressed. */
  readonly strings: StringsRange | undefined;
  /** Offset of each name in `strings`. */
  readonly nameOffsets: Uint32Array;
  /**
   * Returns what `nm` prints after the name of a dynamic symbol, which is its version; undefined if there are
   * no versions.
   */
  readonly suffix: ((index: number) => string) | undefined;
  /** Returns the mangled name, with a version if `nm` prints one. Builds a new string on each call. */
  name(index: number): string;
}

/**
 * Reads the functions of a symbol table: `section` is `.symtab` or `.dynsym`. Returns undefined if the file
 * does not contain it. The result keeps the strings of the file in memory.
 *
 * Source: binutils, binutils/nm.c, `filter_symbols`, `print_symname`.
 */
export function readElfFunctions(sections: ElfSections, section: Section): ElfFunctions | undefined {
  const entries = readEntries(sections, section);
  const linked = sections.list[section.link];
  const strings = linked && sections.read(linked);
  if (entries === undefined || linked === undefined || strings === undefined) return undefined;

  const { numbers, starts, sizes, nameOffsets } = sorted(entries, { sections, section, strings });
  const { length } = numbers;
  const isDynamic = section.type === SECTION_TYPE.dynamicSymbols;
  const versions = isDynamic ? readSymbolVersions(sections, entries.count) : undefined;
  const plainName = (index: number) => stringAt(strings, nameOffsets[index]!);
  const suffix = versions && ((index: number) => versions.suffix(numbers[index]!, plainName(index)));
  return {
    length,
    starts,
    sizes,
    strings: isPacked(linked) ? undefined : { offset: linked.offset, size: linked.size },
    nameOffsets,
    suffix,
    name: suffix === undefined ? plainName : (index) => plainName(index) + suffix(index),
  };
}

/** Functions of a symbol table, sorted by address. */
interface SortedFunctions {
  /** The numbers of their entries. */
  readonly numbers: Uint32Array;
  readonly starts: Float64Array;
  readonly sizes: Float64Array;
  readonly nameOffsets: Uint32Array;
}

interface SortedOptions {
  readonly sections: ElfSections;
  readonly section: Section;
  readonly strings: Buffer;
}

/** Returns the functions among the entries of a section, in the order of `nm -n`. */
function sorted(entries: ElfEntries, { sections, section, strings }: SortedOptions): SortedFunctions {
  const { words, layout, header } = entries;
  const nameOffset = (entry: number) => words[entry * layout.words + layout.name]!;
  const isMapping = mappingSymbolTest(header.machine, strings);
  const isFunction = isMapping && ((entry: number) => !isMapping(nameOffset(entry)));
  const all = findFunctions(entries, sections, section);
  const found = isFunction === undefined ? all : all.filter(isFunction);
  const addresses = addressesOf(entries, found);
  const order = symbolOrder(addresses, new NameOrder((i) => nameOffset(found[i]!), strings));
  const numbers = order.map((i) => found[i]!);
  return {
    numbers,
    starts: Float64Array.from(order, (i) => addresses[i]!),
    sizes: sizesOf(entries, numbers),
    nameOffsets: numbers.map(nameOffset),
  };
}
