import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { machOSymbols } from "../../../src/native/mach-o.ts";
import { SymbolCache } from "../../../src/native/symbol-cache.ts";
import type { SymbolTable } from "../../../src/native/symbol-table.ts";
import { functionsOf, libraryOf, textsOf } from "../../helpers/binary-functions.ts";
import { testFolder } from "../../helpers/folder.ts";
import { MACH_CODE, type MachOSpec, machOImage, universalImage } from "../../helpers/mach-o-image.ts";

const folder = testFolder();

const UUID = "0123456789abcdef0123456789abcdef";
const CODE = MACH_CODE.address;

let files = 0;
function write(image: Buffer): string {
  const file = join(folder, `lib${files++}.dylib`);
  writeFileSync(file, image);
  return file;
}

function writeBundle(file: string, spec: MachOSpec): void {
  const inside = join(`${file}.dSYM`, "Contents", "Resources", "DWARF");
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, basename(file)), machOImage(spec));
}

async function load(file: string, code = MACH_CODE): Promise<string[] | undefined> {
  const library = await libraryOf(file, "mach-o", { start: code.address, end: code.address + code.size });
  return functionsOf(library, machOSymbols());
}

const loadImage = (spec: MachOSpec) => load(write(machOImage(spec)));

/** A function, some bytes into the code. */
const at = (into: number, name: string) => ({ name, value: CODE + into });

const LAYOUTS = [true, false].flatMap((is64) => [false, true].map((isBigEndian) => ({ is64, isBigEndian })));

describe("the functions of a Mach-O file", () => {
  for (const layout of LAYOUTS) {
    it(`are read from ${layout.is64 ? 64 : 32} bits, ${layout.isBigEndian ? "big" : "little"} endian`, async () => {
      const symbols = [
        { name: "__ZN2v88internal4Heap4FreeEv", value: 0x2200 },
        { name: "_main", value: 0x2000 },
      ];
      const code = { address: 0x2000, size: 0x1000 };
      const functions = ["2000-2200 main", "2200-3000 _ZN2v88internal4Heap4FreeEv"];
      expect(await loadImage({ ...layout, symbols, code })).toEqual(functions);
    });
  }

  it("are what nm counts as code, in the section of code", async () => {
    const symbols = [
      at(0, "_main"),
      { ...at(0x100, "_global"), type: 0x0f },
      { ...at(0x200, "_private"), type: 0x1e },
      { ...at(0x300, "_stab"), type: 0x24 },
      { ...at(0x400, "_undefined"), type: 0x01, section: 0 },
      { ...at(0x500, "_absolute"), type: 0x02, section: 0 },
      { ...at(0x600, "_data"), section: 2 },
      at(-0x1000, "__mh_execute_header"),
      at(0x1000, "_behind"),
    ];
    expect(await loadImage({ symbols })).toEqual([
      "100001000-100001100 main",
      "100001100-100001200 global",
      "100001200-100002000 private",
    ]);
  });

  it("end where the next one starts, named or not", async () => {
    const symbols = [at(0, "_a"), at(0x800, "_b")];
    const functionStarts = [CODE, CODE + 0x20, CODE + 0x800, CODE + 0xff0];
    expect(await loadImage({ symbols, functionStarts })).toEqual([
      "100001000-100001020 a",
      "100001800-100001ff0 b",
    ]);
    expect(await loadImage({ symbols })).toEqual(["100001000-100001800 a", "100001800-100002000 b"]);
  });

  it("have the first of several names, in the order of nm, and no more than one underscore less", async () => {
    const symbols = [at(0, "_b"), at(0, "_a"), at(0x10, "plain"), at(0x20, "___udivti3")];
    expect(await loadImage({ symbols })).toEqual([
      "100001000-100001010 a",
      "100001010-100001020 plain",
      "100001020-100002000 __udivti3",
    ]);
  });

  it("are none in a file without symbols", async () => {
    expect(await loadImage({})).toBeUndefined();
    expect(await loadImage({ symbols: [] })).toBeUndefined();
  });

  it("are those of the architecture whose code has the logged size", async () => {
    const small = { code: { address: CODE, size: 0x800 }, symbols: [at(0, "_small")] };
    const large = { symbols: [at(0, "_large")] };
    for (const is64 of [false, true]) {
      const file = write(universalImage([machOImage(small), machOImage(large)], is64));
      expect(await load(file)).toEqual(["100001000-100002000 large"]);
      expect(await load(file, small.code)).toEqual(["100001000-100001800 small"]);
      expect(await load(file, { address: CODE, size: 1 })).toEqual(["100001000-100001800 small"]);
    }
  });
});

describe("a .dSYM bundle", () => {
  const full = { uuid: UUID, symbols: [at(0, "_main"), at(0x10, "_local")] };

  it("has the functions that the file no longer has", async () => {
    const file = write(machOImage({ uuid: UUID, symbols: [at(0, "_exported")] }));
    writeBundle(file, full);
    expect(await load(file)).toEqual(["100001000-100001010 exported", "100001010-100002000 local"]);
  });

  it("is not used with another UUID, without one, or with another address", async () => {
    const stripped = machOImage({ uuid: UUID, symbols: [at(0, "_exported")] });
    for (const other of [
      { ...full, uuid: UUID.replace("0", "f") },
      { ...full, uuid: undefined },
      { ...full, code: { address: CODE + 0x1000, size: 0x1000 } },
    ]) {
      const file = write(stripped);
      writeBundle(file, other as MachOSpec);
      expect(await load(file)).toEqual(["100001000-100002000 exported"]);
    }
    const file = write(machOImage({ symbols: [at(0, "_exported")] }));
    writeBundle(file, full);
    expect(await load(file)).toEqual(["100001000-100002000 exported"]);
  });

  it("is found again by the cache, and read again when it changes", async () => {
    const cache = join(folder, "cache");
    const file = write(machOImage({ uuid: UUID, symbols: [at(0, "_exported")] }));
    const library = await libraryOf(file, "mach-o");
    const cached = async () => {
      const store = new SymbolCache(cache);
      const table = (await store.load(library, machOSymbols())) as SymbolTable;
      await store.settled();
      return textsOf(table);
    };
    const alone = ["100001000-100002000 exported"];
    expect(await cached()).toEqual(alone);
    expect(await cached()).toEqual(alone);
    writeBundle(file, full);
    const both = ["100001000-100001010 exported", "100001010-100002000 local"];
    expect(await cached()).toEqual(both);
    expect(await cached()).toEqual(both);
  });
});
