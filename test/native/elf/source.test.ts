import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { type ElfFile, readElfFile } from "../../../src/native/binary-file.ts";
import { elfSymbols } from "../../../src/native/elf.ts";
import {
  type Compression,
  checksumOf,
  type ElfSpec,
  elfImage,
  type SymbolSpec,
} from "../../helpers/elf-image.js";
import { testFolder } from "../../helpers/folder.ts";

let folder: string;
beforeAll(() => {
  // The real one: a debug file in a system directory is looked for by the real path of its file.
  folder = testFolder();
});

function write(image: Buffer, name = "library.so"): string {
  const file = join(folder, name);
  writeFileSync(file, image);
  return file;
}

/** The functions of a file, each as `start-end name` in hexadecimal; undefined where the source has none. */
async function load(file: string, debugDirectory = join(folder, "nowhere")): Promise<string[] | undefined> {
  const binary: ElfFile = readElfFile(file) ?? {
    format: "elf",
    segments: [],
    buildId: undefined,
    isFixed: false,
  };
  const library = { path: file, file, binary, start: 0, end: 0, slide: 0, base: 0 };
  const table = await elfSymbols({ debugDirectory }).load(library);
  if ("kind" in table) {
    expect(table).toEqual({ kind: "no-symbols" });
    return undefined;
  }
  return Array.from({ length: table.length }, (_, i) => {
    return `${table.starts[i]!.toString(16)}-${table.ends[i]!.toString(16)} ${table.name(i)}`;
  });
}

function loadImage(spec: ElfSpec): Promise<string[] | undefined> {
  return load(write(elfImage(spec)));
}

const LAYOUTS = [true, false].flatMap((is64) => [false, true].map((isBigEndian) => ({ is64, isBigEndian })));
const ZLIB: Compression = { number: 1, pack: (bytes) => zlib.deflateSync(bytes) };
const { zstdCompressSync: zstd } = zlib as { zstdCompressSync?: (bytes: Buffer) => Buffer };
const main: SymbolSpec = { name: "main", value: 0x2000, size: 0x10 };

