import { crc32 } from "../../io/crc32.js";
import { type FileBytes, withRegularFile } from "../../io/regular-file.js";
import type { LinkAddress } from "../../profile/units.js";
import type { Segment } from "../elf/file.js";
import { type FieldReader, fieldReader } from "../elf/header.js";

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

export const MACHINE = { x86: 0x14c, x64: 0x8664, arm64: 0xaa64 } as const;

const MZ = 0x5a4d;
const PE = 0x4550;
const SECTION_SIZE = 40;
/** Windows loads no image with more. */
const SECTIONS_LIMIT = 96;
const IS_EXECUTABLE = 0x20000000;
const DEBUG_ENTRY_SIZE = 28;
/** Debug entries, and bytes of one. Linkers write a handful. */
const DEBUG_LIMIT = 64;
const CODE_VIEW_LIMIT = 4096;
const CODE_VIEW = 2;
const RSDS = 0x53445352;

/**
 * Reads the headers of a PE file of 32 or 64 bits. Returns undefined if it is not one, has broken headers, or
 * is not a regular file.
 *
 * Source: Microsoft, "PE Format".
 */
export function readPeFile(path: string): PeFile | undefined {
  return withRegularFile(path, parsePeFile);
}

/** Does the same for an open file. */
export function parsePeFile(file: FileBytes): PeFile | undefined {
  const stub = file.read(0, 64);
  if (stub === undefined || stub.readUInt16LE(0) !== MZ) return undefined;
  const start = stub.readUInt32LE(60);
  const head = file.read(start, 24);
  if (head === undefined || head.readUInt32LE(0) !== PE) return undefined;
  const count = head.readUInt16LE(6);
  const optionalSize = head.readUInt16LE(20);
  const optional = file.read(start + 24, optionalSize);
  const sectionBytes = file.read(start + 24 + optionalSize, count * SECTION_SIZE);
  if (optional === undefined || sectionBytes === undefined || count > SECTIONS_LIMIT) return undefined;
  if (optional.length < 96) return undefined;
  const { u16, u32, u64 } = fieldReader(optional, { is64: true, isBigEndian: false });
  const is64 = u16(0) === 0x20b;
  if (!is64 && u16(0) !== 0x10b) return undefined;
  const imageBase = is64 ? u64(24) : u32(28);
  const sections = parseSections(sectionBytes);
  const directory = (number: number): ImageRange => {
    const at = (is64 ? 112 : 96) + number * 8;
    const isThere = at + 8 <= optional.length && number < u32(is64 ? 108 : 92);
    return isThere ? { address: u32(at), size: u32(at + 4) } : { address: 0, size: 0 };
  };
  const pdb = readPdbLink(file, sections, directory(6));
  return {
    format: "pe",
    segments: sections
      .filter(({ isCode }) => isCode)
      .map(({ address, size }) => ({ fileOffset: address, linkAddress: imageBase + address, size })),
    buildId: pdb && serverIdOf(pdb),
    isFixed: false,
    layout: crc32(sectionBytes, crc32(optional, crc32(head))),
    machine: head.readUInt16LE(4),
    imageBase,
    imageSize: u32(56),
    sections,
    exports: directory(0),
    exceptions: directory(3),
    symbols: { offset: head.readUInt32LE(12), count: head.readUInt32LE(16) },
    pdb,
  };
}

/** Returns where a part of the image is in the file; undefined if the file does not contain it. */
export function toFileOffset(
  sections: readonly PeSection[],
  { address, size }: ImageRange,
): number | undefined {
  const section = sections.find((one) => address >= one.address && address - one.address < one.fileSize);
  if (section === undefined) return undefined;
  const into = address - section.address;
  return into + size <= section.fileSize ? section.fileOffset + into : undefined;
}

/** Reads a part of the image; returns undefined if the file does not contain it. */
export function readImage(
  file: FileBytes,
  sections: readonly PeSection[],
  range: ImageRange,
): Buffer | undefined {
  const offset = range.size === 0 ? undefined : toFileOffset(sections, range);
  return offset === undefined ? undefined : file.read(offset, range.size);
}

function parseSections(table: Buffer): PeSection[] {
  const { u32 } = fieldReader(table, { is64: true, isBigEndian: false });
  const sections: PeSection[] = [];
  for (let at = 0; at < table.length; at += SECTION_SIZE) {
    const fileSize = u32(at + 16);
    sections.push({
      address: u32(at + 12),
      size: u32(at + 8) || fileSize,
      fileOffset: u32(at + 20),
      fileSize,
      isCode: (u32(at + 36) & IS_EXECUTABLE) !== 0,
    });
  }
  return sections;
}

/** Source: Microsoft, "PE Format", "Debug Type"; LLVM, llvm/include/llvm/Object/CVDebugRecord.h. */
function readPdbLink(
  file: FileBytes,
  sections: readonly PeSection[],
  { address, size }: ImageRange,
): PdbLink | undefined {
  const usable = Math.min(size, DEBUG_LIMIT * DEBUG_ENTRY_SIZE);
  const entries = readImage(file, sections, { address, size: usable - (usable % DEBUG_ENTRY_SIZE) });
  if (entries === undefined) return undefined;
  const { u32 } = fieldReader(entries, { is64: true, isBigEndian: false });
  for (let at = 0; at < entries.length; at += DEBUG_ENTRY_SIZE) {
    const length = u32(at + 16);
    if (u32(at + 12) !== CODE_VIEW || length < 25 || length > CODE_VIEW_LIMIT) continue;
    const bytes = file.read(u32(at + 24), length);
    const link = bytes && parseCodeView(bytes);
    if (link !== undefined) return link;
  }
  return undefined;
}

function parseCodeView(bytes: Buffer): PdbLink | undefined {
  const fields: FieldReader = fieldReader(bytes, { is64: true, isBigEndian: false });
  if (fields.u32(0) !== RSDS) return undefined;
  const end = bytes.indexOf(0, 24);
  const path = bytes.toString("utf8", 24, end < 0 ? bytes.length : end);
  const name = path.slice(Math.max(path.lastIndexOf("\\"), path.lastIndexOf("/")) + 1);
  return { name, guid: bytes.toString("hex", 4, 20), age: fields.u32(20) };
}

/** Returns the GUID as it is written, its first three numbers from the highest byte on, and the age. */
function serverIdOf({ guid, age }: PdbLink): string {
  const [a, b, c] = [guid.slice(0, 8), guid.slice(8, 12), guid.slice(12, 16)].map((number) =>
    Buffer.from(number, "hex").reverse().toString("hex"),
  );
  return `${a}${b}${c}${guid.slice(16)}${age.toString(16)}`;
}
