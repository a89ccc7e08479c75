/** A symbol of a {@link MachOSpec}. */
export interface MachOSymbol {
  /** With the underscore that compilers put before it. */
  readonly name: string;
  readonly value: number;
  /** The number of its section: 1 is the code, 2 is data. Default: 1. */
  readonly section?: number;
  /** `n_type`. Default: a local symbol in a section. */
  readonly type?: number;
}

/** What a Mach-O file should have. */
export interface MachOSpec {
  /** Default: true. */
  readonly is64?: boolean;
  readonly isBigEndian?: boolean;
  /** The address and size of the section of code, 64 bytes behind the start of its segment. */
  readonly code?: { readonly address: number; readonly size: number };
  readonly symbols?: readonly MachOSymbol[];
  /** The addresses of `LC_FUNCTION_STARTS`, ascending. */
  readonly functionStarts?: readonly number[];
  /** 32 hexadecimal digits. */
  readonly uuid?: string;
  /** Bytes after everything else. */
  readonly more?: string;
}

export const MACH_CODE = { address: 0x1_0000_1000, size: 0x1000 };
const MACH_CODE_32 = { address: 0x2000, size: 0x1000 };

/** The bytes of a Mach-O file: load commands, function starts, symbols, names. */
export function machOImage(spec: MachOSpec): Buffer {
  const { is64 = true, isBigEndian = false, symbols, functionStarts, uuid, more = "" } = spec;
  const code = spec.code ?? (is64 ? MACH_CODE : MACH_CODE_32);
  const number = numberWriter(isBigEndian);
  const u32 = (value: number) => number(value, 4);
  const word = (value: number) => number(value, is64 ? 8 : 4);
  const name = (text: string) => Buffer.alloc(16, 0).fill(text, 0, text.length, "latin1");
  const section = (own: string, segment: string, address: number, size: number) =>
    Buffer.concat([name(own), name(segment), word(address), word(size), Buffer.alloc(is64 ? 32 : 28)]);
  const sections = [
    section("__text", "__TEXT", code.address, code.size),
    section("__const", "__TEXT", code.address + code.size, 0x100),
  ];
  const segmentSize = (is64 ? 72 : 56) + sections.reduce((sum, one) => sum + one.length, 0);
  const segment = Buffer.concat([
    u32(is64 ? 0x19 : 1),
    u32(segmentSize),
    name("__TEXT"),
    ...[code.address - 64, code.size + 64, 0, 0].map(word),
    ...[5, 5, sections.length, 0].map(u32),
    ...sections,
  ]);
  const starts = Buffer.from(uleb(code.address - 64, functionStarts ?? []));
  const strings = namesOf(symbols ?? []);
  const entries = Buffer.concat(
    (symbols ?? []).map(({ value, type = 0x0e, section: owner = 1 }, i) =>
      Buffer.concat([u32(strings.offsets[i]!), Buffer.of(type, owner, 0, 0), word(value)]),
    ),
  );
  const headSize = is64 ? 32 : 28;
  const size = segment.length + (uuid ? 24 : 0) + (functionStarts ? 16 : 0) + (symbols ? 24 : 0);
  const dataAt = headSize + size;
  const commands = [
    segment,
    ...(uuid ? [Buffer.concat([u32(0x1b), u32(24), Buffer.from(uuid, "hex")])] : []),
    ...(functionStarts ? [Buffer.concat([0x26, 16, dataAt, starts.length].map(u32))] : []),
    ...(symbols
      ? [
          Buffer.concat(
            [
              ...[2, 24, dataAt + starts.length, symbols.length],
              ...[dataAt + starts.length + entries.length, strings.bytes.length],
            ].map(u32),
          ),
        ]
      : []),
  ];
  const head = [is64 ? 0xfeedfacf : 0xfeedface, 0x0100000c, 0, 2, commands.length, size, 0].map(u32);
  return Buffer.concat([
    ...head,
    Buffer.alloc(is64 ? 4 : 0),
    ...commands,
    starts,
    entries,
    strings.bytes,
    Buffer.from(more, "latin1"),
  ]);
}

/** The bytes of a universal file with these files in it. */
export function universalImage(images: readonly Buffer[], is64 = false): Buffer {
  const number = numberWriter(true);
  const entrySize = is64 ? 32 : 20;
  let offset = 8 + images.length * entrySize;
  const head = images.map((image, i) => {
    const [at, width] = [offset, is64 ? 8 : 4];
    offset += image.length;
    const entry = [number(i, 4), number(0, 4), number(at, width), number(image.length, width), number(0, 4)];
    return Buffer.concat([...entry, Buffer.alloc(is64 ? 4 : 0)]);
  });
  const magic = number(is64 ? 0xcafebabf : 0xcafebabe, 4);
  return Buffer.concat([magic, number(images.length, 4), ...head, ...images]);
}

/** Returns a function that encodes a number in so many bytes. */
export function numberWriter(isBigEndian: boolean): (value: number, width: number) => Buffer {
  return (value, width) => {
    const bytes = Buffer.from(Array.from({ length: width }, (_, i) => Math.floor(value / 256 ** i) % 256));
    return isBigEndian ? bytes.reverse() : bytes;
  };
}

/** Names one after the other, each with a NUL; the first one is empty. */
function namesOf(symbols: readonly { readonly name: string }[]): { bytes: Buffer; offsets: number[] } {
  const parts = [Buffer.of(0)];
  let length = 1;
  const offsets = symbols.map(({ name }) => {
    const at = length;
    length += parts[parts.push(Buffer.from(`${name}\0`)) - 1]!.length;
    return at;
  });
  return { bytes: Buffer.concat(parts), offsets };
}

/** The distances between addresses as ULEB128 numbers, and a zero at the end. */
function uleb(from: number, addresses: readonly number[]): number[] {
  const bytes: number[] = [];
  let before = from;
  for (const address of addresses) {
    let rest = address - before;
    before = address;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push(0x80 + (rest % 0x80));
    bytes.push(rest);
  }
  return [...bytes, 0];
}
