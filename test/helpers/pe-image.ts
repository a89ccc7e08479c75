import { numberWriter } from "./mach-o-image.ts";

/** A function of a {@link PeSpec}; its address is from the start of the image. */
export interface PeFunction {
  readonly name: string;
  readonly address: number;
}

/** A symbol of the COFF table of a {@link PeSpec}. */
export interface CoffSymbol {
  readonly name: string;
  /** From the start of its section. */
  readonly value: number;
  /** 1 is the code, 2 is data. Default: 1. */
  readonly section?: number;
  /** The storage class. Default: 2, external. */
  readonly kind?: number;
  /** Entries that follow it and are no symbols. Default: 0. */
  readonly helpers?: number;
}

/** An entry of the table for exceptions. */
export interface UnwindEntry {
  readonly begin: number;
  readonly end: number;
  readonly isChained?: boolean;
}

/** What a PE file should have. */
export interface PeSpec {
  /** Default: true. */
  readonly is64?: boolean;
  /** `IMAGE_FILE_MACHINE_…`. Default: x64. */
  readonly machine?: number;
  readonly imageBase?: number;
  /** Exported functions, and others that are found in another file. */
  readonly exports?: readonly PeFunction[];
  readonly forwarded?: readonly string[];
  readonly symbols?: readonly CoffSymbol[];
  readonly unwind?: readonly UnwindEntry[];
  /** For ARM64: the entries as they are. */
  readonly unwindWords?: readonly number[];
  readonly pdb?: { readonly path: string; readonly guid: string; readonly age: number };
  readonly more?: string;
}

/** Where the code of all these files is in the image. Data follows it. */
export const PE_CODE = { address: 0x1000, size: 0x2000 };
export const PE_IMAGE_SIZE = 0x8000;
const DATA = { address: 0x4000, fileOffset: 0x400 };

const number = numberWriter(false);
const u16 = (value: number) => number(value, 2);
const u32 = (value: number) => number(value, 4);

/** The bytes of a PE file: headers, then a section of data with all tables, then COFF symbols. */
export function peImage(spec: PeSpec): Buffer {
  const { is64 = true, machine = 0x8664, symbols = [], more = "" } = spec;
  const imageBase = spec.imageBase ?? (is64 ? 0x1_4000_0000 : 0x40_0000);
  const data = new Data();
  const exported = spec.exports === undefined ? [0, 0] : addExports(data, spec);
  const exceptions = addUnwind(data, spec);
  const debug = spec.pdb === undefined ? [0, 0] : addDebug(data, spec.pdb);
  const tables = data.bytes();
  const symbolsAt = DATA.fileOffset + tables.length;
  const directories = [exported, [0, 0], [0, 0], exceptions, [0, 0], [0, 0], debug];
  const optional = Buffer.concat([
    u16(is64 ? 0x20b : 0x10b),
    Buffer.alloc(is64 ? 22 : 26),
    number(imageBase, is64 ? 8 : 4),
    Buffer.alloc(24),
    u32(PE_IMAGE_SIZE),
    Buffer.alloc(is64 ? 48 : 32),
    u32(directories.length),
    ...directories.flat().map(u32),
  ]);
  const section = (name: string, address: number, size: number, file: [number, number], flags: number) =>
    Buffer.concat([
      Buffer.alloc(8).fill(name, 0, name.length, "latin1"),
      ...[size, address, file[1], file[0], 0, 0, 0, flags].map(u32),
    ]);
  const count = symbols.reduce((sum, { helpers = 0 }) => sum + 1 + helpers, 0);
  const head = Buffer.concat([
    Buffer.from("PE\0\0"),
    u16(machine),
    u16(2),
    u32(0),
    u32(count === 0 ? 0 : symbolsAt),
    u32(count),
    u16(optional.length),
    u16(0x22),
    optional,
    section(".text", PE_CODE.address, PE_CODE.size, [DATA.fileOffset, 0], 0x60000020),
    section(".rdata", DATA.address, 0x3000, [DATA.fileOffset, tables.length], 0x40000040),
  ]);
  const stub = Buffer.alloc(64);
  stub.write("MZ");
  stub.writeUInt32LE(64, 60);
  const start = Buffer.concat([stub, head], DATA.fileOffset);
  const table = count === 0 ? Buffer.alloc(0) : coffTable(symbols);
  return Buffer.concat([start, tables, table, Buffer.from(more, "latin1")]);
}

/** The section of data, as it is filled. */
class Data {
  readonly #parts: Buffer[] = [];
  #length = 0;

  /** Where the next part will be in the image. */
  get next(): number {
    return DATA.address + this.#length;
  }

  add(bytes: Buffer): [address: number, size: number] {
    const address = this.next;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    return [address, bytes.length];
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function addExports(data: Data, { exports = [], forwarded = [] }: PeSpec): [number, number] {
  const base = data.next;
  const all = [...exports.map(({ name }) => name), ...forwarded];
  const tables = 40;
  const names = tables + all.length * 10;
  const texts = all.map((name) => Buffer.from(`${name}\0`));
  const offsets = texts.map((_, i) => names + texts.slice(0, i).reduce((sum, { length }) => sum + length, 0));
  // A forwarded function's address is that of a text, here its own name.
  const addresses = all.map((_, i) => exports[i]?.address ?? base + offsets[i]!);
  const head = [0, 0, 0, 0, 1, all.length, all.length];
  return data.add(
    Buffer.concat([
      ...head.map(u32),
      ...[tables, tables + all.length * 4, tables + all.length * 8].map((at) => u32(base + at)),
      ...addresses.map(u32),
      ...offsets.map((at) => u32(base + at)),
      ...all.map((_, i) => u16(i)),
      ...texts,
    ]),
  );
}

function addUnwind(data: Data, { unwind, unwindWords }: PeSpec): [number, number] {
  if (unwindWords !== undefined) return data.add(Buffer.concat(unwindWords.map(u32)));
  if (unwind === undefined) return [0, 0];
  const [address] = data.add(Buffer.alloc(data.next % 2));
  const infos = data.add(Buffer.concat(unwind.map(({ isChained }) => u32(isChained ? 0x21 : 1))));
  void address;
  return data.add(
    Buffer.concat(unwind.flatMap(({ begin, end }, i) => [begin, end, infos[0] + i * 4].map(u32))),
  );
}

function addDebug(
  data: Data,
  { path, guid, age }: { path: string; guid: string; age: number },
): [number, number] {
  const [address, size] = data.add(
    Buffer.concat([Buffer.from("RSDS"), Buffer.from(guid, "hex"), u32(age), Buffer.from(`${path}\0`)]),
  );
  const offset = DATA.fileOffset + address - DATA.address;
  return data.add(Buffer.concat([0, 0, 0, 2, size, address, offset].map(u32)));
}

function coffTable(symbols: readonly CoffSymbol[]): Buffer {
  const strings: Buffer[] = [];
  let length = 4;
  const entries = symbols.map(({ name, value, section = 1, kind = 2, helpers = 0 }) => {
    let start = Buffer.alloc(8).fill(name, 0, Math.min(8, name.length), "latin1");
    if (name.length > 8) {
      start = Buffer.concat([u32(0), u32(length)]);
      length += strings[strings.push(Buffer.from(`${name}\0`)) - 1]!.length;
    }
    const fields = [u32(value), u16(section), u16(0x20), Buffer.of(kind, helpers)];
    return Buffer.concat([start, ...fields, Buffer.alloc(18 * helpers)]);
  });
  return Buffer.concat([...entries, u32(length), ...strings]);
}
