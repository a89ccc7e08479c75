import * as zlib from "node:zlib";
import { type FileBytes, READ_LIMIT } from "../../io/regular-file.js";
import { type ElfHeader, fieldReader, readElfHeader } from "./header.js";

/** The header of a section; unchecked. */
export interface Section {
  /** Offset of the name in the section of names. */
  readonly nameOffset: number;
  readonly type: number;
  /** The low 32 bits of the flags. */
  readonly flags: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Bytes in the file. */
  readonly size: number;
  /** The number of another section, whose meaning depends on the type. */
  readonly link: number;
  readonly info: number;
  /** Bytes per entry, if the section is a table. */
  readonly entrySize: number;
}

/** The sections of one ELF file. */
export interface ElfSections {
  readonly header: ElfHeader;
  /** By section number. */
  readonly list: readonly Section[];
  /**
   * Returns the content of a section, decompressed if needed; undefined if the file does not contain it.
   * Works only while the file is open. The buffer is shared by all callers.
   */
  read(section: Section): Buffer | undefined;
}

/** Section types (`sh_type`). */
export const SECTION_TYPE = {
  symbols: 2,
  strings: 3,
  note: 7,
  noBits: 8,
  dynamicSymbols: 11,
  symbolSections: 18,
  definedVersions: 0x6ffffffd,
  neededVersions: 0x6ffffffe,
  symbolVersions: 0x6fffffff,
} as const;

/** The flag of a section with code, `SHF_EXECINSTR`. */
export const SECTION_IS_CODE = 4;
const SECTION_IS_COMPRESSED = 0x800;
const COMPRESSION_ZLIB = 1;
const COMPRESSION_ZSTD = 2;
/** A linked file has some forty sections. A file with more than this is not a library. */
const SECTION_LIMIT = 1 << 18;

/**
 * Reads the section headers of an ELF file. Returns undefined if it is not an ELF file, or if its section
 * headers are missing or broken.
 *
 * Source: the ELF specification, "Sections".
 */
export function readSections(file: FileBytes): ElfSections | undefined {
  const header = readElfHeader(file);
  if (header === undefined) return undefined;
  const { offset, entrySize } = header.sectionHeaders;
  if (offset === 0 || entrySize !== (header.is64 ? 64 : 40)) return undefined;
  const first = parseSections(file.read(offset, entrySize), header)[0];
  // Numbers too large for the header are stored in the first section, which has no other use.
  const count = header.sectionHeaders.count || (first?.size ?? 0);
  const nameSection = header.nameSection === 0xffff ? (first?.link ?? 0) : header.nameSection;
  if (count > SECTION_LIMIT) return undefined;
  const list = parseSections(file.read(offset, count * entrySize), header);
  if (list.length === 0) return undefined;
  const contents = new Map<Section, Buffer | undefined>();
  const read = (section: Section) => {
    if (!contents.has(section)) contents.set(section, readContent(file, header, section));
    return contents.get(section);
  };
  return { header: { ...header, nameSection }, list, read };
}

/** Returns the first section with a name; undefined if there is none. */
export function findSection({ header, list, read }: ElfSections, name: string): Section | undefined {
  const nameSection = list[header.nameSection];
  const names = nameSection && read(nameSection);
  const nameBytes = Buffer.from(`${name}\0`, "latin1");
  return list.find(
    ({ nameOffset }) => names?.subarray(nameOffset, nameOffset + nameBytes.length).equals(nameBytes) ?? false,
  );
}

/** Returns the content of the first section with a name; undefined if there is none. */
export function readSectionNamed(sections: ElfSections, name: string): Buffer | undefined {
  const found = findSection(sections, name);
  return found && sections.read(found);
}

function readContent(file: FileBytes, header: ElfHeader, section: Section): Buffer | undefined {
  if (section.type === SECTION_TYPE.noBits) return undefined;
  const { offset, size } = section;
  if (!isPacked(section)) return file.read(offset, size);
  const bytes = file.read(offset, size);
  return bytes && unpack(bytes, header);
}

/** Returns whether a section is compressed in the file. */
export function isPacked({ flags }: Section): boolean {
  return (flags & SECTION_IS_COMPRESSED) !== 0;
}

function parseSections(table: Buffer | undefined, header: ElfHeader): Section[] {
  if (table === undefined) return [];
  const { is64 } = header;
  const { u32, word } = fieldReader(table, header);
  const sections: Section[] = [];
  for (let at = 0; at < table.length; at += is64 ? 64 : 40) {
    sections.push({
      nameOffset: u32(at),
      type: u32(at + 4),
      flags: u32(at + (is64 && header.isBigEndian ? 12 : 8)),
      offset: word(at + (is64 ? 24 : 16)),
      size: word(at + (is64 ? 32 : 20)),
      link: u32(at + (is64 ? 40 : 24)),
      info: u32(at + (is64 ? 44 : 28)),
      entrySize: word(at + (is64 ? 56 : 36)),
    });
  }
  return sections;
}

/** Decompresses a section. Source: the ELF specification, "Section Compression" (`Elf64_Chdr`). */
function unpack(bytes: Buffer, header: ElfHeader): Buffer | undefined {
  const { is64 } = header;
  const start = is64 ? 24 : 12;
  if (bytes.length < start) return undefined;
  const { u32, word } = fieldReader(bytes, header);
  const size = word(is64 ? 8 : 4);
  if (size === 0 || size > READ_LIMIT) return undefined;
  const decoder = decoderOf(u32(0));
  try {
    const content = decoder?.(bytes.subarray(start), { maxOutputLength: size });
    return content?.length === size ? content : undefined;
  } catch {
    return undefined; // Damaged, or larger than it says.
  }
}

type Decoder = (bytes: Buffer, limits: { maxOutputLength: number }) => Buffer;

function decoderOf(compression: number): Decoder | undefined {
  if (compression === COMPRESSION_ZLIB) return zlib.inflateSync;
  // Node has it since 22.15.
  if (compression === COMPRESSION_ZSTD) return (zlib as { zstdDecompressSync?: Decoder }).zstdDecompressSync;
  return undefined;
}
