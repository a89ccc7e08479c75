import { type FileBytes, READ_LIMIT } from "../io/regular-file.js";
import type { LinkAddress } from "../profile/units.js";
import { fieldReader, MACHINE, type PdbLink, type PeFile } from "./binary-file.js";
import type { FileSymbols } from "./symbol-table.js";

const MAGIC = Buffer.from("Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0", "latin1");
const LAYOUT = { is64: true, isBigEndian: false };
/** Bytes of the directory: one for a file of 16 GB has as many. */
const DIRECTORY_LIMIT = 1 << 24;
const NO_STREAM = 0xffffffff;

/**
 * Opens the streams of an MSF file, the container of PDB files. Returns a function that returns one by its
 * number, undefined if there is none or its size or blocks are impossible; or undefined for any other file.
 *
 * Source: LLVM, docs/PDB/MsfFile.rst.
 */
function openStreams(file: FileBytes): ((number: number) => FileBytes | undefined) | undefined {
  const head = file.read(0, MAGIC.length + 24);
  if (head === undefined || !head.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const { u32 } = fieldReader(head, LAYOUT);
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
  const { u32 } = fieldReader(directory, LAYOUT);
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
  const { u16 } = fieldReader(bytes, { is64: true, isBigEndian: false });
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
  const { u16, u32 } = fieldReader(head, LAYOUT);
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
  const { u16, u32 } = fieldReader(list, LAYOUT);
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

/** The functions of a PDB file. */
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
const UNDERSCORE = 0x5f;

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
  const starts: LinkAddress[] = [];
  const nameOffsets: number[] = [];
  eachRecord(names, 0, ({ kind, at, end }) => {
    if (kind !== S_PUB32 || at + PUBLIC_NAME >= end) return;
    const address = addressOf(names.readUInt16LE(at + 12), names.readUInt32LE(at + 8));
    if (address === undefined) return;
    starts.push(address);
    nameOffsets.push(at + PUBLIC_NAME);
  });
  const offsets = Uint32Array.from(nameOffsets);
  const shown = is32Bit ? offsets.map((at) => (names[at] === UNDERSCORE ? at + 1 : at)) : offsets;
  return { starts: Float64Array.from(starts), nameOffsets: shown, names };
}

/** Reads the functions of modules: of no more than `most` bytes, since each byte of a file is in one stream. */
function readModules(modules: readonly PdbModule[], addressOf: AddressOf, most: number) {
  const starts: LinkAddress[] = [];
  const bounds: LinkAddress[] = [];
  const nameOffsets: number[] = [];
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
      starts.push(address);
      nameOffsets.push(length);
      const text = bytes.subarray(at + PROCEDURE_NAME, end);
      const nul = text.indexOf(0);
      // A copy, since the other bytes of a module are not needed.
      const name = Buffer.concat([nul < 0 ? text : text.subarray(0, nul), NUL]);
      names.push(name);
      length += name.length;
    });
  }
  const functions = {
    starts: Float64Array.from(starts),
    nameOffsets: Uint32Array.from(nameOffsets),
    names: Buffer.concat(names),
  };
  return { functions, bounds };
}

const NUL = Buffer.alloc(1);
