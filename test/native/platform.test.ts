import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { recordSymbols } from "../../src/load/record-symbols.ts";
import { foreignV8, hasOtherBuiltins, holdsV8, isMappingOf } from "../../src/native/binary-trust.ts";
import { elfSymbols } from "../../src/native/elf.ts";
import {
  type LocateOptions,
  loadLibrary,
  locateLibrary,
  MappedSymbols,
} from "../../src/native/load-library.ts";
import { platformOf } from "../../src/native/platform.ts";
import { readRecordedSymbols, writeRecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { SymbolTableBuilder } from "../../src/native/symbol-table.ts";
import { binaries } from "../fuzz/targets/binaries.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { chunksOf, leavesOf, logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";
import { machOImage, universalImage } from "../helpers/mach-o-image.ts";
import { peImage } from "../helpers/pe-image.ts";
import { createRandom } from "../helpers/random.ts";

const library = (path: string, slide = 0) => ({ path, start: 0x10000, end: 0x20000, slide });

describe("the platform of a log", () => {
  it("shows in its libraries", () => {
    for (const [platform, ...libraries] of [
      ["windows", library("C:\\node.exe")],
      ["windows", library("D:/node.exe"), library("/usr/lib/dyld")],
      ["windows", library("\\\\server\\share\\node.exe")],
      ["macos", library("/usr/local/bin/node", 0x4000)],
      ["macos", library("/usr/local/bin/node"), library("/usr/lib/dyld")],
      ["macos", library("/usr/local/bin/node"), library("/usr/lib/libSystem.B.dylib")],
      ["macos", library("/System/Library/Frameworks/Foundation"), library("/opt/x.so")],
      ["linux", library("/usr/bin/node"), library("[vdso]"), library("/System/Index/lib/libz")],
      ["linux", library("/usr/bin/node"), library("/lib/libc.so.6")],
      ["linux", library("/lib/ld-musl-x86_64.so.1")],
      ["unknown", library("/usr/bin/node")],
      ["unknown"],
    ] as const) {
      expect([libraries.map(({ path }) => path), platformOf(libraries)]).toEqual([
        libraries.map(({ path }) => path),
        platform,
      ]);
    }
  });
});

describe("a library of a log", () => {
  let folder = "";
  let path = "";
  beforeAll(() => {
    folder = testFolder();
    path = join(folder, "node");
    writeFileSync(path, elfImage({ symbols: [{ name: "main", value: 0x1000 }] }));
  });

  /** Where a file that is there was found, or why it was not looked for. */
  const locate = async (options: LocateOptions) => {
    const found = await locateLibrary(library(path), options);
    return "problem" in found ? found.problem : found.file;
  };

  it("is looked for on a machine that can have it", async () => {
    for (const [platform, host] of [
      ["linux", "linux"],
      ["unknown", "linux"],
      ["linux", "freebsd"],
      ["unknown", "darwin"],
    ] as const) {
      expect(await locate({ platform, host })).toBe(path);
    }
    // Here it is an ELF file, of course.
    expect(await locate({ platform: "macos", host: "darwin" })).toEqual({
      kind: "damaged",
      format: "Mach-O",
    });
  });

  it("is not looked for on a machine of another system", async () => {
    for (const [platform, host] of [
      ["windows", "linux"],
      ["windows", "darwin"],
      ["macos", "linux"],
      ["macos", "win32"],
      ["linux", "win32"],
      ["linux", "darwin"],
      ["unknown", "win32"],
    ] as const) {
      expect(await locate({ platform, host })).toEqual({ kind: "other-system", system: platform });
    }
  });

  it("is looked for where the user says, whatever its system", async () => {
    const target = folder;
    const file = join(folder, basename(path));
    expect(await locate({ platform: "linux", host: "win32", target })).toBe(file);
    expect(await locate({ platform: "unknown", host: "win32", target })).toBe(file);
    // It is there, but in the format of another system than the log's.
    expect(await locate({ platform: "macos", host: "linux", target })).toEqual({
      kind: "damaged",
      format: "Mach-O",
    });
    const apk = await locateLibrary(library("/data/app/base.apk"), {
      platform: "linux",
      host: "darwin",
      apkEmbeddedLibrary: path,
    });
    expect(apk).toMatchObject({ file: path });
  });

  it("from Windows is looked for as in a root folder, then by its name", async () => {
    const inside = join(folder, "Program Files", "nodejs");
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, "node.exe"), peImage({}));
    writeFileSync(join(folder, "addon.node"), peImage({}));
    const find = async (path: string) => {
      const found = await locateLibrary(library(path), { host: "linux", target: folder });
      return "problem" in found ? found.problem : found.file;
    };
    for (const root of ["C:\\", "d:/", "\\\\server\\share\\"]) {
      expect(await find(`${root}Program Files\\nodejs\\node.exe`)).toBe(join(inside, "node.exe"));
      expect(await find(`${root}a\\..\\..\\Program Files/nodejs/node.exe`)).toBe(join(inside, "node.exe"));
      expect(await find(`${root}app\\addon.node`)).toBe(join(folder, "addon.node"));
      expect(await find(`${root}gone.dll`)).toEqual({ kind: "not-found" });
    }
    expect(await find(`C:\\${basename(path)}`)).toEqual({ kind: "damaged", format: "PE" });
  });

  it("is told by its first bytes where the system of the log is not known", async () => {
    for (const [format, image] of [
      ["pe", peImage({})],
      ["mach-o", machOImage({})],
      ["mach-o", universalImage([machOImage({})])],
    ] as const) {
      writeFileSync(join(folder, "program"), image);
      const found = await locateLibrary(library(join(folder, "program")), {
        platform: "unknown",
        host: "linux",
      });
      expect(found).toMatchObject({ binary: { format } });
      const asLinux = { platform: "linux", host: "linux" } as const;
      expect(await locateLibrary(library(join(folder, "program")), asLinux)).toEqual({
        problem: { kind: "not-elf" },
      });
    }
  });

  it("tells alone where it is from when nothing else does", async () => {
    const host = "linux";
    const from = (system: string) => ({ problem: { kind: "other-system", system } });
    expect(await locateLibrary(library(path, 0x4000), { host })).toEqual(from("macos"));
    expect(await locateLibrary(library("C:\\x"), { host })).toEqual(from("windows"));
    expect(await locateLibrary(library("/usr/bin/node"), { host: "win32" })).toEqual(from("unknown"));
    expect(await locateLibrary(library("[vdso]"), { host: "win32" })).toEqual({ problem: undefined });
  });
});

