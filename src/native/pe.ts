import { dirname, join } from "node:path";
import type { LinkAddress } from "../base/units.js";
import { crc32 } from "../io/crc32.js";
import { type FileBytes, READ_LIMIT, stampAt, withRegularFile } from "../io/regular-file.js";
import {
  type FieldReader,
  fieldReader,
  type ImageRange,
  MACHINE,
  type PdbLink,
  type PeFile,
  type PeSection,
} from "./binary-file.js";
import type { SymbolSource } from "./symbol-source.js";
import { type FileSymbols, FileSymbolsBuilder, functionTable } from "./symbol-table.js";

const MAGIC = Buffer.from("Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", "latin1");
/** Bytes of the directory: one for a file of 16 GB has as many. */
const DIRECTORY_LIMIT = 1 << 24;
const NO_STREAM = 0xffffffff;

/** Returns a reader of numbers, of which the lowest byte comes first. */
function fieldsOf(bytes: Buffer): FieldReader {
  return fieldReader(bytes, { is64: true, isBigEndian: false });
}

/**
 * Opens the streams of an MSF file, the container of PDB files. Returns a function that returns one by its
 * number, undefined if there is none or its size or blocks are impossible; or undefined for any other file.
 *
 * Source: LLVM, docs/PDB/MsfFile.rst.
 */
