import { endianness } from "node:os";
import { type ElfHeader, fieldReader } from "./header.js";
import { type ElfSections, SECTION_IS_CODE, SECTION_TYPE, type Section } from "./sections.js";

/** Section numbers from here on are reserved and have the special meanings below. */
const RESERVED_SECTIONS = 0xff00;
/** A symbol without a section. */
const UNDEFINED_SECTION = 0;
const COMMON_SECTION = 0xfff2;
/** The section number of the symbol is in another table. */
const LATER_SECTION = 0xffff;

// Whether a symbol is a function, by its binding and type.
const [NO_FUNCTION, FUNCTION_IN_CODE, FUNCTION_ANYWHERE] = [0, 1, 2];

/** The entries of a symbol table. The first one is not a symbol. */
export interface ElfEntries {
  readonly count: number;
  /** As in the file, whole entries only. */
  readonly bytes: Buffer;
  /** The same as 32-bit numbers, in the byte order of this machine. */
  readonly words: Uint32Array;
  readonly header: ElfHeader;
  readonly layout: EntryLayout;
}

/** Offsets of the fields of an entry: `info` and `section` in bytes, `name`, `value` and `size` in words. */
interface EntryLayout {
  /** Words per entry. */
  readonly words: number;
  readonly info: number;
  readonly section: number;
  readonly name: number;
  readonly value: number;
  readonly size: number;
}

const LAYOUT_32: EntryLayout = { words: 4, info: 12, section: 14, name: 0, value: 1, size: 2 };
const LAYOUT_64: EntryLayout = { words: 6, info: 4, section: 6, name: 0, value: 2, size: 4 };

const ARM = 40;
const FUNCTION = 2;
/** Whether nm considers a symbol a function, by the byte of its binding and type. */
const KINDS = Uint8Array.from({ length: 256 }, (_, info) => kindOf(info >> 4, info & 15));

function kindOf(binding: number, type: number): number {
  const [LOCAL, GLOBAL, WEAK] = [0, 1, 2];
  const [OBJECT, SECTION, FILE, COMMON, IFUNC] = [1, 3, 4, 5, 10];
  if (type === SECTION || type === FILE || type === IFUNC) return NO_FUNCTION;
  if (binding === LOCAL || binding === GLOBAL) return FUNCTION_IN_CODE;
  // Weak symbols are W in any section, unless they are marked as data.
  return binding === WEAK && type !== OBJECT && type !== COMMON ? FUNCTION_ANYWHERE : NO_FUNCTION;
}

/** Reads a symbol table. Returns undefined if the file does not contain it. */
export function readEntries({ header, read }: ElfSections, section: Section): ElfEntries | undefined {
  const layout = header.is64 ? LAYOUT_64 : LAYOUT_32;
  const size = layout.words * 4;
  const table = section.entrySize === size ? read(section) : undefined;
  if (table === undefined) return undefined;
  const count = Math.floor(table.length / size);
  const bytes = table.subarray(0, count * size);
  const isForeign = header.isBigEndian !== (endianness() === "BE");
  // Copy if the bytes must be swapped, or if they are not aligned to four bytes.
  const inOrder = isForeign || bytes.byteOffset % 4 !== 0 ? Uint8Array.from(bytes) : bytes;
  if (isForeign) Buffer.from(inOrder.buffer).swap32();
  const words = new Uint32Array(inOrder.buffer, inOrder.byteOffset, count * layout.words);
  return { count, bytes, words, header, layout };
}

/**
 * Returns the numbers of the entries that nm prints as t, T or W, ascending.
 *
 * Source: binutils, bfd/elfcode.h, `elf_slurp_symbol_table`; bfd/syms.c, `bfd_decode_symclass`.
 */
export function findFunctions(entries: ElfEntries, sections: ElfSections, section: Section): Uint32Array {
  const { bytes, count, header, layout } = entries;
  const size = layout.words * 4;
  const low = layout.section + (header.isBigEndian ? 1 : 0);
  const high = layout.section + (header.isBigEndian ? 0 : 1);
  const laterSection = readLaterSections(sections, section);
  const isCode = Uint8Array.from(sections.list, ({ flags }) => flags & SECTION_IS_CODE);
  const found = new Uint32Array(count);
  let length = 0;
  for (let entry = 1; entry < count; entry++) {
    const at = entry * size;
    const kind = KINDS[bytes[at + layout.info]!]!;
    if (kind === NO_FUNCTION) continue;
    const stated = bytes[at + low]! | (bytes[at + high]! << 8);
    if (kind === FUNCTION_ANYWHERE) {
      if (stated !== UNDEFINED_SECTION && stated !== COMMON_SECTION) found[length++] = entry;
    } else if (stated < RESERVED_SECTIONS || stated === LATER_SECTION) {
      const number = stated === LATER_SECTION ? laterSection(entry) : stated;
      if (isCode[number]) found[length++] = entry;
    }
  }
  return found.slice(0, length);
}

/**
 * Returns the link addresses of the given entries. The lowest bit of an ARM function marks Thumb code and is
 * not part of its address.
 *
 * Source: binutils, bfd/elf32-arm.c, `elf32_arm_swap_symbol_in`.
 */
export function addressesOf(entries: ElfEntries, numbers: Uint32Array): Float64Array {
  const { bytes, header, layout } = entries;
  const addresses = wideField(entries, numbers, layout.value);
  if (header.machine !== ARM) return addresses;
  return addresses.map((address, i) => {
    const type = bytes[numbers[i]! * layout.words * 4 + layout.info]! & 15;
    return type === FUNCTION ? address - (address % 2) : address;
  });
}

/** Returns the sizes of the given entries in bytes; 0 if the table does not say. */
export function sizesOf(entries: ElfEntries, numbers: Uint32Array): Float64Array {
  return wideField(entries, numbers, entries.layout.size);
}

/**
 * Reads a field as wide as an address. Values above 2^53, which do not occur in practice, are rounded to
 * doubles.
 */
function wideField({ words, header, layout }: ElfEntries, numbers: Uint32Array, field: number): Float64Array {
  const { is64, isBigEndian } = header;
  const low = field + (is64 && isBigEndian ? 1 : 0);
  const high = field + (isBigEndian ? 0 : 1);
  const result = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const at = numbers[i]! * layout.words;
    result[i] = is64 ? words[at + high]! * 2 ** 32 + words[at + low]! : words[at + low]!;
  }
  return result;
}

/** Returns a function that finds the section of a symbol whose section number does not fit its entry. */
function readLaterSections({ header, list, read }: ElfSections, symbols: Section): (entry: number) => number {
  const section = list.find(
    ({ type, link }) => type === SECTION_TYPE.symbolSections && list[link] === symbols,
  );
  const table = section && read(section);
  if (table === undefined) return () => UNDEFINED_SECTION;
  const { u32 } = fieldReader(table, header);
  return (entry) => (entry * 4 + 4 <= table.length ? u32(entry * 4) : UNDEFINED_SECTION);
}