const V8_11 = { major: 11, minor: 3, build: 244, patch: 8, embedder: "-node.38" };

describe("foreignV8", () => {
  let folder = "";
  beforeAll(() => {
    folder = testFolder();
  });
  const fileWith = (text: string, before = 100) => {
    const path = join(folder, "binary");
    writeFileSync(path, Buffer.concat([Buffer.alloc(before), Buffer.from(text), Buffer.alloc(100)]));
    return path;
  };

  it("is nothing for the binary that wrote the log", () => {
    expect(foreignV8(fileWith("\0v11.3.244.8-node.38\0 10.2.154.26-node.39"), V8_11)).toBeUndefined();
  });

  it("is the version of another Node", () => {
    expect(foreignV8(fileWith("\0v12.4.254.21-node.57\0"), V8_11)).toBe("12.4.254.21-node.57");
    expect(foreignV8(fileWith("no version"), V8_11)).toBe("another version");
  });

  it("finds a version across two reads", () => {
    for (const shift of [1, 5, 19]) {
      expect(foreignV8(fileWith("11.3.244.8-node.38", (1 << 22) - shift), V8_11)).toBeUndefined();
    }
  });

  it("knows nothing of a file that is not there", () => {
    expect(foreignV8(join(folder, "nowhere"), V8_11)).toBeUndefined();
  });
});

describe("holdsV8", () => {
  const tableOf = (...names: readonly string[]) => {
    const builder = new SymbolTableBuilder();
    for (const [i, name] of names.entries()) builder.add(i * 16, 16, name);
    return builder.build(0x10000);
  };

  it("tells by the names of functions", () => {
    expect(holdsV8(tableOf("main", "_ZN2v88internal4Heap4FreeEv"))).toBe(true);
    expect(holdsV8(tableOf("main", "malloc"))).toBe(false);
  });
});

