/** A symbol of an {@link ElfSpec}; a global function in the code where it does not say otherwise. */
export interface SymbolSpec {
  readonly name: string;
  readonly value: number;
  readonly size?: number;
  readonly binding?: "local" | "global" | "weak" | "unique";
  readonly type?: keyof typeof TYPES;
  readonly section?: keyof typeof SECTIONS;
  /** A number in `.gnu.version`; 0x8000 hides it. */
  readonly version?: number;
}

/** What an ELF file should have. */
export interface ElfSpec {
  /** Default: true. */
  readonly is64?: boolean;
  readonly isBigEndian?: boolean;
  /** `e_machine`. Default: 62, x86-64. */
  readonly machine?: number;
  /** Of `.symtab`; no such section where undefined. */
  readonly symbols?: readonly SymbolSpec[];
  /** Of `.dynsym`. */
  readonly dynamicSymbols?: readonly SymbolSpec[];
  /** Of `.gnu.version_d`, numbered from 1; the first is the file itself. */
  readonly definedVersions?: readonly string[];
  /** Of `.gnu.version_r`, by number. */
  readonly neededVersions?: Readonly<Record<number, string>>;
  /** Hexadecimal. */
  readonly buildId?: string;
  readonly debugLink?: { readonly name: string; readonly checksum: number };
  /** Packs `.symtab` and its names. */
  readonly compression?: Compression;
}

/** What a section can be packed by, and its number in the file. */
export interface Compression {
  readonly number: number;
  pack(bytes: Buffer): Buffer;
}

const BINDINGS = { local: 0, global: 1, weak: 2, unique: 10 };
const TYPES = { none: 0, object: 1, function: 2, section: 3, file: 4, common: 5, thread: 6, ifunc: 10 };
/** Section numbers; `far` is the code too, by way of `.symtab_shndx`. */
const SECTIONS = { undefined: 0, text: 1, data: 2, absolute: 0xfff1, common: 0xfff2, far: 0xffff };
const ALLOCATED = 2;
const EXECUTABLE = 4;
const COMPRESSED = 0x800;

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags?: number;
  readonly link?: number;
  readonly info?: number;
  readonly entrySize?: number;
  readonly data: Buffer;
}

/**
 * The bytes of an ELF file whose code is at 0x1000, with a `PT_LOAD` for it, in file and memory alike, and 64 KB
 * long in memory.
 */
export function elfImage(spec: ElfSpec): Buffer {
  const { is64 = true, isBigEndian = false, machine = 62 } = spec;
  const write = writer(isBigEndian);
  const word = (value: number) => write(is64 ? 8 : 4, value);
  const sections = sectionsOf(spec, write);
  const names = stringTable([...sections.map(({ name }) => name), ".shstrtab"]);
  sections.push({ name: ".shstrtab", type: 3, data: names.bytes });

  const headSize = is64 ? 64 : 52;
  const programSize = is64 ? 56 : 32;
  let offset = headSize + 2 * programSize;
  const placed = sections.map((section) => {
    const at = offset;
    offset += Math.ceil(section.data.length / 8) * 8;
    return { ...section, at };
  });
  const note = placed.find(({ type }) => type === 7);
  const programHeader = (type: number, flags: number, at: number, size: number, memory: number) => {
    const fields = [word(at), word(at), word(at), word(size), word(memory)];
    return is64
      ? [write(4, type), write(4, flags), ...fields, word(1)]
      : [write(4, type), ...fields, write(4, flags), word(1)];
  };
  const head = [
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, is64 ? 2 : 1, isBigEndian ? 2 : 1, 1, 0]),
    Buffer.alloc(8),
    ...[write(2, 3), write(2, machine), write(4, 1), word(0), word(headSize), word(offset), write(4, 0)],
    ...[headSize, programSize, 2, is64 ? 64 : 40, sections.length, sections.length - 1].map((n) =>
      write(2, n),
    ),
    ...programHeader(1, 5, 0x1000, 0, 0x10000),
    ...programHeader(4, 4, note?.at ?? 0, note?.data.length ?? 0, 0),
  ];
  const contents = placed.map(({ data }) => Buffer.concat([data, Buffer.alloc((8 - (data.length % 8)) % 8)]));
  const headers = placed.flatMap(({ name, type, flags = 0, at, data, link = 0, info = 0, entrySize = 0 }) => [
    ...[write(4, names.offset(name)), write(4, type), word(flags), word(0), word(at), word(data.length)],
    ...[write(4, link), write(4, info), word(1), word(entrySize)],
  ]);
  return Buffer.concat([...head, ...contents, ...headers]);
}

/** CRC-32, bit by bit. */
export function checksumOf(bytes: Buffer): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  }
  return ~rest >>> 0;
}

type Writer = (width: number, value: number) => Buffer;

function writer(isBigEndian: boolean): Writer {
  return (width, value) => {
    const bytes = Buffer.alloc(width);
    if (isBigEndian) bytes.writeUIntBE(value, Math.max(0, width - 6), Math.min(6, width));
    else bytes.writeUIntLE(value, 0, Math.min(6, width));
    return bytes;
  };
}

