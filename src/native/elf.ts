import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import * as zlib from "node:zlib";
import { tried } from "../base/errors.js";
import { valueAt } from "../base/maps.js";
import { crc32 } from "../io/crc32.js";
import {
  type FileBytes,
  READ_LIMIT,
  type RegularFile,
  stampAt,
  withRegularFile,
} from "../io/regular-file.js";
import {
  type ElfFile,
  type ElfHeader,
  type FieldReader,
  fieldReader,
  findBuildId,
  readElfHeader,
} from "./binary-file.js";
import type { SymbolSource } from "./symbol-source.js";
import { type FileSymbols, FileSymbolsBuilder, functionTable, stringAt } from "./symbol-table.js";

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

interface ElfSections {
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
const SECTION_IS_CODE = 4;
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
    return valueAt(contents, section, () => readContent(file, header, section));
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
function readSectionNamed(sections: ElfSections, name: string): Buffer | undefined {
  const found = findSection(sections, name);
  return found && sections.read(found);
}

function readContent(file: FileBytes, header: ElfHeader, section: Section): Buffer | undefined {
  if (section.type === SECTION_TYPE.noBits) return undefined;
  const bytes = file.read(section.offset, section.size);
  return bytes && (section.flags & SECTION_IS_COMPRESSED) !== 0 ? unpack(bytes, header) : bytes;
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
  // It may be damaged, or larger than it says.
  const content = tried(() => decoder?.(bytes.subarray(start), { maxOutputLength: size }));
  return content?.length === size ? content : undefined;
}

type Decoder = (bytes: Buffer, limits: { maxOutputLength: number }) => Buffer;

function decoderOf(compression: number): Decoder | undefined {
  if (compression === COMPRESSION_ZLIB) return zlib.inflateSync;
  // Node has it since 22.15.
  if (compression === COMPRESSION_ZSTD) return (zlib as { zstdDecompressSync?: Decoder }).zstdDecompressSync;
  return undefined;
}

/** Section numbers from here on are reserved and have the special meanings below. */
const RESERVED_SECTIONS = 0xff00;
/** A symbol without a section. */
const UNDEFINED_SECTION = 0;
const COMMON_SECTION = 0xfff2;
/** The section number of the symbol is in another table. */
const LATER_SECTION = 0xffff;

const ARM = 40;

/**
 * Returns whether nm considers a symbol a function: `in code` only if its section has code.
 *
 * Source: binutils, bfd/elfcode.h, `elf_slurp_symbol_table`; bfd/syms.c, `bfd_decode_symclass`.
 */
function isFunction(binding: number, type: number): boolean | "in code" {
  const [LOCAL, GLOBAL, WEAK] = [0, 1, 2];
  const [OBJECT, SECTION, FILE, COMMON, IFUNC] = [1, 3, 4, 5, 10];
  if (type === SECTION || type === FILE || type === IFUNC) return false;
  if (binding === LOCAL || binding === GLOBAL) return "in code";
  // Weak symbols are W in any section, unless they are marked as data.
  return binding === WEAK && type !== OBJECT && type !== COMMON;
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

const DOLLAR = 0x24;
const DOT = 0x2e;

/** Patterns of the names, by processor (`e_machine`). Only the first four bytes of a name are tested. */
const PATTERNS = new Map([
  [40, /^\$[a-z](\.|$)/], // ARM
  [183, /^\$[dfmpx](\.|$)/], // AArch64
  [243, /^($|\$[dx]|\.\.|\.L)/], // RISC-V
]);

/**
 * Returns a test, by the offset of a name in `strings`, for the symbols with which the assemblers of some
 * processors mark the start of code and data: `$x`, `$d.1`. They lie in code but are not functions, and nm
 * omits them. Returns undefined for processors without such symbols.
 *
 * Source: binutils, `bfd_is_target_special_symbol` in bfd/cpu-arm.c, bfd/cpu-aarch64.c, bfd/elfnn-riscv.c.
 */
function mappingSymbolTest(machine: number, strings: Buffer): ((nameOffset: number) => boolean) | undefined {
  const pattern = PATTERNS.get(machine);
  if (pattern === undefined) return undefined;
  return (nameOffset) => {
    const first = strings[nameOffset];
    if (first !== DOLLAR && first !== DOT && first !== 0) return false;
    const head = strings.toString("latin1", nameOffset, nameOffset + 4);
    return pattern.test(head.split("\0", 1)[0]!);
  };
}

/** The versions of a file's dynamic symbols. */
interface SymbolVersions {
  /**
   * Returns what `nm -D` prints after the name of a dynamic symbol that the file defines: `@@V` for the
   * version that new programs link to, `@V` for one that only older programs use, nothing if it has no
   * version.
   */
  suffix(symbol: number, name: string): string;
}

const HIDDEN = 0x8000;
const BASE = 1;

/** A version: the offset of its name, and whether it stands for the whole file. */
interface Version {
  readonly nameOffset: number | undefined;
  readonly isBase: boolean;
}

/**
 * Reads the versions of the dynamic symbols; there are none if the file has none or they are broken.
 * `symbolCount` is the number of dynamic symbols, including the first entry.
 *
 * Source: binutils, bfd/elf.c, `_bfd_elf_get_symbol_version_string` and `_bfd_elf_slurp_version_tables`;
 * binutils/nm.c, `print_symname`.
 */
export function readSymbolVersions(sections: ElfSections, symbolCount: number): SymbolVersions {
  const numbers = openSection(sections, SECTION_TYPE.symbolVersions);
  const definitions = openSection(sections, SECTION_TYPE.definedVersions);
  const needs = openSection(sections, SECTION_TYPE.neededVersions);
  const isUsable = numbers !== undefined && Math.floor(numbers.bytes.length / 2) === symbolCount;
  if (!isUsable || (definitions === undefined && needs === undefined)) return { suffix: () => "" };

  const defined = definitions === undefined ? [] : parseDefinitions(definitions);
  const needed = needs === undefined ? new Map<number, number>() : parseNeeds(needs);
  const nameAt = (section: OpenSection | undefined, offset: number) =>
    section === undefined ? "" : stringAt(section.strings, offset);
  return {
    suffix(symbol, name) {
      const stated = numbers.fields.u16(symbol * 2);
      const number = stated & ~HIDDEN;
      if (number === 0 || (number === 1 && (defined.length <= 1 || defined[1]?.isBase))) return "";
      if (number < defined.length) {
        const offset = defined[number]?.nameOffset;
        const version = offset === undefined ? "" : nameAt(definitions, offset);
        // The version itself is a symbol of the same name, which nm does not print twice.
        if (version === "" || version === name) return "";
        return `${stated === number ? "@@" : "@"}${version}`;
      }
      const offset = needed.get(number);
      if (offset === undefined) return stated === number ? "@@<corrupt>" : "@<corrupt>";
      const version = nameAt(needs, offset);
      return version === "" ? "" : `@${version}`;
    },
  };
}

interface OpenSection {
  readonly section: Section;
  readonly bytes: Buffer;
  readonly fields: FieldReader;
  /** The section with the names. */
  readonly strings: Buffer;
}

function openSection(sections: ElfSections, type: number): OpenSection | undefined {
  const section = sections.list.find((candidate) => candidate.type === type);
  const bytes = section && sections.read(section);
  if (section === undefined || bytes === undefined) return undefined;
  const linked = sections.list[section.link];
  const strings = linked?.type === SECTION_TYPE.strings ? sections.read(linked) : undefined;
  const fields = fieldReader(bytes, sections.header);
  return { section, bytes, fields, strings: strings ?? Buffer.alloc(0) };
}

/** Returns the definitions by version number, which counts from 1. */
function parseDefinitions({ section, bytes, fields }: OpenSection): Version[] {
  const versions: Version[] = [];
  let at = 0;
  let left = Math.min(section.info, Math.floor(bytes.length / 20)); // Even if they overlap.
  for (; left > 0 && at + 20 <= bytes.length; left--) {
    const number = fields.u16(at + 4) & ~HIDDEN;
    const first = at + fields.u32(at + 12);
    const hasName = fields.u16(at + 6) > 0 && first + 8 <= bytes.length;
    versions[number] = {
      nameOffset: hasName ? fields.u32(first) : undefined,
      isBase: fields.u16(at + 2) === BASE,
    };
    const next = fields.u32(at + 16);
    if (next === 0) break;
    at += next;
  }
  return versions;
}

/**
 * Returns the offsets of names by version number. If several files use a number, the last one wins, as in nm.
 */
function parseNeeds({ section, bytes, fields }: OpenSection): Map<number, number> {
  const names = new Map<number, number>();
  let at = 0;
  let room = Math.floor(bytes.length / 16); // Entries that fit, even if they overlap.
  for (let files = section.info; files > 0 && at + 16 <= bytes.length && room > 0; files--, room--) {
    const seen = new Set<number>();
    let entry = at + fields.u32(at + 8);
    for (let left = fields.u16(at + 2); left > 0 && entry + 16 <= bytes.length && room > 0; left--, room--) {
      const number = fields.u16(entry + 6);
      if (!seen.has(number)) names.set(number, fields.u32(entry + 8));
      seen.add(number);
      const next = fields.u32(entry + 12);
      if (next === 0) break;
      entry += next;
    }
    const next = fields.u32(at + 12);
    if (next === 0) break;
    at += next;
  }
  return names;
}

/** The type of a symbol that is a function, `STT_FUNC`. */
const FUNCTION = 2;

/**
 * Reads the functions of a symbol table that nm prints as t, T or W: `section` is `.symtab` or `.dynsym`. Returns undefined if
 * the file does not contain it. Names are mangled, with a version if `nm` prints one.
 *
 * The lowest bit of an ARM function marks Thumb code and is not part of its address.
 *
 * Source: binutils, binutils/nm.c, `filter_symbols`, `print_symname`; bfd/elf32-arm.c, `elf32_arm_swap_symbol_in`.
 */
export function readElfFunctions(sections: ElfSections, section: Section): FileSymbols | undefined {
  const { header, list, read } = sections;
  const { is64 } = header;
  const size = is64 ? 24 : 16;
  const table = section.entrySize === size ? read(section) : undefined;
  const linked = list[section.link];
  const names = linked && read(linked);
  if (table === undefined || names === undefined) return undefined;
  const [infoAt, sectionAt, valueAt, sizeAt] = is64 ? [4, 6, 8, 16] : [12, 14, 4, 8];
  const { u8, u16, u32, word } = fieldReader(table, header);
  const laterSection = readLaterSections(sections, section);
  const isMapping = mappingSymbolTest(header.machine, names);
  const count = Math.floor(table.length / size);
  const functions = new FileSymbolsBuilder();
  const numbers: number[] = [];
  // The first entry is not a symbol.
  for (let entry = 1; entry < count; entry++) {
    const at = entry * size;
    const info = u8(at + infoAt);
    const kind = isFunction(info >> 4, info & 15);
    if (kind === false) continue;
    const stated = u16(at + sectionAt);
    if (kind === true) {
      if (stated === UNDEFINED_SECTION || stated === COMMON_SECTION) continue;
    } else {
      if (stated >= RESERVED_SECTIONS && stated !== LATER_SECTION) continue;
      const number = stated === LATER_SECTION ? laterSection(entry) : stated;
      if (((list[number]?.flags ?? 0) & SECTION_IS_CODE) === 0) continue;
    }
    const name = u32(at);
    if (isMapping?.(name)) continue;
    const address = word(at + valueAt);
    const isMarked = header.machine === ARM && (info & 15) === FUNCTION;
    functions.add(isMarked ? address - (address % 2) : address, name, word(at + sizeAt));
    numbers.push(entry);
  }
  const found = functions.build(names);
  const isDynamic = section.type === SECTION_TYPE.dynamicSymbols;
  const versions = isDynamic ? readSymbolVersions(sections, count) : undefined;
  if (versions === undefined) return found;
  return { ...found, suffix: (i) => versions.suffix(numbers[i]!, stringAt(names, found.nameOffsets[i]!)) };
}

/**
 * Reads the functions of `.symtab`, which is complete, then those of `.dynsym`, which has what other files
 * may call.
 */
export function readFunctions(sections: ElfSections): FileSymbols[] {
  return [SECTION_TYPE.symbols, SECTION_TYPE.dynamicSymbols].flatMap((tableType) => {
    const section = sections.list.find(({ type }) => type === tableType);
    return (section && readElfFunctions(sections, section)) ?? [];
  });
}

/** The name of a separate debug file, stored in the file it belongs to. */
interface DebugLink {
  /** Without a directory. */
  readonly name: string;
  /** CRC-32 of the whole debug file. */
  readonly checksum: number;
}

/** What to look for: a file and what it says about its debug file. */
interface DebugFileQuery {
  /** Path of the file itself. */
  readonly file: string;
  /** Lower-case hex. */
  readonly buildId: string | undefined;
  readonly link: DebugLink | undefined;
  /** The system's directory of debug files. */
  readonly directory: string;
}

const CHUNK = 1 << 20;
/** In bytes. A checksum of this much takes some ten seconds; larger debug files are not worth the wait. */
const CHECKSUM_LIMIT = 2 ** 32;

/**
 * Returns the debug link of a file; undefined if it has none, or one with a directory, which no tool writes.
 */
export function readDebugLink(sections: ElfSections): DebugLink | undefined {
  const bytes = readSectionNamed(sections, ".gnu_debuglink");
  const end = bytes?.indexOf(0) ?? -1;
  if (bytes === undefined || end <= 0) return undefined;
  const name = bytes.toString("utf8", 0, end);
  const checksumAt = Math.ceil((end + 1) / 4) * 4;
  if (basename(name) !== name || name === ".." || checksumAt + 4 > bytes.length) return undefined;
  return { name, checksum: fieldReader(bytes, sections.header).u32(checksumAt) };
}

/**
 * Finds the separate debug file, first by build id, then by debug link, and passes its sections to
 * `use`. The file must contain the same build id, or match the checksum of the link.
 * Returns undefined if there is none.
 *
 * Source: the GDB manual, "Debugging Information in Separate Files".
 */
function withDebugFile<T>(query: DebugFileQuery, use: (sections: ElfSections) => T): T | undefined {
  const { buildId, link } = query;
  const path = pathByBuildId(query);
  const found = path && buildId && useIf(path, (_, sections) => hasBuildId(sections, buildId), use);
  if (found) return found.value;
  for (const path of linkedPaths(query)) {
    const found = useIf(path, (file) => checksumOf(file) === link?.checksum, use);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

/** Passes the sections of an ELF file to `use` if it is the right one. */
function useIf<T>(
  path: string,
  isRight: (file: RegularFile, sections: ElfSections) => boolean,
  use: (sections: ElfSections) => T,
): { readonly value: T } | undefined {
  return withRegularFile(path, (file) => {
    const sections = readSections(file);
    return sections && isRight(file, sections) ? { value: use(sections) } : undefined;
  });
}

/** Returns the paths that {@link withDebugFile} tries, whether or not they exist. */
function debugFilePaths(query: DebugFileQuery): string[] {
  const path = pathByBuildId(query);
  return [...(path === undefined ? [] : [path]), ...linkedPaths(query)];
}

function pathByBuildId({ buildId, directory }: DebugFileQuery): string | undefined {
  if (buildId === undefined || buildId.length <= 2) return undefined;
  return join(directory, ".build-id", buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
}

function linkedPaths({ file, link, directory }: DebugFileQuery): Set<string> {
  const paths = new Set<string>();
  if (link === undefined) return paths;
  const { name } = link;
  // Debug files are installed for the real directory; the log's path may go through a link, such as /lib.
  for (const from of [realDirectory(file), dirname(resolve(file))]) {
    for (const path of [join(from, name), join(from, ".debug", name), join(directory, from, name)])
      paths.add(path);
  }
  return paths;
}

function realDirectory(file: string): string {
  // If it was deleted since it was read, its debug file may still be there.
  return dirname(tried(() => realpathSync(file)) ?? resolve(file));
}

function hasBuildId({ header, list, read }: ElfSections, buildId: string): boolean {
  // In sections, because the program headers of a debug file describe the file it was split from.
  return list.some((section) => {
    const notes = section.type === SECTION_TYPE.note ? read(section) : undefined;
    return notes !== undefined && findBuildId(notes, header) === buildId;
  });
}

function checksumOf(file: RegularFile): number | undefined {
  if (file.size > CHECKSUM_LIMIT) return undefined;
  let checksum = 0;
  for (let offset = 0; offset < file.size; offset += CHUNK) {
    const bytes = file.read(offset, Math.min(CHUNK, file.size - offset));
    if (bytes === undefined) return undefined;
    checksum = crc32(bytes, checksum);
  }
  return checksum;
}

/** Where to look for the symbol tables of a library. */
interface ElfSymbolOptions {
  /** The system's directory of separate debug files. Default: `/usr/lib/debug`. */
  readonly debugDirectory: string;
}

const defaults: ElfSymbolOptions = { debugDirectory: "/usr/lib/debug" };

/**
 * Returns the source `elf`, which reads the symbol tables of ELF files in this process. It returns the
 * functions that `nm -n -S` and `nm -n -S -D` print for the file, then those of its separate debug file if
 * the file was stripped. Names are mangled. It returns none if neither file has a symbol table with
 * functions, and skips broken tables.
 */
export function elfSymbols(options: Partial<ElfSymbolOptions> = {}): SymbolSource {
  const { debugDirectory } = { ...defaults, ...options };
  return {
    name: "elf",
    isMangled: true,
    async load({ file, binary: elf }) {
      if (elf.format !== "elf") return { kind: "no-symbols" };
      return functionTable(readTables(file, elf, debugDirectory), elf.segments) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary: elf }) {
      if (elf.format !== "elf") return undefined;
      return withRegularFile(file, (open) => {
        const sections = readSections(open);
        if (sections === undefined) return undefined;
        if (hasSymbols(sections)) return "";
        const query = {
          file,
          buildId: elf.buildId,
          link: readDebugLink(sections),
          directory: debugDirectory,
        };
        return JSON.stringify(debugFilePaths(query).map((path) => [path, stampAt(path)]));
      });
    },
  };
}

/** Returns the tables, most trusted first. */
function readTables(file: string, elf: ElfFile, directory: string): FileSymbols[] {
  const tables = withRegularFile(file, (open) => {
    const sections = readSections(open);
    if (sections === undefined) return [];
    const own = readFunctions(sections);
    // A debug file repeats the symbols that the file still has, and is large.
    if (hasSymbols(sections)) return own;
    const query = { file, buildId: elf.buildId, link: readDebugLink(sections), directory };
    return [...own, ...(withDebugFile(query, readFunctions) ?? [])];
  });
  return tables ?? [];
}

function hasSymbols({ list }: ElfSections): boolean {
  return list.some(({ type }) => type === SECTION_TYPE.symbols);
}
