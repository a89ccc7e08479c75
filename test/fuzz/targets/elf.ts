import { deflateSync, gunzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { parseElfFile } from "../../../src/native/binary-file.ts";
import { readDebugLink, readFunctions, readSections } from "../../../src/native/elf.ts";
import { functionTable } from "../../../src/native/symbol-table.ts";
import { type ElfSpec, elfImage, type SymbolSpec } from "../../helpers/elf-image.ts";
import { corpusFile } from "../corpus-file.ts";
import { fileOf, type Mutation, mutate, mutation, type Poke, poke, pokes } from "../mutation.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  /** Undefined for the library that a compiler made. */
  readonly spec: ElfSpec | undefined;
  readonly pokes: readonly Poke[];
  readonly mutations: readonly Mutation[];
}

const name = fc.oneof(
  fc.constantFrom("main", "_ZN2v88internal4Heap3runEv", "$x", "$d.1", "", "aa", "a"),
  fc.string({ maxLength: 8 }),
);
const number = fc.oneof(
  fc.nat(0x20000),
  fc.constantFrom(0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40, 2 ** 47),
);

const symbol: Arbitrary<SymbolSpec> = fc.record(
  {
    name,
    value: number,
    size: number,
    binding: fc.constantFrom("local" as const, "global" as const, "weak" as const, "unique" as const),
    type: fc.constantFrom(
      ...(["none", "object", "function", "section", "file", "common", "thread", "ifunc"] as const),
    ),
    section: fc.constantFrom("text", "undefined", "data", "absolute", "common", "far" as const),
    version: fc.constantFrom(0, 1, 2, 3, 0x8002, 9),
  },
  { requiredKeys: ["name", "value"] },
);

const spec: Arbitrary<ElfSpec> = fc
  .record({
    is64: fc.boolean(),
    isBigEndian: fc.boolean(),
    machine: fc.constantFrom(62, 40, 183, 243, 3),
    symbols: fc.array(symbol, { maxLength: 40 }),
    dynamicSymbols: fc.array(symbol, { maxLength: 20 }),
    definedVersions: fc.constantFrom([], ["a.so", "V_1", "V_2"]),
    buildId: fc.constantFrom("c0ffee", ""),
    isPacked: fc.boolean(),
  })
  .map(({ isPacked, ...rest }) => ({
    ...rest,
    symbols: rest.symbols.map((one) => fitting(one, rest.is64)),
    dynamicSymbols: rest.dynamicSymbols.map((one) => fitting(one, rest.is64)),
    neededVersions: { 3: "GLIBC_2.2.5" },
    debugLink: { name: "a.debug", checksum: 7 },
    ...(isPacked && { compression: { number: 1, pack: (bytes: Buffer) => deflateSync(bytes) } }),
  }));

/** A symbol with numbers for which a file of its kind has room. */
function fitting(one: SymbolSpec, is64: boolean): SymbolSpec {
  const { value, size = 0 } = one;
  return is64 ? one : { ...one, value: value % 2 ** 32, size: size % 2 ** 32 };
}

/** The symbol tables of files that are no longer, or never were, what a linker wrote. */
export const elf: Target<Input> = {
  name: "elf",
  about: "any ELF file: nothing throws, tables in order, no read past the file",
  arbitrary: fc.record({
    spec: fc.option(spec, { nil: undefined, freq: 6 }),
    pokes: pokes(number),
    mutations: fc.array(mutation, { maxLength: 3 }),
  }),
  check(input) {
    read(imageOf(input));
  },
  file: (input) => ({ extension: "so", bytes: imageOf(input) }),
};

/** All that is read of a file. */
function read(bytes: Buffer) {
  const file = fileOf(bytes);
  const head = parseElfFile(file);
  const sections = readSections(file);
  if (sections === undefined) return { head };
  const link = readDebugLink(sections);
  const tables = readFunctions(sections);
  const merged = head && functionTable(tables, head.segments);
  for (let i = 1; i < (merged?.length ?? 0); i++) {
    const { starts } = merged!;
    if (!(starts[i - 1]! < starts[i]!)) broken("functions are in order", `${starts[i - 1]} ${starts[i]}`);
  }
  const all = merged && {
    starts: merged.starts,
    ends: merged.ends,
    names: Array.from({ length: merged.length }, (_, i) => merged.name(i)),
  };
  return { head, link, tables, all };
}

let library: Buffer | undefined;

/** A shared library of C++, compiled for x86-64. */
function realLibrary(): Buffer {
  library ??= gunzipSync(corpusFile("small-library.so.gz"));
  return library;
}

function imageOf({ spec: wanted, pokes: numbers, mutations }: Input): Buffer {
  const image = wanted === undefined ? realLibrary() : elfImage(wanted);
  const bytes = Buffer.from(image);
  for (const one of numbers) {
    // Headers are at the start (the file's, programs') and at the end (sections').
    const room = Math.min(bytes.length, 1200);
    const part = Math.floor((one.at / 1e6) * (one.isHeader ? 2 * room : bytes.length));
    const place = one.isHeader && part >= room ? bytes.length - room + (part - room) : part;
    poke(bytes, one, place, wanted?.isBigEndian ?? false);
  }
  return mutate(bytes, mutations);
}
