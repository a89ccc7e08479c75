import { basename, join } from "node:path";
import type { LinkAddress } from "../base/units.js";
import { crc32 } from "../io/crc32.js";
import { type FileBytes, stampAt, withRegularFile } from "../io/regular-file.js";
import {
  type ElfLayout,
  fieldReader,
  type MachOFile,
  type MachOSymbolTable,
  type StringsRange,
} from "./binary-file.js";
import type { SymbolSource } from "./symbol-source.js";
import { type FileSymbols, FileSymbolsBuilder, functionTable } from "./symbol-table.js";

/** A Mach-O file inside of a universal file, in bytes. */
interface Slice {
  readonly offset: number;
  readonly size: number;
}

const FAT_MAGIC = 0xcafebabe;
const FAT_MAGIC_64 = 0xcafebabf;
/** There are not as many architectures. Java's class files start with the same magic. */
const SLICES_LIMIT = 32;

/**
 * Returns the parts of a universal file, one for each architecture; any other file as one part. Parts that
 * the file does not contain are left out.
 *
 * Source: Apple, mach-o/fat.h.
 */
function readSlices(file: FileBytes): Slice[] {
  const head = file.read(0, 8);
  const magic = head?.readUInt32BE(0);
  if (head === undefined || (magic !== FAT_MAGIC && magic !== FAT_MAGIC_64)) {
    return [{ offset: 0, size: file.size }];
  }
  const is64 = magic === FAT_MAGIC_64;
  const entrySize = is64 ? 32 : 20;
  const count = head.readUInt32BE(4);
  const table = count > SLICES_LIMIT ? undefined : file.read(8, count * entrySize);
  const slices: Slice[] = [];
  for (let at = 0; at < (table?.length ?? 0); at += entrySize) {
    // Processor type and subtype come first.
    const word = (from: number) =>
      is64 ? Number(table!.readBigUInt64BE(at + from)) : table!.readUInt32BE(at + from);
    const [offset, size] = [word(8), word(is64 ? 16 : 12)];
    if (offset + size <= file.size) slices.push({ offset, size });
  }
  return slices;
}

const LC_SEGMENT = 0x1;
const LC_SYMTAB = 0x2;
const LC_SEGMENT_64 = 0x19;
const LC_UUID = 0x1b;
const LC_FUNCTION_STARTS = 0x26;
/** Bytes of load commands. The largest applications have some ten thousand. */
const COMMANDS_LIMIT = 1 << 20;

/**
 * Reads the headers of a Mach-O file, 32 or 64 bits, in either byte order. Of a universal file, it takes the
 * architecture whose code has `codeSize` bytes, which the log states, else the first. Returns undefined if the file is
 * not a Mach-O file with code, has broken load commands, or is not a regular file.
 *
 * Source: Apple, mach-o/loader.h and mach-o/fat.h.
 */
export function readMachOFile(path: string, codeSize: number): MachOFile | undefined {
  return withRegularFile(path, (file) => {
    const all = readMachOFiles(file);
    return all.find(({ segments: [code] }) => code.size === codeSize) ?? all[0];
  });
}

/** Returns what {@link readMachOFile} chooses from: one for each architecture that can be read. */
export function readMachOFiles(file: FileBytes): MachOFile[] {
  return readSlices(file).flatMap(({ offset, size }) => {
    const read: FileBytes["read"] = (at, bytes) =>
      at + bytes <= size ? file.read(offset + at, bytes) : undefined;
    return parseMachOFile({ size, read }, offset) ?? [];
  });
}

/** A segment command of 32 or 64 bits. Offsets are in bytes. */
interface SegmentLayout {
  readonly wordSize: 4 | 8;
  readonly sections: number;
  readonly sectionSize: number;
  readonly count: number;
}

const LAYOUT_32: SegmentLayout = { wordSize: 4, sections: 56, sectionSize: 68, count: 48 };
const LAYOUT_64: SegmentLayout = { wordSize: 8, sections: 72, sectionSize: 80, count: 64 };