describe("the functions of a symbol table", () => {
  for (const layout of LAYOUTS) {
    it(`are read from ${layout.is64 ? 64 : 32} bits, ${layout.isBigEndian ? "big" : "little"} endian`, async () => {
      const symbols: SymbolSpec[] = [
        { name: "last", value: 0x3000, size: 0x20 },
        { ...main, binding: "local" },
        { name: "weak", value: 0x2800, size: 8, binding: "weak" },
        { name: "dynamic", value: 0x1800, size: 4 },
      ];
      const functions = ["1800-1804 dynamic", "2000-2010 main", "2800-2808 weak", "3000-3020 last"];
      expect(await loadImage({ ...layout, symbols })).toEqual(functions);
      expect(await loadImage({ ...layout, dynamicSymbols: symbols })).toEqual(functions);
      expect(await loadImage({ ...layout, symbols, compression: ZLIB })).toEqual(functions);
    });
  }

  it.runIf(zstd)("are read from sections packed by zstd (needs a Node that has it)", async () => {
    const compression = { number: 2, pack: (bytes: Buffer) => zstd!(bytes) };
    expect(await loadImage({ symbols: [main], compression })).toEqual(["2000-2010 main"]);
  });

  it("are not read from sections packed by what is unknown, or that are not as long as they say", async () => {
    const short = { number: 1, pack: (bytes: Buffer) => zlib.deflateSync(bytes.subarray(1)) };
    const long = { number: 1, pack: (bytes: Buffer) => zlib.deflateSync(Buffer.alloc(bytes.length + 1)) };
    for (const compression of [
      { ...ZLIB, number: 9 },
      { ...ZLIB, pack: () => Buffer.alloc(0) },
      short,
      long,
    ]) {
      expect(await loadImage({ symbols: [main], compression })).toBeUndefined();
    }
  });

  it("are those that nm prints as t, T or W", async () => {
    const kinds: (Partial<SymbolSpec> & { name: string })[] = [
      { name: "no type", type: "none" },
      { name: "data in the code", type: "object" },
      { name: "weak in the data", binding: "weak", section: "data" },
      { name: "weak and absolute", binding: "weak", section: "absolute" },
      { name: "weak and of a thread", binding: "weak", type: "thread", section: "data" },
      { name: "in a section of a high number", section: "far" },
      { name: "not: weak data", binding: "weak", type: "object", section: "data" },
      { name: "not: undefined", section: "undefined" },
      { name: "not: weak and undefined", binding: "weak", section: "undefined" },
      { name: "not: in the data", section: "data" },
      { name: "not: absolute", section: "absolute" },
      { name: "not: common", section: "common", type: "object" },
      { name: "not: chosen at run time", type: "ifunc" },
      { name: "not: unique", binding: "unique" },
      { name: "not: a section", type: "section", binding: "local" },
      { name: "not: a file", type: "file", binding: "local", section: "absolute" },
    ];
    const symbols = kinds.map((kind, i) => ({ value: 0x1000 + i * 16, size: 16, ...kind }));
    const names = (await loadImage({ symbols }))?.map((line) => line.replace(/^\S+ /, ""));
    expect(names).toEqual(symbols.map(({ name }) => name).filter((name) => !name.startsWith("not:")));
  });

  it("of several at one address are the first by the bytes of the name", async () => {
    const names = ["b", "a", "Z", "aa", "_", "é"];
    const symbols = names.map((name) => ({ ...main, name }));
    expect(await loadImage({ symbols })).toEqual(["2000-2010 Z"]);
    const many = Array.from({ length: 40 }, (_, i) => ({ ...main, name: `f${99 - i}`, size: i + 1 }));
    expect(await loadImage({ symbols: many })).toEqual(["2000-2028 f60"]);
  });

  it("reach to the next one where they have no size, the last to the end of the code", async () => {
    const symbols: SymbolSpec[] = [
      { name: "a", value: 0x2000 },
      { name: "b", value: 0x2100, size: 0x100 },
      { name: "inside b", value: 0x2180 },
      { name: "c", value: 0x2200 },
    ];
    expect(await loadImage({ symbols })).toEqual(["2000-2100 a", "2100-2200 b", "2200-11000 c"]);
  });

  it("are in order where the table is not and spans more than 4 GB", async () => {
    const values = [0x7000_0000_0000, 0x2000, 0x1_0000_0000, 0x1000];
    const symbols = values.map((value) => ({ name: "f", value, size: 16 }));
    const sorted = ["1000-1010 f", "2000-2010 f", "100000000-100000010 f", "700000000000-700000000010 f"];
    expect(await loadImage({ symbols })).toEqual(sorted);
  });

  it("leave out the marks between code and data", async () => {
    const names = ["$x", "$d.12", "$xyz", "f"];
    const symbols = names.map((name, i) => ({ name, value: 0x2000 + i * 16, size: 16 }));
    const readable = async (machine: number) => (await loadImage({ symbols, machine }))?.length;
    expect(await readable(183)).toBe(2);
    expect(await readable(243)).toBe(1);
    expect(await readable(62)).toBe(4);
  });

  it("are at even addresses on ARM, where the last bit says Thumb", async () => {
    const symbols: SymbolSpec[] = [
      { ...main, value: 0x2001 },
      { ...main, name: "label", value: 0x2101, type: "none" },
    ];
    expect(await loadImage({ symbols, is64: false, machine: 40 })).toEqual([
      "2000-2010 main",
      "2101-2111 label",
    ]);
  });
});

describe("the dynamic symbol table", () => {
  it("names the versions as nm -D does", async () => {
    const versioned: [string, number][] = [
      ["local", 0],
      ["base", 1],
      ["current", 2],
      ["hidden", 0x8003],
      ["V_3", 3],
      ["needed", 5],
      ["unknown", 9],
    ];
    const dynamicSymbols = versioned.map(([name, version], i) => ({
      ...main,
      name,
      version,
      value: 4096 + i * 16,
    }));
    const spec = {
      dynamicSymbols,
      definedVersions: ["lib.so", "V_2", "V_3"],
      neededVersions: { 5: "LIBC_1" },
    };
    for (const layout of LAYOUTS) {
      const names = (await loadImage({ ...layout, ...spec }))?.map((line) => line.replace(/^\S+ /, ""));
      const expected = [
        "local",
        "base",
        "current@@V_2",
        "hidden@V_3",
        "V_3",
        "needed@LIBC_1",
        "unknown@@<corrupt>",
      ];
      expect(names).toEqual(expected);
    }
  });

  it("adds only what the full one lacks", async () => {
    const dynamicSymbols = [
      { ...main, name: "alias" },
      { ...main, name: "other", value: 0x3000 },
    ];
    expect(await loadImage({ symbols: [main], dynamicSymbols })).toEqual([
      "2000-2010 main",
      "3000-3010 other",
    ]);
  });
});