function openStreams(file: FileBytes): ((number: number) => FileBytes | undefined) | undefined {
  const head = file.read(0, MAGIC.length + 24);
  if (head === undefined || !head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const { u32 } = fieldsOf(head);
  const blockSize = u32(32);
  const size = u32(44);
  const isSize = blockSize >= 512 && blockSize <= 2 ** 16 && Number.isInteger(Math.log2(blockSize));
  if (!isSize || size > DIRECTORY_LIMIT || size > file.size) return undefined;
  const blocks = { file, blockSize };
  const list = file.read(u32(52) * blockSize, Math.ceil(size / blockSize) * 4);
  const directory = list && streamOf(blocks, { size, numbers: list }).read(0, size);
  return directory && directory.length >= 4 ? streamsIn(blocks, directory) : undefined;
}

interface Blocks {
  readonly file: FileBytes;
  readonly blockSize: number;
}

function streamsIn(blocks: Blocks, directory: Buffer): (number: number) => FileBytes | undefined {
  const { u32 } = fieldsOf(directory);
  const count = Math.min(u32(0), Math.floor((directory.length - 4) / 4));
  const sizes = Uint32Array.from({ length: count }, (_, i) => u32(4 + i * 4));
  const starts = new Float64Array(count);
  let at = 4 + count * 4;
  for (let i = 0; i < count; i++) {
    starts[i] = at;
    if (sizes[i] !== NO_STREAM) at += Math.ceil(sizes[i]! / blocks.blockSize) * 4;
  }
  return (number) => {
    const size = sizes[number];
    // A stream cannot be larger than its file, however often it names a block.
    if (size === undefined || size === NO_STREAM || size > blocks.file.size) return undefined;
    const start = starts[number]!;
    const end = start + Math.ceil(size / blocks.blockSize) * 4;
    if (end > directory.length) return undefined;
    return streamOf(blocks, { size, numbers: directory.subarray(start, end) });
  };
}

function streamOf(
  { file, blockSize }: Blocks,
  { size, numbers }: { readonly size: number; readonly numbers: Buffer },
): FileBytes {
  const blockAt = (index: number) => numbers.readUInt32LE(index * 4);
  const place = (offset: number) => {
    const index = Math.floor(offset / blockSize);
    const into = offset - index * blockSize;
    return {
      fileOffset: blockAt(index) * blockSize + into,
      length: Math.min(blockSize - into, size - offset),
    };
  };
  const read = (offset: number, wanted: number) => {
    if (!(offset >= 0 && wanted >= 0 && offset + wanted <= size) || wanted > READ_LIMIT) return undefined;
    const bytes = Buffer.allocUnsafeSlow(wanted);
    for (let at = 0; at < wanted; ) {
      const { fileOffset, length } = place(offset + at);
      let run = Math.min(length, wanted - at);
      // Blocks that follow each other are read at once.
      while (at + run < wanted) {
        const next = place(offset + at + run);
        if (next.fileOffset !== fileOffset + run) break;
        run += Math.min(next.length, wanted - at - run);
      }
      const part = file.read(fileOffset, run);
      if (part === undefined) return undefined;
      bytes.set(part, at);
      at += run;
    }
    return bytes;
  };
  return { size, read };
}

/** The record of a symbol. Offsets are in the bytes of all records. */
interface SymbolRecord {
  readonly kind: number;
  /** Where it starts, with its length. */
  readonly at: number;
  /** Where the next one starts. */
  readonly end: number;
}

/**
 * Passes on each record of symbols from an offset on; stops at one that is cut or has no kind.
 *
 * Source: LLVM, docs/PDB/CodeViewSymbols.rst.
 */
function eachRecord(bytes: Buffer, from: number, take: (record: SymbolRecord) => void): void {
  const { u16 } = fieldsOf(bytes);
  for (let at = from; at + 4 <= bytes.length; ) {
    const length = u16(at);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return;
    take({ kind: u16(at + 2), at, end });
    at = end;
  }
}

/** A PDB file, open for reading. */
interface PdbFile {
  /** The stream of records on symbols that several modules see. */
  readonly records: FileBytes | undefined;
  /** The streams of the modules, which are what object files were, and the bytes of symbols in each. */
  readonly modules: readonly PdbModule[];
}

/** The symbols of one module. */
interface PdbModule {
  readonly stream: FileBytes;
  /** Bytes of symbols, from the start of the stream. */
  readonly size: number;
}

const PDB_STREAM = 1;
const DBI_STREAM = 3;
const DBI_HEAD = 64;
const MODULE_HEAD = 64;
/** The number of a stream that is not there. */
const NO_MODULE_STREAM = 0xffff;
/** The places of the tables for moved code in the list of debug streams. */
const [OMAP_TO_SOURCE, OMAP_FROM_SOURCE] = [3, 4];

/**
 * Opens the PDB of a PE file. Returns undefined if it is not one or belongs to another file, and for code
 * that a tool has moved after linking, whose addresses are not those in the PDB.
 *
 * Source: LLVM, docs/PDB/PdbStream.rst and docs/PDB/DbiStream.rst.
 */
function openPdb(file: FileBytes, link: NonNullable<PeFile["pdb"]>): PdbFile | undefined {
  const streamAt = openStreams(file);
  const info = streamAt?.(PDB_STREAM)?.read(12, 16);
  const dbi = streamAt?.(DBI_STREAM);
  const head = dbi?.read(0, DBI_HEAD);
  if (streamAt === undefined || dbi === undefined || head === undefined) return undefined;
  if (info?.toString("hex") !== link.guid || !hasAge(head, link)) return undefined;
  const { u16, u32 } = fieldsOf(head);
  // The parts follow each other in this order; the list of debug streams is last.
  const sizes = [24, 28, 32, 36, 40, 52].map(u32);
  const streams = dbi.read(
    sizes.reduce((sum, size) => sum + size, DBI_HEAD),
    u32(48),
  );
  const isMoved = (place: number) => {
    const has = streams !== undefined && streams.length >= place * 2 + 2;
    return has && streams.readUInt16LE(place * 2) !== NO_MODULE_STREAM;
  };
  if (isMoved(OMAP_TO_SOURCE) || isMoved(OMAP_FROM_SOURCE)) return undefined;
  const list = dbi.read(DBI_HEAD, sizes[0]!);
  return { records: streamAt(u16(20)), modules: list === undefined ? [] : modulesIn(list, streamAt) };
}

/** The age counts how often the linker has updated the PDB. */
function hasAge(head: Buffer, { age }: PdbLink): boolean {
  return head.readUInt32LE(8) === age;
}

function modulesIn(list: Buffer, streamAt: (number: number) => FileBytes | undefined): PdbModule[] {
  const { u16, u32 } = fieldsOf(list);
  const modules: PdbModule[] = [];
  const seen = new Set([NO_MODULE_STREAM]);
  for (let at = 0; at + MODULE_HEAD <= list.length; ) {
    const number = u16(at + 34);
    const stream = seen.has(number) ? undefined : streamAt(number);
    seen.add(number);
    if (stream !== undefined) modules.push({ stream, size: Math.min(u32(at + 36), stream.size) });
    // Two names follow, of the module and of its file.
    const first = list.indexOf(0, at + MODULE_HEAD);
    const second = first < 0 ? -1 : list.indexOf(0, first + 1);
    if (second < 0) break;
    at = Math.ceil((second + 1) / 4) * 4;
  }
  return modules;
}

interface PdbFunctions {
  /** Most trusted first. */
  readonly tables: readonly FileSymbols[];
  /** Addresses at which functions start or end, in any order. */
  readonly bounds: readonly LinkAddress[];
}

const S_PUB32 = 0x110e;
const PUBLIC_NAME = 14;
/** `S_LPROC32` and `S_GPROC32`: functions that only their file sees, and all others. */
const [S_LPROC32, S_GPROC32] = [0x110f, 0x1110];
const PROCEDURE_NAME = 39;
/** The number before the symbols of a module, `CV_SIGNATURE_C13`. */
const SIGNATURE_BYTES = 4;

/** Returns the link address of a place in a section; undefined if it is not code. */
type AddressOf = (section: number, offset: number) => LinkAddress | undefined;

/**
 * Reads the functions of the PDB of a PE file: its public symbols, whose names are mangled, then those of its
 * modules, which have also the functions that only one file sees, and names that are not mangled. Returns
 * undefined if the PDB is that of another file.
 *
 * Source: LLVM, docs/PDB/CodeViewSymbols.rst; llvm/include/llvm/DebugInfo/CodeView/SymbolRecord.h.
 */
export function readPdbFunctions(file: FileBytes, binary: PeFile): PdbFunctions | undefined {
  const pdb = binary.pdb && openPdb(file, binary.pdb);
  if (pdb === undefined) return undefined;
  const { sections, imageBase } = binary;
  const addressOf = (number: number, offset: number) => {
    const section = sections[number - 1];
    return section?.isCode && offset < section.size ? imageBase + section.address + offset : undefined;
  };
  const is32Bit = binary.machine === MACHINE.x86;
  const publics = pdb.records && readPublics(pdb.records, addressOf, is32Bit);
  const { functions, bounds } = readModules(pdb.modules, addressOf, file.size);
  return { tables: [publics, functions].filter((table) => table !== undefined), bounds };
}

/** With `is32Bit`, C names have an underscore before them. */
function readPublics(records: FileBytes, addressOf: AddressOf, is32Bit: boolean): FileSymbols | undefined {
  const names = records.read(0, records.size);
  if (names === undefined) return undefined;
  const functions = new FileSymbolsBuilder();
  eachRecord(names, 0, ({ kind, at, end }) => {
    if (kind !== S_PUB32 || at + PUBLIC_NAME >= end) return;
    const address = addressOf(names.readUInt16LE(at + 12), names.readUInt32LE(at + 8));
    if (address !== undefined) functions.add(address, at + PUBLIC_NAME);
  });
  return functions.build(names, is32Bit);
}

/** Reads the functions of modules: of no more than `most` bytes, since each byte of a file is in one stream. */
function readModules(modules: readonly PdbModule[], addressOf: AddressOf, most: number) {
  const functions = new FileSymbolsBuilder();
  const bounds: LinkAddress[] = [];
  const names: Buffer[] = [];
  let length = 0;
  let room = most;
  for (const { stream, size } of modules) {
    room -= size;
    if (room < 0) break;
    const bytes = stream.read(0, size);
    if (bytes === undefined) continue;
    eachRecord(bytes, SIGNATURE_BYTES, ({ kind, at, end }) => {
      if ((kind !== S_LPROC32 && kind !== S_GPROC32) || at + PROCEDURE_NAME >= end) return;
      const address = addressOf(bytes.readUInt16LE(at + 36), bytes.readUInt32LE(at + 32));
      if (address === undefined) return;
      bounds.push(address, address + bytes.readUInt32LE(at + 16));
      functions.add(address, length);
      const text = bytes.subarray(at + PROCEDURE_NAME, end);
      const nul = text.indexOf(0);
      // A copy, since the other bytes of a module are not needed.
      const name = Buffer.concat([nul < 0 ? text : text.subarray(0, nul), NUL]);
      names.push(name);
      length += name.length;
    });
  }
  return { functions: functions.build(Buffer.concat(names)), bounds };
}

const NUL = Buffer.alloc(1);

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
  const { u16, u32, u64 } = fieldsOf(optional);
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
function toFileOffset(sections: readonly PeSection[], { address, size }: ImageRange): number | undefined {
  const section = sections.find((one) => address >= one.address && address - one.address < one.fileSize);
  if (section === undefined) return undefined;
  const into = address - section.address;
  return into + size <= section.fileSize ? section.fileOffset + into : undefined;
}

/** Reads a part of the image; returns undefined if the file does not contain it. */
function readImage(file: FileBytes, sections: readonly PeSection[], range: ImageRange): Buffer | undefined {
  const offset = range.size === 0 ? undefined : toFileOffset(sections, range);
  return offset === undefined ? undefined : file.read(offset, range.size);
}

function parseSections(table: Buffer): PeSection[] {
  const { u32 } = fieldsOf(table);
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
  const { u32 } = fieldsOf(entries);
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
  const { u32 } = fieldsOf(bytes);
  if (u32(0) !== RSDS) return undefined;
  const end = bytes.indexOf(0, 24);
  const path = bytes.toString("utf8", 24, end < 0 ? bytes.length : end);
  const name = path.slice(Math.max(path.lastIndexOf("\\"), path.lastIndexOf("/")) + 1);
  return { name, guid: bytes.toString("hex", 4, 20), age: u32(20) };
}

/** Returns the GUID as it is written, its first three numbers from the highest byte on, and the age. */
function serverIdOf({ guid, age }: PdbLink): string {
  const [a, b, c] = [guid.slice(0, 8), guid.slice(8, 12), guid.slice(12, 16)].map((number) =>
    Buffer.from(number, "hex").reverse().toString("hex"),
  );
  return `${a}${b}${c}${guid.slice(16)}${age.toString(16)}`;
}

const HEAD_SIZE = 40;

/**
 * Reads the functions that a PE file exports by name: what addons call, which of Node is most of V8's API.
 * Returns undefined if it exports none.
 *
 * Source: Microsoft, "PE Format", "The .edata Section".
 */
export function readExports(file: FileBytes, binary: PeFile): FileSymbols | undefined {
  const { exports, sections, imageBase } = binary;
  const names = readImage(file, sections, exports);
  if (names === undefined || names.length < HEAD_SIZE) return undefined;
  const { u16, u32 } = fieldsOf(names);
  const functions = u32(20);
  const [addressesAt, namesAt, numbersAt] = [u32(28), u32(32), u32(36)].map((at) => at - exports.address);
  // Linkers put all that belongs to exports into one range.
  const room = (at: number, size: number) => (at < 0 ? 0 : Math.floor((names.length - at) / size));
  const count = Math.min(u32(24), room(namesAt!, 4), room(numbersAt!, 2));
  const known = Math.min(functions, room(addressesAt!, 4));
  const found = new FileSymbolsBuilder();
  for (let i = 0; i < count; i++) {
    const number = u16(numbersAt! + i * 2);
    const name = u32(namesAt! + i * 4) - exports.address;
    if (number >= known || name < 0 || name >= names.length) continue;
    const address = u32(addressesAt! + number * 4);
    // An address among the names is a function of another file: its text names that.
    const isForwarded = address >= exports.address && address < exports.address + exports.size;
    if (!isForwarded && isCode(binary, address)) found.add(imageBase + address, name);
  }
  return found.build(names);
}

/** Returns whether an address of the image lies in an executable section. */
function isCode({ sections }: PeFile, address: number): boolean {
  return sections.some((one) => one.isCode && address >= one.address && address - one.address < one.size);
}

const ENTRY_SIZE = 18;
/** No linker writes more entries. A browser's program has some million. */
const COUNT_LIMIT = 1 << 22;
const SHORT_NAME = 8;
const EXTERNAL = 2;
const STATIC = 3;
const WEAK_EXTERNAL = 105;

/**
 * Reads the functions in the COFF symbol table of a PE file, which MinGW's and, if asked, LLVM's linker
 * writes. Returns undefined if the file does not contain one.
 *
 * Source: Microsoft, "PE Format", "COFF Symbol Table".
 */
export function readCoffSymbols(file: FileBytes, binary: PeFile): FileSymbols | undefined {
  const { symbols, sections, imageBase, machine } = binary;
  if (symbols.offset === 0 || symbols.count === 0 || symbols.count > COUNT_LIMIT) return undefined;
  const table = file.read(symbols.offset, symbols.count * ENTRY_SIZE);
  const longNames = table && readStrings(file, symbols.offset + table.length);
  if (table === undefined || longNames === undefined) return undefined;
  const { u16, u32 } = fieldsOf(table);
  const functions = new FileSymbolsBuilder();
  // Names of up to eight bytes are in the entries. They go behind the others, each with a NUL.
  const shortNames = Buffer.alloc(symbols.count * (SHORT_NAME + 1));
  for (let entry = 0; entry < symbols.count; entry++) {
    const at = entry * ENTRY_SIZE;
    const kind = table[at + 16]!;
    const helpers = table[at + 17]!;
    const isSection = kind === STATIC && helpers > 0 && u32(at + 8) === 0;
    const section = sections[u16(at + 12) - 1];
    const short = entry;
    entry += helpers;
    if ((kind !== EXTERNAL && kind !== STATIC && kind !== WEAK_EXTERNAL) || isSection) continue;
    if (!section?.isCode || u32(at + 8) >= section.size) continue;
    const start = imageBase + section.address + u32(at + 8);
    if (u32(at) === 0) {
      if (u32(at + 4) < longNames.length) functions.add(start, u32(at + 4));
    } else {
      table.copy(shortNames, short * (SHORT_NAME + 1), at, at + SHORT_NAME);
      functions.add(start, longNames.length + short * (SHORT_NAME + 1));
    }
  }
  return functions.build(Buffer.concat([longNames, shortNames]), machine === MACHINE.x86);
}

/** Reads the strings behind the entries, which start with their own size. */
function readStrings(file: FileBytes, offset: number): Buffer | undefined {
  const size = file.read(offset, 4)?.readUInt32LE(0);
  return size === undefined || size < 4 ? Buffer.alloc(4) : file.read(offset, size);
}

const X64_ENTRY = 12;
const ARM64_ENTRY = 8;
/** Bytes of the table. A browser's library has some ten million. */
const TABLE_LIMIT = 1 << 26;
/** The entry continues the function of another entry. */
const IS_CHAINED = 4;
const PACKED_FRAGMENT = 2;
/**
 * Compilers start functions for x64 at multiples of this. Entries elsewhere are for parts of functions: catch
 * blocks, and OpenSSL's assembly behind the instructions that bring arguments to where it wants them.
 */
const ALIGNMENT = 16;

/**
 * Returns the addresses at which functions start or end, named or not, in ascending order, as far as the
 * table for exceptions states them. Functions that call nothing and need no stack are not in it.
 *
 * Source: Microsoft, "x64 exception handling" and "ARM64 exception handling".
 */
export function readFunctionBounds(file: FileBytes, binary: PeFile): Float64Array {
  const { machine, sections, exceptions } = binary;
  const entrySize = machine === MACHINE.x64 ? X64_ENTRY : machine === MACHINE.arm64 ? ARM64_ENTRY : 0;
  if (entrySize === 0) return new Float64Array();
  const usable = Math.min(exceptions.size, TABLE_LIMIT);
  const size = usable - (usable % entrySize);
  const table = readImage(file, sections, { ...exceptions, size });
  if (table === undefined) return new Float64Array();
  const bounds = machine === MACHINE.x64 ? x64Bounds(file, binary, table) : arm64Bounds(table);
  return bounds.map((address) => binary.imageBase + address).sort();
}

function x64Bounds(file: FileBytes, binary: PeFile, table: Buffer): Float64Array {
  const { u32 } = fieldsOf(table);
  const isChained = chainTest(file, binary, table);
  const bounds = new Float64Array((table.length / X64_ENTRY) * 2);
  let length = 0;
  for (let at = 0, before = -1; at < table.length; at += X64_ENTRY) {
    const [begin, end] = [u32(at), u32(at + 4)];
    const isInside = begin % ALIGNMENT !== 0;
    // A part that directly follows its function is no new one, nor is the end before it one.
    if (begin === before && (isInside || isChained(u32(at + 8)))) length--;
    else if (!isInside) bounds[length++] = begin;
    bounds[length++] = end;
    before = end;
  }
  return bounds.slice(0, length);
}

/** Returns a test, by the address of its unwind information, of whether an entry continues another one. */
function chainTest(file: FileBytes, { sections }: PeFile, table: Buffer): (unwind: number) => boolean {
  const { u32 } = fieldsOf(table);
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (let at = 8; at < table.length; at += X64_ENTRY) {
    low = Math.min(low, u32(at));
    high = Math.max(high, u32(at));
  }
  const infos = readImage(file, sections, { address: low, size: high - low + 1 });
  // An odd address is that of another entry of the table, which is a kind of chain.
  return (unwind) => unwind % 2 === 1 || (((infos?.[unwind - low] ?? 0) >> 3) & IS_CHAINED) !== 0;
}

function arm64Bounds(table: Buffer): Float64Array {
  const { u32 } = fieldsOf(table);
  const bounds = new Float64Array(table.length / ARM64_ENTRY);
  let length = 0;
  for (let at = 0; at < table.length; at += ARM64_ENTRY) {
    if ((u32(at + 4) & 3) !== PACKED_FRAGMENT) bounds[length++] = u32(at);
  }
  return bounds.slice(0, length);
}

/**
 * Returns the source `pe`, which reads the functions of PE files in this process: from the PDB beside the
 * file that was made with it, from the file's symbol table, and from what it exports. A function ends where
 * the next one starts, even if the next one has no name. Names can be mangled.
 */
export function peSymbols(): SymbolSource {
  return {
    name: "pe",
    isMangled: true,
    async load({ file, binary }) {
      if (binary.format !== "pe") return { kind: "no-symbols" };
      const pdb = readPdb(file, binary);
      const own = withRegularFile(file, (open) => ({
        tables: [readCoffSymbols(open, binary), readExports(open, binary)],
        bounds: readFunctionBounds(open, binary),
      }));
      const tables = [...(pdb?.tables ?? []), ...(own?.tables ?? [])].filter((table) => table !== undefined);
      const stated = own?.bounds ?? new Float64Array();
      const bounds = new Float64Array(stated.length + (pdb?.bounds.length ?? 0));
      bounds.set(stated);
      bounds.set(pdb?.bounds ?? [], stated.length);
      return functionTable(tables, binary.segments, bounds.sort()) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary }) {
      if (binary.format !== "pe") return undefined;
      const path = pdbOf(file, binary);
      return JSON.stringify(path === undefined ? [] : [path, stampAt(path)]);
    },
  };
}

/**
 * Returns the path of the PDB beside a file; undefined if the file names none. Never another folder: the file
 * names where its PDB was on the machine that made it.
 */
function pdbOf(file: string, { pdb }: PeFile): string | undefined {
  const name = pdb?.name ?? "";
  return name === "" || name === "." || name === ".." ? undefined : join(dirname(file), name);
}

function readPdb(file: string, binary: PeFile) {
  const path = pdbOf(file, binary);
  if (path === undefined) return undefined;
  return withRegularFile(path, (open) => readPdbFunctions(open, binary));
}