/** By load command: the bytes that it has at least. */
const LEAST_BYTES: ReadonlyMap<number, number> = new Map([
  [LC_SEGMENT, LAYOUT_32.sections],
  [LC_SEGMENT_64, LAYOUT_64.sections],
  [LC_SYMTAB, 24],
  [LC_UUID, 24],
  [LC_FUNCTION_STARTS, 16],
]);

/** `offset` is where the part of a universal file starts. */
function parseMachOFile(file: FileBytes, offset: number): MachOFile | undefined {
  const head = file.read(0, 32) ?? file.read(0, 28);
  const layout = head && layoutOf(head.readUInt32BE(0));
  if (head === undefined || layout === undefined) return undefined;
  const header = fieldReader(head, layout);
  const size = header.u32(20);
  const commands = size > COMMANDS_LIMIT ? undefined : file.read(layout.is64 ? 32 : 28, size);
  if (commands === undefined) return undefined;
  const { u32, u64 } = fieldReader(commands, layout);
  const nameAt = (at: number) => commands.toString("latin1", at, at + 16).split("\0", 1)[0]!;
  let sections = 0;
  let code: { readonly address: LinkAddress; readonly size: number; readonly section: number } | undefined;
  let textAddress: LinkAddress = 0;
  let buildId: string | undefined;
  let symbols: MachOSymbolTable | undefined;
  let functionStarts: StringsRange | undefined;
  for (let at = 0, left = header.u32(16); left > 0; left--) {
    if (at + 8 > size) return undefined;
    const type = u32(at);
    const end = at + u32(at + 4);
    if (end > size || end < at + (LEAST_BYTES.get(type) ?? 8)) return undefined;
    if (type === LC_SYMTAB) {
      const strings = { offset: offset + u32(at + 16), size: u32(at + 20) };
      symbols = { offset: offset + u32(at + 8), count: u32(at + 12), strings, codeSection: 0, ...layout };
    } else if (type === LC_UUID) buildId = commands.toString("hex", at + 8, at + 24);
    else if (type === LC_FUNCTION_STARTS)
      functionStarts = { offset: offset + u32(at + 8), size: u32(at + 12) };
    else if (type === LC_SEGMENT || type === LC_SEGMENT_64) {
      const segment = type === LC_SEGMENT ? LAYOUT_32 : LAYOUT_64;
      const word = type === LC_SEGMENT ? u32 : u64;
      if (nameAt(at + 8) === "__TEXT") textAddress = word(at + 24);
      const count = u32(at + segment.count);
      if (at + segment.sections + count * segment.sectionSize > end) return undefined;
      for (let i = 0; i < count; i++) {
        const section = at + segment.sections + i * segment.sectionSize;
        sections++;
        if (nameAt(section) !== "__text" || nameAt(section + 16) !== "__TEXT") continue;
        const [address, bytes] = [word(section + 32), word(section + 32 + segment.wordSize)];
        code ??= { address, size: bytes, section: sections };
      }
    }
    at = end;
  }
  if (code === undefined) return undefined;
  return {
    format: "mach-o",
    segments: [{ fileOffset: 0, linkAddress: code.address, size: code.size }],
    buildId,
    isFixed: false,
    layout: crc32(commands),
    symbols: symbols && { ...symbols, codeSection: code.section },
    functionStarts,
    textAddress,
  };
}

function layoutOf(magic: number): ElfLayout | undefined {
  switch (magic) {
    case 0xfeedface:
      return { is64: false, isBigEndian: true };
    case 0xfeedfacf:
      return { is64: true, isBigEndian: true };
    case 0xcefaedfe:
      return { is64: false, isBigEndian: false };
    case 0xcffaedfe:
      return { is64: true, isBigEndian: false };
    default:
      return undefined;
  }
}

const N_STAB = 0xe0;
const N_TYPE = 0x0e;
const N_SECT = 0x0e;
/** Bytes of the table of function starts. A browser's has some two million. */
const STARTS_LIMIT = 1 << 24;

/**
 * Reads the functions in the symbol table of a Mach-O file: those that `nm` prints as t or T, if they lie in
 * the section of code, without the underscore that compilers put before each name. Returns undefined if the
 * file does not contain the table.
 *
 * Source: Apple, mach-o/nlist.h.
 */
