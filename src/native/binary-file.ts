import type { LinkAddress } from "../base/units.js";
import { type FileBytes, withRegularFile } from "../io/regular-file.js";

/** How numbers in an ELF file are encoded. */
export interface ElfLayout {
  /** 64 bits; otherwise 32. */
  readonly is64: boolean;
  readonly isBigEndian: boolean;
}

/** A table of entries of one size in a file. */
interface HeaderTable {
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

/** An executable part of a file: of an ELF file a `PT_LOAD` with `PF_X`. */
export interface Segment {
  readonly fileOffset: number;
  readonly linkAddress: LinkAddress;
  /** Bytes in memory. */
  readonly size: number;
}

/** The contents of an ELF file's headers. */
export interface ElfFile {
  readonly format: "elf";
  /** Executable segments by ascending file offset. */
  readonly segments: readonly Segment[];
  /** Lower-case hex; undefined if the file has none. */
  readonly buildId: string | undefined;
  /** Whether addresses in the file are addresses in memory (ELF type EXEC). */
  readonly isFixed: boolean;
}

/** Where a string table is in its file, in bytes. */
export interface StringsRange {
  readonly offset: number;
  readonly size: number;
}

/** The contents of a Mach-O file's load commands, for one architecture of a universal file. */
export interface MachOFile {
  readonly format: "mach-o";
  /** The section of code, which is all that V8 logs of a file. Offset 0 stands for its start. */
  readonly segments: readonly [Segment];
  /** The UUID in lower-case hex, without dashes; undefined if the file has none. */
  readonly buildId: string | undefined;
  readonly isFixed: false;
  /** Changes with anything in the load commands. */
  readonly layout: number;
  readonly symbols: MachOSymbolTable | undefined;
  /** Where the table of function starts is in the file. */
  readonly functionStarts: StringsRange | undefined;
  /** The address that function starts count from. */
  readonly textAddress: LinkAddress;
}

/** Where the symbol table is in the file. Its numbers are unchecked. */
export interface MachOSymbolTable {
  /** Bytes from the start of the file. */
  readonly offset: number;
  readonly count: number;
  readonly strings: StringsRange;
  readonly codeSection: number;
  readonly is64: boolean;
  readonly isBigEndian: boolean;
}

/** The contents of the headers of a PE file: a program, DLL or addon of Windows. */
export interface PeFile {
  readonly format: "pe";
  /** Executable sections. Windows maps the whole image, so offsets are those in memory. */
  readonly segments: readonly Segment[];
  /** What symbol servers know its PDB by, the GUID and the age, in lower-case hex; undefined without one. */
  readonly buildId: string | undefined;
  readonly isFixed: false;
  /** Changes with anything in the headers. */
  readonly layout: number;
  /** `IMAGE_FILE_MACHINE_…`: the processor. */
  readonly machine: number;
  readonly imageBase: LinkAddress;
  /** Bytes of the image in memory, as the log states. */
  readonly imageSize: number;
  readonly sections: readonly PeSection[];
  readonly exports: ImageRange;
  /** The table of functions that exceptions can pass through, `.pdata`. */
  readonly exceptions: ImageRange;
  /** The symbol table of compilers other than Microsoft's. */
  readonly symbols: { readonly offset: number; readonly count: number };
  readonly pdb: PdbLink | undefined;
}

/** The processors of PE files. */
export const MACHINE = { x86: 0x14c, x64: 0x8664, arm64: 0xaa64 } as const;

/** A section, as the linker numbered them: from 1. Its numbers are unchecked. */
export interface PeSection {
  /** Bytes from the start of the image. */
  readonly address: number;
  /** Bytes in memory. */
  readonly size: number;
  /** Bytes from the start of the file. */
  readonly fileOffset: number;
  /** Bytes in the file. */
  readonly fileSize: number;
  readonly isCode: boolean;
}

/** A part of the image: bytes from its start. */
export interface ImageRange {
  readonly address: number;
  readonly size: number;
}

/** What a file says of its PDB, the file with its debug symbols. */
export interface PdbLink {
  /** Without a directory. */
  readonly name: string;
  /** As in the file, in hex. */
  readonly guid: string;
  readonly age: number;
}

/** The file of a library, in the format of its system. */
export type BinaryFile = ElfFile | MachOFile | PeFile;

const PT_LOAD = 1;
const PT_NOTE = 4;
const PF_X = 1;
const ET_EXEC = 2;
const NT_GNU_BUILD_ID = 3;
/** No linker writes more program headers or a longer note. A file with more is not a library. */
const HEADER_LIMIT = 1 << 16;

/**
 * Reads the headers of an ELF file, 32 or 64 bits, in either byte order. Returns undefined if it is not an
 * ELF file, has broken headers, or is not a regular file: a path in a log can name a pipe or a device.
 *
 * Source: the ELF specification, "Program Header" and "Note Section".
 */
export function readElfFile(path: string): ElfFile | undefined {
  return withRegularFile(path, parseElfFile);
}

/** Returns the link address at a file offset; undefined outside the executable segments. */
export function toLinkAddress(segments: readonly Segment[], offset: number): LinkAddress | undefined {
  for (const segment of segments) {
    const into = offset - segment.fileOffset;
    if (into >= 0 && into < segment.size) return segment.linkAddress + into;
  }
  return undefined;
}

/**
 * Returns the build id in the bytes of a note section or segment, in lower-case hex; undefined if there is
 * none.
 */
export function findBuildId(notes: Buffer, layout: ElfLayout): string | undefined {
  const { u32 } = fieldReader(notes, layout);
  for (let at = 0; at + 12 <= notes.length; ) {
    const nameSize = u32(at);
    const size = u32(at + 4);
    const start = at + 12 + padded(nameSize);
    const isGnu = notes.toString("latin1", at + 12, at + 16) === "GNU\0";
    if (isGnu && u32(at + 8) === NT_GNU_BUILD_ID) return notes.toString("hex", start, start + size);
    at = start + padded(size);
  }
  return undefined;
}

/** Does the same as {@link readElfFile} for an open file. */
export function parseElfFile(file: FileBytes): ElfFile | undefined {
  const header = readElfHeader(file);
  if (header === undefined) return undefined;
  const { is64, programHeaders } = header;
  const { offset, entrySize, count } = programHeaders;
  if (entrySize < (is64 ? 56 : 32) || count * entrySize > HEADER_LIMIT) return undefined;
  const table = file.read(offset, count * entrySize);
  if (table === undefined) return undefined;
  const { u32, word } = fieldReader(table, header);
  const segments: Segment[] = [];
  let buildId: string | undefined;
  for (let at = 0; at < table.length; at += entrySize) {
    const type = u32(at);
    const flags = u32(at + (is64 ? 4 : 24));
    const fileOffset = word(at + (is64 ? 8 : 4));
    const linkAddress = word(at + (is64 ? 16 : 8));
    const fileSize = word(at + (is64 ? 32 : 16));
    const size = word(at + (is64 ? 40 : 20));
    if (type === PT_LOAD && (flags & PF_X) !== 0) segments.push({ fileOffset, linkAddress, size });
    if (type === PT_NOTE && fileSize <= HEADER_LIMIT) {
      const notes = file.read(fileOffset, fileSize);
      if (notes !== undefined) buildId ??= findBuildId(notes, header);
    }
  }
  segments.sort((a, b) => a.fileOffset - b.fileOffset);
  return { format: "elf", segments, buildId, isFixed: header.type === ET_EXEC };
}

function padded(size: number): number {
  return Math.ceil(size / 4) * 4;
}
