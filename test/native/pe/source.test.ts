import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MACHINE } from "../../../src/native/binary-file.ts";
import { peSymbols } from "../../../src/native/pe.ts";
import { SymbolCache } from "../../../src/native/symbol-cache.ts";
import type { SymbolTable } from "../../../src/native/symbol-table.ts";
import { functionsOf, libraryOf, textsOf } from "../../helpers/binary-functions.ts";
import { testFolder } from "../../helpers/folder.ts";
import { type PdbSpec, pdbImage } from "../../helpers/pdb-image.ts";
import { type PeSpec, peImage } from "../../helpers/pe-image.ts";

const folder = testFolder();

const GUID = "00112233445566778899aabbccddeeff";
const LINK = { path: "D:\\build\\out\\lib.pdb", guid: GUID, age: 3 };

let folders = 0;
/** Writes a file, with its PDB beside it if there is one. */
function write(spec: PeSpec, pdb?: PdbSpec): string {
  const own = mkdtempSync(join(folder, `${folders++}-`));
  if (pdb !== undefined) writeFileSync(join(own, "lib.pdb"), pdbImage(pdb));
  const file = join(own, "lib.dll");
  writeFileSync(file, peImage(spec));
  return file;
}

async function load(spec: PeSpec, pdb?: PdbSpec): Promise<string[] | undefined> {
  return functionsOf(await libraryOf(write(spec, pdb), "pe"), peSymbols());
}

/** Starts and ends in hexadecimal from the start of the image. */
const short = (functions: string[] | undefined) =>
  functions?.map((one) => one.replaceAll(/1400(\w{5})/g, "$1"));

describe("the exports of a PE file", () => {
  it("are its functions, without data and without those of other files", async () => {
    const exports = [
      { name: "napi_create", address: 0x1000 },
      { name: "?New@Isolate@v8@@SAPEAV12@XZ", address: 0x1800 },
      { name: "data", address: 0x4000 },
    ];
    expect(short(await load({ exports, forwarded: ["NTDLL.RtlAllocateHeap"] }))).toEqual([
      "01000-01800 napi_create",
      "01800-03000 ?New@Isolate@v8@@SAPEAV12@XZ",
    ]);
  });

  it("are read from 32 bits", async () => {
    const exports = [{ name: "f", address: 0x1000 }];
    expect(await load({ is64: false, machine: MACHINE.x86, exports })).toEqual(["401000-403000 f"]);
  });

  it("end where functions without a name start or end", async () => {
    const exports = [
      { name: "a", address: 0x1000 },
      { name: "b", address: 0x1100 },
      { name: "c", address: 0x1200 },
    ];
    const unwind = [
      { begin: 0x1000, end: 0x1010 },
      // A part that follows its function, and one that does not.
      { begin: 0x1100, end: 0x1120 },
      { begin: 0x1120, end: 0x1150, isChained: true },
      { begin: 0x1160, end: 0x1180, isChained: true },
      // A catch block, and assembly whose table starts late.
      { begin: 0x120d, end: 0x1230 },
      { begin: 0x1230, end: 0x1235, isChained: true },
      { begin: 0x1235, end: 0x1238 },
    ];
    expect(short(await load({ exports, unwind }))).toEqual([
      "01000-01010 a",
      "01100-01150 b",
      "01200-01238 c",
    ]);
    // Entries of ARM64 have a start and either the place of more, or all there is in one number.
    const unwindWords = [0x1080, 0x5000, 0x1180, 0x11, 0x1280, 0x12];
    expect(short(await load({ machine: MACHINE.arm64, exports, unwindWords }))).toEqual([
      "01000-01080 a",
      "01100-01180 b",
      "01200-03000 c",
    ]);
  });
});

describe("the COFF symbols of a PE file", () => {
  it("are its functions, with short and with long names", async () => {
    const symbols = [
      { name: ".file", value: 0, section: 0xfffe, kind: 103, helpers: 1 },
      { name: ".text", value: 0, kind: 3, helpers: 1 },
      { name: "short", value: 0x10 },
      { name: "eight888", value: 0x20, kind: 3 },
      { name: "_ZN2v88internal4Heap4FreeEv", value: 0x30, helpers: 1 },
      { name: "label", value: 0x38, kind: 6 },
      { name: "data", value: 0x40, section: 2 },
      { name: "far", value: 0x2000 },
      { name: "weak", value: 0x50, kind: 105 },
    ];
    expect(short(await load({ symbols }))).toEqual([
      "01010-01020 short",
      "01020-01030 eight888",
      "01030-01050 _ZN2v88internal4Heap4FreeEv",
      "01050-03000 weak",
    ]);
  });

  it("have no underscore before names of 32 bits", async () => {
    const symbols = [
      { name: "_main", value: 0 },
      { name: "__ZN2v88internal4Heap4FreeEv", value: 0x30 },
    ];
    expect(await load({ is64: false, machine: MACHINE.x86, symbols })).toEqual([
      "401000-401030 main",
      "401030-403000 _ZN2v88internal4Heap4FreeEv",
    ]);
  });
});