export function readMachOFunctions(
  file: FileBytes,
  { symbols, segments: [code] }: MachOFile,
): FileSymbols | undefined {
  if (symbols === undefined) return undefined;
  const { offset, count, strings, codeSection, is64 } = symbols;
  const entrySize = is64 ? 16 : 12;
  const table = file.read(offset, count * entrySize);
  const names = file.read(strings.offset, strings.size);
  if (table === undefined || names === undefined) return undefined;
  const { u32, word } = fieldReader(table, symbols);
  const functions = new FileSymbolsBuilder();
  const end = code.linkAddress + code.size;
  for (let at = 0; at < table.length; at += entrySize) {
    const type = table[at + 4]!;
    if ((type & N_STAB) !== 0 || (type & N_TYPE) !== N_SECT || table[at + 5] !== codeSection) continue;
    const address = word(at + 8);
    const name = u32(at);
    // The symbol of the file's header counts as code too.
    if (address >= code.linkAddress && address < end && name < names.length) functions.add(address, name);
  }
  return functions.build(names, true);
}

/**
 * Reads the addresses at which functions start, named or not, in ascending order; none if the file does not
 * have the table. It is what is left when `strip` removed the names.
 *
 * Source: Apple, mach-o/loader.h, `LC_FUNCTION_STARTS`: distances as ULEB128 numbers, up to a zero.
 */
export function readFunctionStarts(
  file: FileBytes,
  { functionStarts, textAddress }: MachOFile,
): Float64Array {
  const { offset, size } = functionStarts ?? { offset: 0, size: 0 };
  const bytes = size > STARTS_LIMIT ? undefined : file.read(offset, size);
  if (bytes === undefined) return new Float64Array();
  const starts = new Float64Array(bytes.length);
  let length = 0;
  let address: LinkAddress = textAddress;
  let distance = 0;
  let scale = 1;
  for (const byte of bytes) {
    distance += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte >= 0x80) continue;
    if (distance === 0) break;
    address += distance;
    if (!(address < Number.MAX_SAFE_INTEGER)) break;
    starts[length++] = address;
    [distance, scale] = [0, 1];
  }
  return starts.subarray(0, length);
}

/**
 * Returns the source `mach-o`, which reads the symbol tables of Mach-O files in this process, then those of
 * the file's `.dSYM` bundle beside it, if that has the same UUID. A function ends where the next one starts,
 * even if the next one has no name. Names are mangled, as on other systems.
 */
export function machOSymbols(): SymbolSource {
  return {
    name: "mach-o",
    isMangled: true,
    async load({ file, binary }) {
      if (binary.format !== "mach-o") return { kind: "no-symbols" };
      const own = withRegularFile(file, (open) => ({
        functions: readMachOFunctions(open, binary),
        starts: readFunctionStarts(open, binary),
      }));
      const tables = [own?.functions, readBundle(file, binary)].filter((table) => table !== undefined);
      return functionTable(tables, binary.segments, own?.starts) ?? { kind: "no-symbols" };
    },
    fingerprint({ file, binary }) {
      if (binary.format !== "mach-o") return undefined;
      const bundle = bundleOf(file);
      return JSON.stringify([bundle, stampAt(bundle)]);
    },
  };
}

/** Returns the path of the file with debug symbols in the bundle that `dsymutil` makes beside a file. */
function bundleOf(file: string): string {
  return join(`${file}.dSYM`, "Contents", "Resources", "DWARF", basename(file));
}

function readBundle(file: string, { buildId, segments: [code] }: MachOFile): FileSymbols | undefined {
  if (buildId === undefined) return undefined;
  const path = bundleOf(file);
  return withRegularFile(path, (open) => {
    const same = readMachOFiles(open).find((one) => one.buildId === buildId);
    // The addresses are those of the library, or it is not its bundle after all.
    if (same === undefined || same.segments[0].linkAddress !== code.linkAddress) return undefined;
    return readMachOFunctions(open, same);
  });
}