describe("hasOtherBuiltins", () => {
  const builtins = Array.from({ length: 30 }, (_, i) => ({ start: i, name: `B${i}` }));
  const ask = (nameAt: (address: number) => string | undefined) => hasOtherBuiltins({ builtins, nameAt });

  it("compares the log's builtins with the symbols at their addresses", () => {
    expect(ask((at) => `Builtins_B${at}`)).toBe(false);
    expect(ask((at) => `Builtins_B${at + 1}`)).toBe(true);
  });

  it("knows nothing without symbols of builtins, or with few", () => {
    expect(ask(() => "memcpy")).toBe(false);
    expect(ask(() => undefined)).toBe(false);
    expect(ask((at) => (at < 5 ? "Builtins_Other" : undefined))).toBe(false);
  });
});

describe("MappedSymbols", () => {
  it("returns all addresses around one where the same function is found, and no others", () => {
    const random = createRandom(4);
    for (let round = 0; round < 8; round++) {
      // Disjoint and nested functions, in one to three segments with or without gaps.
      const starts = Array.from(new Set(Array.from({ length: 20 }, () => random(300)))).sort((a, b) => a - b);
      const ends = starts.map((start) => start + 1 + random(40));
      const table = {
        length: starts.length,
        starts: Float64Array.from(starts),
        ends: Float64Array.from(ends),
        name: String,
      };
      const segments = [0, 110, 230].slice(0, 1 + random(3)).map((at) => {
        const size = 90 + random(20);
        return { fileOffset: at + 1000, linkAddress: at, size };
      });
      const symbols = new MappedSymbols(table, { segments, buildId: undefined }, 5000, false);
      for (let address = 6000; address < 6400; address++) {
        const found = symbols.find(address);
        const range = symbols.rangeOf(address);
        if (found < 0) expect(range).toBe(undefined);
        if (range === undefined) continue;
        expect(range.start <= address && address < range.end).toBe(true);
        for (let at = range.start; at < range.end; at++) expect(symbols.find(at)).toBe(found);
        expect([symbols.find(range.start - 1), symbols.find(range.end)]).not.toContain(found);
      }
    }
  });
});

describe("isMappingOf", () => {
  const segment = (fileOffset: number, size: number) => ({ fileOffset, linkAddress: fileOffset, size });
  const START = 0x7f12_3450_0000;
  const isMapped = (length: number, segments = [segment(0x28000, 0x194f3d)], path = "/lib/libx.so.6") =>
    isMappingOf(segments, { path, start: START, end: START + length });

  it("is true of the pages of a segment, counted from the file's start or its own", () => {
    expect(isMapped(0x1bd000)).toBe(true);
    expect(isMapped(0x195000)).toBe(true);
    for (const length of [0x1bc000, 0x1be000, 0x194000, 0x196000, 0x17c000]) {
      expect(isMapped(length)).toBe(false);
    }
  });

  it("is true where any of several segments ends, as far as the rows go", () => {
    const three = [segment(0x76f000, 0x1e90), segment(0x772000, 0x1a8bca0), segment(0x2200000, 0x1f1)];
    for (const length of [0x771000, 0x21fe000, 0x2201000]) expect(isMapped(length, three)).toBe(true);
    expect(isMapped(0x2202000, three)).toBe(false);
  });

  it("is true on systems with larger pages", () => {
    expect(isMapped(0x1c0000)).toBe(true);
    expect(isMappingOf([segment(0x28000, 0x194f3d)], { path: "", start: 0x1000, end: 0x1c1000 })).toBe(false);
  });

  it("is true where nothing is known: without segments or a size, and in a package", () => {
    expect(isMapped(0x5000, [])).toBe(true);
    expect(isMapped(0)).toBe(true);
    expect(isMapped(0x123000, undefined, "/data/app/x/base.apk")).toBe(true);
  });
});

