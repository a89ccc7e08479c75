import { type FileBytes, withRegularFile } from "../../io/regular-file.js";
import type { LinkAddress } from "../../profile/units.js";
import { type ElfLayout, fieldReader, readElfHeader } from "./header.js";

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