function sectionsOf(spec: ElfSpec, write: Writer): Section[] {
  const { is64 = true, compression } = spec;
  const sections: Section[] = [
    { name: "", type: 0, data: Buffer.alloc(0) },
    { name: ".text", type: 1, flags: ALLOCATED | EXECUTABLE, data: Buffer.alloc(0) },
    { name: ".data", type: 1, flags: ALLOCATED, data: Buffer.alloc(0) },
  ];
  const packed = (data: Buffer, { number, pack }: Compression) => {
    const size = write(is64 ? 8 : 4, data.length);
    const head = is64
      ? [write(4, number), write(4, 0), size, write(8, 1)]
      : [write(4, number), size, write(4, 1)];
    return { flags: COMPRESSED, data: Buffer.concat([...head, pack(data)]) };
  };
  const addTable = (name: string, type: number, symbols: readonly SymbolSpec[], by?: Compression) => {
    const strings = stringTable(symbols.map((symbol) => symbol.name));
    const place = (data: Buffer) => (by === undefined ? { data } : packed(data, by));
    const link = sections.length + 1;
    const table = place(symbolTable(symbols, strings, is64, write));
    sections.push({ name, type, link, entrySize: is64 ? 24 : 16, ...table });
    sections.push({ name: ".strtab", type: 3, ...place(strings.bytes) });
    return link - 1;
  };
  if (spec.symbols !== undefined) {
    const link = addTable(".symtab", 2, spec.symbols, compression);
    const numbers = [0, ...spec.symbols.map(() => SECTIONS.text)].map((number) => write(4, number));
    sections.push({ name: ".symtab_shndx", type: 18, link, data: Buffer.concat(numbers) });
  }
  if (spec.dynamicSymbols !== undefined) {
    const link = addTable(".dynsym", 11, spec.dynamicSymbols);
    if (spec.definedVersions !== undefined || spec.neededVersions !== undefined) {
      const numbers = [0, ...spec.dynamicSymbols.map(({ version = 1 }) => version)].map((n) => write(2, n));
      sections.push({ name: ".gnu.version", type: 0x6fffffff, link, data: Buffer.concat(numbers) });
    }
  }
  if (spec.definedVersions !== undefined) addDefinedVersions(sections, spec.definedVersions, write);
  if (spec.neededVersions !== undefined) addNeededVersions(sections, spec.neededVersions, write);
  if (spec.buildId !== undefined) {
    const id = Buffer.from(spec.buildId, "hex");
    const data = [write(4, 4), write(4, id.length), write(4, 3), Buffer.from("GNU\0"), id];
    sections.push({ name: ".note.gnu.build-id", type: 7, data: Buffer.concat(data) });
  }
  if (spec.debugLink !== undefined) {
    const name = Buffer.from(`${spec.debugLink.name}\0`);
    const padding = Buffer.alloc((4 - (name.length % 4)) % 4);
    const data = Buffer.concat([name, padding, write(4, spec.debugLink.checksum)]);
    sections.push({ name: ".gnu_debuglink", type: 1, data });
  }
  return sections;
}

function symbolTable(
  symbols: readonly SymbolSpec[],
  strings: StringTable,
  is64: boolean,
  write: Writer,
): Buffer {
  const fields = symbols.map(
    ({ name, value, size = 0, binding = "global", type = "function", section = "text" }) => {
      const info = write(1, BINDINGS[binding] * 16 + TYPES[type]);
      const place = [info, write(1, 0), write(2, SECTIONS[section])];
      const numbers = [write(is64 ? 8 : 4, value), write(is64 ? 8 : 4, size)];
      return [write(4, strings.offset(name)), ...(is64 ? [...place, ...numbers] : [...numbers, ...place])];
    },
  );
  return Buffer.concat([Buffer.alloc(is64 ? 24 : 16), ...fields.flat()]);
}

function addDefinedVersions(sections: Section[], versions: readonly string[], write: Writer): void {
  const strings = stringTable(versions);
  const entries = versions.flatMap((name, i) => [
    ...[write(2, 1), write(2, i === 0 ? 1 : 0), write(2, i + 1), write(2, 1), write(4, 0), write(4, 20)],
    ...[write(4, i + 1 < versions.length ? 28 : 0), write(4, strings.offset(name)), write(4, 0)],
  ]);
  const link = sections.length + 1;
  const info = versions.length;
  sections.push({ name: ".gnu.version_d", type: 0x6ffffffd, link, info, data: Buffer.concat(entries) });
  sections.push({ name: ".dynstr", type: 3, data: strings.bytes });
}

function addNeededVersions(
  sections: Section[],
  needs: Readonly<Record<number, string>>,
  write: Writer,
): void {
  const versions = Object.entries(needs);
  const strings = stringTable(versions.map(([, name]) => name));
  const entries = versions.flatMap(([number, name], i) => [
    ...[write(4, 0), write(2, 0), write(2, Number(number)), write(4, strings.offset(name))],
    write(4, i + 1 < versions.length ? 16 : 0),
  ]);
  const head = [write(2, 1), write(2, versions.length), write(4, 0), write(4, 16), write(4, 0)];
  const link = sections.length + 1;
  sections.push({
    name: ".gnu.version_r",
    type: 0x6ffffffe,
    link,
    info: 1,
    data: Buffer.concat([...head, ...entries]),
  });
  sections.push({ name: ".dynstr", type: 3, data: strings.bytes });
}

interface StringTable {
  readonly bytes: Buffer;
  offset(text: string): number;
}

function stringTable(texts: readonly string[]): StringTable {
  const offsets = new Map([["", 0]]);
  let all = "\0";
  for (const text of texts) {
    if (offsets.has(text)) continue;
    offsets.set(text, Buffer.byteLength(all));
    all += `${text}\0`;
  }
  return { bytes: Buffer.from(all), offset: (text) => offsets.get(text)! };
}