describe("the PDB of a PE file", () => {
  const pdb: PdbSpec = {
    guid: GUID,
    age: 3,
    publics: [
      { name: "?Free@Heap@internal@v8@@QEAAXXZ", offset: 0 },
      { name: "main", offset: 0x100 },
      { name: "data", section: 2, offset: 0 },
      { name: "nowhere", section: 9, offset: 0 },
      { name: "behind", offset: 0x2000 },
    ],
    modules: [
      [{ name: "v8::internal::Heap::Free", offset: 0, size: 0x40 }],
      [{ name: "v8::internal::`anonymous namespace'::Local", offset: 0x80, size: 0x20 }],
    ],
  };
  const functions = [
    "01000-01040 ?Free@Heap@internal@v8@@QEAAXXZ",
    "01080-010a0 v8::internal::`anonymous namespace'::Local",
    "01100-03000 main",
  ];

  it("has public functions, and those that only one file sees", async () => {
    expect(short(await load({ pdb: LINK }, pdb))).toEqual(functions);
  });

  it("is trusted more than what the file exports", async () => {
    const exports = [
      { name: "Free", address: 0x1000 },
      { name: "more", address: 0x1200 },
    ];
    expect(short(await load({ pdb: LINK, exports }, pdb))).toEqual([
      ...functions.slice(0, 2),
      "01100-01200 main",
      "01200-03000 more",
    ]);
  });

  it("is read wherever its blocks are", async () => {
    // Names cross the ends of blocks.
    const many = Array.from({ length: 60 }, (_, i) => ({
      name: `?f${"x".repeat(i)}${i}@@YAXXZ`,
      offset: 0x20 * i,
    }));
    const expected = many.map(({ name }) => name);
    for (const spec of [
      {},
      { isScattered: true },
      { blockSize: 4096 },
      { isScattered: true, blockSize: 1024 },
    ]) {
      const file = write({ pdb: LINK }, { ...pdb, publics: many, modules: [many], ...spec });
      const library = await libraryOf(file, "pe");
      // The first run reads the names, the second one finds them in the cache.
      for (const _ of ["reads", "finds"]) {
        const cache = new SymbolCache(join(folder, "cache"));
        const table = (await cache.load(library, peSymbols())) as SymbolTable;
        await cache.settled();
        expect(textsOf(table).map((text) => text.replace(/^\S+ /, ""))).toEqual(expected);
      }
    }
  });

  it("is not used if it is that of another file, or if code was moved", async () => {
    for (const other of [
      { ...pdb, guid: GUID.replace("0", "1") },
      { ...pdb, age: 4 },
      { ...pdb, isMoved: true },
    ]) {
      expect(await load({ pdb: LINK }, other)).toBeUndefined();
    }
    expect(await load({}, pdb)).toBeUndefined();
  });

  it("is looked for beside the file only", async () => {
    const other = write({}, pdb);
    for (const path of [other.replace(/dll$/, "pdb"), "", "..", "C:\\"]) {
      const link = { ...LINK, path };
      const exports = [{ name: "f", address: 0x1000 }];
      // The file's own folder has no PDB.
      expect(short(await load({ pdb: link, exports }))).toEqual(["01000-03000 f"]);
    }
  });

  it("is read again when it changes", async () => {
    const file = write({ pdb: LINK }, pdb);
    const library = await libraryOf(file, "pe");
    const cached = async () => {
      const cache = new SymbolCache(join(folder, "cache"));
      const table = (await cache.load(library, peSymbols())) as SymbolTable;
      await cache.settled();
      return short(textsOf(table));
    };
    expect(await cached()).toEqual(functions);
    writeFileSync(file.replace(/dll$/, "pdb"), pdbImage({ ...pdb, modules: [] }));
    expect(await cached()).toEqual(["01000-01100 ?Free@Heap@internal@v8@@QEAAXXZ", "01100-03000 main"]);
  });

  it("gives the build id that symbol servers know", async () => {
    const { binary } = await libraryOf(write({ pdb: { ...LINK, age: 0x1f } }), "pe");
    expect(binary.buildId).toBe("33221100554477668899aabbccddeeff1f");
  });
});
