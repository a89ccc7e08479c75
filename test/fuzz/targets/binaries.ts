import fc, { type Arbitrary } from "fast-check";
import { readFunctionStarts, readMachOFiles, readMachOFunctions } from "../../../src/native/mach-o.ts";
import {
  parsePeFile,
  readCoffSymbols,
  readExports,
  readFunctionBounds,
  readPdbFunctions,
} from "../../../src/native/pe.ts";
import { functionTable, type SymbolTable } from "../../../src/native/symbol-table.ts";
import { machOImage, universalImage } from "../../helpers/mach-o-image.ts";
import { pdbImage } from "../../helpers/pdb-image.ts";
import { peImage } from "../../helpers/pe-image.ts";
import { fileOf, type Mutation, mutate, mutation, type Poke, poke, pokes } from "../mutation.ts";
import { broken, type Target } from "../target.ts";

interface Input {
  readonly kind: "mach-o" | "universal" | "pe" | "pdb";
  readonly is64: boolean;
  readonly isOdd: boolean;
  readonly functions: readonly { readonly name: string; readonly at: number }[];
  readonly pokes: readonly Poke[];
  readonly mutations: readonly Mutation[];
}

const name = fc.oneof(
  fc.constantFrom("_main", "__ZN2v88internal4Heap3runEv", "?Free@Heap@internal@v8@@QEAAXXZ", "", "eight888"),
  fc.string({ maxLength: 600 }),
);
const number = fc.oneof(
  fc.nat(0x8000),
  fc.constantFrom(0, 1, 0x0e, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40, 2 ** 53, 2 ** 64),
);

const arbitrary: Arbitrary<Input> = fc.record({
  kind: fc.constantFrom("mach-o" as const, "universal" as const, "pe" as const, "pdb" as const),
  is64: fc.boolean(),
  isOdd: fc.boolean(),
  functions: fc.array(fc.record({ name, at: fc.nat(0x2100) }), { maxLength: 30 }),
  pokes: pokes(number),
  mutations: fc.array(mutation, { maxLength: 3 }),
});

/** The files of macOS and Windows that are no longer what a linker wrote. */
export const binaries: Target<Input> = {
  name: "binaries",
  about: "any Mach-O, PE or PDB file: nothing throws, tables in order, no read past the file",
  arbitrary,
  check(input) {
    const bytes = imageOf(input);
    for (const table of tablesOf(bytes)) checkTable(table);
  },
  file: (input) => ({ extension: input.kind === "pdb" ? "pdb" : "bin", bytes: imageOf(input) }),
};

const GUID = "00112233445566778899aabbccddeeff";
/** The file that a PDB is of. */
const OWNER = parsePeFile(fileOf(peImage({ pdb: { path: "a.pdb", guid: GUID, age: 1 } })))!;

/** All functions that are read of a file, as whatever it can be. */
function tablesOf(bytes: Buffer): SymbolTable[] {
  const file = fileOf(bytes);
  const machO = readMachOFiles(file).map((one) =>
    functionTable(
      [readMachOFunctions(file, one)].filter((table) => table !== undefined),
      one.segments,
      readFunctionStarts(file, one),
    ),
  );
  const pe = parsePeFile(file);
  const own = pe && [readCoffSymbols(file, pe), readExports(file, pe)].filter((table) => table !== undefined);
  const pdb = readPdbFunctions(file, OWNER);
  return [
    ...machO,
    own && functionTable(own, pe.segments, readFunctionBounds(file, pe)),
    pdb && functionTable(pdb.tables, OWNER.segments, Float64Array.from(pdb.bounds).sort()),
  ].filter((table) => table !== undefined);
}

function checkTable({ length, starts, ends, name }: SymbolTable): void {
  for (let i = 0; i < length; i++) {
    if (!(starts[i]! <= ends[i]!)) broken("functions end behind their start", `${starts[i]} ${ends[i]}`);
    const next = starts[i + 1] ?? Number.POSITIVE_INFINITY;
    if (!(ends[i]! <= next)) broken("functions do not overlap", `${ends[i]} ${next}`);
    if (i > 0 && starts[i] === starts[i - 1]) broken("functions have places of their own", starts[i]);
    if (typeof name(i) !== "string") broken("functions have names");
  }
}

function plainImage({ kind, is64, isOdd, functions }: Input): Buffer {
  const places = functions.map(({ name, at }) => ({ name: name.replaceAll("\0", ""), at }));
  switch (kind) {
    case "pdb": {
      const all = places.map(({ name, at }) => ({ name, offset: at, size: at % 64 }));
      return pdbImage({ guid: GUID, age: 1, publics: all, modules: [all, all], isScattered: isOdd });
    }
    case "pe":
      return peImage({
        is64,
        exports: places.map(({ name, at }) => ({ name, address: 0x1000 + at })),
        symbols: places.map(({ name, at }) => ({ name, value: at, helpers: at % 2 })),
        unwind: places.map(({ at }) => ({ begin: 0x1000 + at, end: 0x1010 + at, isChained: at % 3 === 0 })),
        pdb: { path: "a.pdb", guid: GUID, age: 1 },
      });
    default: {
      const code = { address: 0x1000, size: 0x2000 };
      const image = machOImage({
        ...{ is64, isBigEndian: isOdd, code, uuid: GUID },
        symbols: places.map(({ name, at }) => ({ name, value: 0x1000 + at })),
        functionStarts: places.map(({ at }) => 0x1000 + at).sort((a, b) => a - b),
      });
      return kind === "universal" ? universalImage([image, image], isOdd) : image;
    }
  }
}

function imageOf(input: Input): Buffer {
  const bytes = plainImage(input);
  for (const one of input.pokes) {
    const room = one.isHeader ? Math.min(bytes.length, 1024) : bytes.length;
    poke(bytes, one, Math.floor((one.at / 1e6) * room), input.isOdd);
  }
  return mutate(bytes, input.mutations);
}