describe("loadLibrary", () => {
  const folder = testFolder();
  const path = join(folder, "libx.so.1");
  // Its code is 64 KB from 0x1000 on.
  writeFileSync(path, elfImage({ symbols: [{ name: "spin", value: 0x1000, size: 0x40 }], buildId: "ab01" }));
  const load = (end: number, options = {}) =>
    loadLibrary(
      { path, start: 0x7f0000000000, end: 0x7f0000000000 + end, slide: 0 },
      { sources: [elfSymbols()], platform: "linux", host: "linux", ...options },
    );
  const other = {
    symbols: undefined,
    info: { buildId: "ab01", problem: { kind: "other-code", buildId: "ab01" } },
  };

  it("takes no names from a file whose code ends elsewhere than in the log, unless it is told to", async () => {
    expect((await load(0x11000)).info).toMatchObject({ source: "elf", symbols: 1, problem: undefined });
    expect((await load(0x10000)).info).toMatchObject({ source: "elf", symbols: 1, problem: undefined });
    expect(await load(0x12000)).toMatchObject(other);
    expect((await load(0x12000, { forceSymbols: true })).info.symbols).toBe(1);
  });

  it("takes none from a file with another build id than the one that was saved", async () => {
    const recorded = (id: string, ...functions: string[]) =>
      readRecordedSymbols(
        ["ticks-symbols 1", `library ${path}`, `build-id ${id}`, ...functions, ""].join("\n"),
        "a",
      );
    const wrong = {
      symbols: undefined,
      info: { buildId: "cd02", problem: { kind: "other-id", buildId: "ab01" } },
    };
    // Its file had no functions where the log was recorded.
    expect((await load(0x11000, { recorded: recorded("ab01") })).info).toMatchObject({
      source: "elf",
      symbols: 1,
    });
    expect(await load(0x11000, { recorded: recorded("cd02") })).toMatchObject(wrong);
    const forced = { recorded: recorded("cd02"), forceSymbols: true };
    expect((await load(0x11000, forced)).info).toMatchObject({ source: "elf", symbols: 1 });
    // A file that the user names.
    const assigned = [{ library: "libx.so.1", binary: path }];
    const saved = ["segment 1000 1000 10000", "1000 40 spin()"];
    expect(await load(0x11000, { assigned, recorded: recorded("cd02", ...saved) })).toMatchObject(wrong);
    expect((await load(0x11000, { assigned, recorded: recorded("ab01", ...saved) })).info.source).toBe("elf");
  });

  it("takes none from a file of another build than one that had no symbols when the log was saved", async () => {
    const bare = join(folder, "libbare.so");
    writeFileSync(bare, elfImage({ symbols: [], buildId: "ab01" }));
    const [start, end] = [0x7f0000000000, 0x7f0000011000].map((address) => `0x${address.toString(16)}`);
    const log = logOf(...NODE_26, `shared-library,${bare},${start},${end},0`, tickAt(0x7f0000001010));
    const options = { name: "a.log", sources: [elfSymbols()], platform: "linux", host: "linux" } as const;
    const saved = await recordSymbols(chunksOf(log), options);
    const recorded = readRecordedSymbols(
      `${Array.from(writeRecordedSymbols(saved)).join("\n")}\n`,
      "a.symbols",
    );
    expect(recorded.get(bare)).toMatchObject({ buildId: "ab01", table: { length: 0 } });
    writeFileSync(
      bare,
      elfImage({ symbols: [{ name: "spin", value: 0x1000, size: 0x40 }], buildId: "ab01" }),
    );
    const leaves = async () => Object.keys(leavesOf(await profileOf(log, { ...options, recorded })));
    expect(await leaves()).toEqual(["spin"]);
    writeFileSync(
      bare,
      elfImage({ symbols: [{ name: "wrong", value: 0x1000, size: 0x40 }], buildId: "cd02" }),
    );
    expect(await leaves()).toEqual([bare]);
    // Saved again, it is still known which file is the right one.
    expect(await recordSymbols(chunksOf(log), { ...options, recorded })).toMatchObject([{ buildId: "ab01" }]);
  });

  it("takes none from saved symbols of such a file", async () => {
    const saved = [`library ${path}`, "build-id ab01", "segment 1000 1000 10000", "1000 40 spin()", ""];
    const recorded = readRecordedSymbols(["ticks-symbols 1", ...saved].join("\n"), "a.symbols");
    expect((await load(0x11000, { recorded })).info).toMatchObject({ source: "recorded", symbols: 1 });
    expect(await load(0x12000, { recorded })).toMatchObject(other);
    expect((await load(0x12000, { recorded, forceSymbols: true })).info.symbols).toBe(1);
  });
});

describe("damaged files of macOS and Windows", () => {
  it("cost nothing but their names", async () => {
    const property = fc.asyncProperty(binaries.arbitrary, async (input) => binaries.check(input));
    await expect(fc.assert(property, { seed: 18, numRuns: 400 })).resolves.toBeUndefined();
  });
});
