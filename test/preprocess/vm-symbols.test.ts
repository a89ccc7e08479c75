import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nameLibraries } from "../../src/preprocess/vm-symbols.ts";
import type { LibraryFunction } from "../../src/symbols/readable-names.ts";
import type { SymbolSource } from "../../src/symbols/symbol-source.ts";

/** The smallest ELF file with code: one executable segment, all of the file, at 0x1000. */
function elfFile(): Buffer {
  const file = Buffer.alloc(0x2000);
  file.write("\x7fELF\x02\x01\x01", "latin1");
  file.writeUInt16LE(3, 16); // A shared object
  file.writeUInt16LE(62, 18); // for x86-64,
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(64n, 32); // whose program headers are here:
  file.writeUInt16LE(64, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(1, 64); // to be loaded
  file.writeUInt32LE(5, 68); // to be read and run
  file.writeBigUInt64LE(0x1000n, 80);
  file.writeBigUInt64LE(BigInt(file.length), 96);
  file.writeBigUInt64LE(BigInt(file.length), 104);
  return file;
}

describe("nameLibraries", () => {
  const folder = mkdtempSync(join(tmpdir(), "ticks-"));
  const path = join(folder, "lib.so");
  beforeAll(() => writeFileSync(path, elfFile()));
  afterAll(() => rmSync(folder, { recursive: true }));

  const count = 40_000;
  const starts = Float64Array.from({ length: count }, (_, i) => 0x1000 + i / 8);
  const source = (isMangled: boolean): SymbolSource => ({
    name: "fake",
    isMangled,
    load: async () => ({
      length: count,
      starts,
      ends: starts.map((start) => start + 1),
      name: (i) => `_${i}`,
    }),
  });
  const library = { path, start: 0x500000, end: 0x502000, slide: 0 };
  const readNames = async (functions: readonly LibraryFunction[]) =>
    functions.map(({ symbols, index }) => symbols.table.name(index).replace("_", "f"));

  it("makes all names of a library readable, however many there are", async () => {
    const [named] = await nameLibraries([library], { sources: [source(true)], readNames });
    expect([0, 32_767, 32_768, count - 1].map((i) => named?.name(i))).toEqual([
      "f0",
      "f32767",
      "f32768",
      "f39999",
    ]);
    expect(named?.info).toMatchObject({ source: "fake", symbols: count });
  });

  it("leaves names alone that are readable, or that nothing demangles", async () => {
    const [readable] = await nameLibraries([library], { sources: [source(false)], readNames });
    expect(readable?.name(7)).toBe("_7");
    const [raw] = await nameLibraries([library], { sources: [source(true)] });
    expect(raw?.name(7)).toBe("_7");
  });

  it("keeps a library that nothing names", async () => {
    const [named] = await nameLibraries([{ ...library, path: "[vdso]" }], { sources: [source(true)] });
    expect(named?.symbols).toBeUndefined();
  });
});