describe("a separate debug file", () => {
  const stripped: ElfSpec = { dynamicSymbols: [main] };
  const inner: SymbolSpec = { name: "inner", value: 0x3000, size: 0x10, binding: "local" };
  const all = ["2000-2010 main", "3000-3010 inner"];
  const own = ["2000-2010 main"];

  it("is found by build id and must have the same one", async () => {
    const buildId = "0123456789abcdef0123456789abcdef01234567";
    const debugDirectory = join(folder, "by-id");
    mkdirSync(join(debugDirectory, ".build-id/01"), { recursive: true });
    const file = write(elfImage({ ...stripped, buildId }));
    expect(await load(file, debugDirectory)).toEqual(own);
    const debugFile = `by-id/.build-id/01/${buildId.slice(2)}.debug`;
    write(elfImage({ symbols: [inner], buildId }), debugFile);
    expect(await load(file, debugDirectory)).toEqual(all);
    write(elfImage({ symbols: [inner], buildId: buildId.replace("01", "ff") }), debugFile);
    expect(await load(file, debugDirectory)).toEqual(own);
  });

  for (const place of [".", ".debug", "global"]) {
    it(`is found by its link in ${place} and must have the checksum`, async () => {
      const debugDirectory = join(folder, "global");
      const directory = place === "global" ? join(debugDirectory, folder) : join(folder, place);
      mkdirSync(directory, { recursive: true });
      const debug = elfImage({ symbols: [inner] });
      const debugFile = join(directory, "library.debug");
      writeFileSync(debugFile, debug);
      const image = (checksum: number) =>
        elfImage({ ...stripped, debugLink: { name: "library.debug", checksum } });
      expect(await load(write(image(checksumOf(debug))), debugDirectory)).toEqual(all);
      expect(await load(write(image((checksumOf(debug) ^ 1) >>> 0)), debugDirectory)).toEqual(own);
      rmSync(debugFile);
    });
  }

  it("is not looked for by a link that leads to another directory", async () => {
    const debug = elfImage({ symbols: [inner] });
    mkdirSync(join(folder, "below"), { recursive: true });
    write(debug, "below/library.debug");
    const debugLink = { name: "below/library.debug", checksum: checksumOf(debug) };
    expect(await loadImage({ ...stripped, debugLink })).toEqual(own);
  });

  it("is not read where the file has its full table", async () => {
    const debug = elfImage({ symbols: [inner] });
    write(debug, "unread.debug");
    const debugLink = { name: "unread.debug", checksum: checksumOf(debug) };
    expect(await loadImage({ symbols: [main], debugLink })).toEqual(own);
  });
});

describe("a file that gives nothing", () => {
  it("has no table", async () => {
    expect(await loadImage({})).toBeUndefined();
    expect(await loadImage({ symbols: [] })).toBeUndefined();
    expect(await load(write(Buffer.from("#!/bin/sh\n"), "script"))).toBeUndefined();
    expect(await load(write(Buffer.alloc(0), "empty"))).toBeUndefined();
    expect(await load(join(folder, "missing"))).toBeUndefined();
    expect(await load(folder)).toBeUndefined();
  });

  it.runIf(existsSync("/dev/zero"))("has no table as a device (needs /dev/zero)", async () => {
    expect(await load("/dev/zero")).toBeUndefined();
  });

  it("never throws, wherever it is cut", async () => {
    const spec: ElfSpec = {
      dynamicSymbols: [{ ...main, version: 2 }],
      definedVersions: ["lib.so", "V_2"],
      buildId: "0123",
      debugLink: { name: "none.debug", checksum: 1 },
    };
    for (const symbols of [undefined, [main]]) {
      const image = elfImage(symbols === undefined ? spec : { ...spec, symbols });
      for (let size = 0; size < image.length; size += 13) await load(write(image.subarray(0, size), "cut"));
    }
  });
});
