import type { FileBytes } from "../../io/regular-file.js";

/** How numbers in an ELF file are encoded. */
export interface ElfLayout {
  /** 64 bits; otherwise 32. */
  readonly is64: boolean;
  readonly isBigEndian: boolean;
}

/** A table of entries of one size in a file. */
export interface HeaderTable {
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Bytes. */
  readonly entrySize: number;
  readonly count: number;
}

/** The header of an ELF file. Its numbers are unchecked. */
export interface ElfHeader extends ElfLayout {
  /** `e_type`: the kind of file. */
  readonly type: number;
  /** `e_machine`: the processor. */
  readonly machine: number;
  readonly programHeaders: HeaderTable;
  readonly sectionHeaders: HeaderTable;
  /** `e_shstrndx`: the section with the names of sections. */
  readonly nameSection: number;
}

/** Reads numbers at byte offsets. Throws a `RangeError` past the end of the bytes. */
export interface FieldReader {
  u8(at: number): number;
  u16(at: number): number;
  u32(at: number): number;
  /** Rounded to a double above 2^53, which no offset or size in a real file reaches. */
  u64(at: number): number;
  /** Reads a number as wide as an address of the file. */
  word(at: number): number;
}

const MAGIC = 0x7f454c46; // \x7f E L F

/**
 * Reads the header of an ELF file; returns undefined if there is none.
 *
 * Source: the ELF specification, "ELF Header".
 */
export function readElfHeader(file: FileBytes): ElfHeader | undefined {
  const ident = file.read(0, 16);
  if (ident === undefined || ident.readUInt32BE(0) !== MAGIC) return undefined;
  const [width, order] = [ident[4]!, ident[5]!];
  if (width < 1 || width > 2 || order < 1 || order > 2) return undefined;
  const layout = { is64: width === 2, isBigEndian: order === 2 };
  const bytes = file.read(0, layout.is64 ? 64 : 52);
  if (bytes === undefined) return undefined;
  const { u16, word } = fieldReader(bytes, layout);
  // Three addresses at 24 and the flags are followed by six 2-byte numbers.
  const wordSize = layout.is64 ? 8 : 4;
  const counts = 24 + 3 * wordSize + 4;
  return {
    ...layout,
    type: u16(16),
    machine: u16(18),
    programHeaders: { offset: word(24 + wordSize), entrySize: u16(counts + 2), count: u16(counts + 4) },
    sectionHeaders: { offset: word(24 + 2 * wordSize), entrySize: u16(counts + 6), count: u16(counts + 8) },
    nameSection: u16(counts + 10),
  };
}

/** Returns a reader of the numbers in bytes of an ELF file. */
export function fieldReader(bytes: Buffer, { is64, isBigEndian }: ElfLayout): FieldReader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = !isBigEndian;
  const u32 = (at: number) => view.getUint32(at, little);
  const u64 = (at: number) => u32(little ? at + 4 : at) * 2 ** 32 + u32(little ? at : at + 4);
  return {
    u8: (at) => view.getUint8(at),
    u16: (at) => view.getUint16(at, little),
    u32,
    u64,
    word: is64 ? u64 : u32,
  };
}
