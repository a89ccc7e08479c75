import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { recordSymbols } from "../../src/record-symbols.ts";
import { isMappingOf } from "../../src/symbols/binary-trust.ts";
import { elfSymbols } from "../../src/symbols/elf.ts";
import { loadLibrary, MappedSymbols } from "../../src/symbols/load-library.ts";
import { readRecordedSymbols, writeRecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { chunksOf, leavesOf, logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

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
  const folder = mkdtempSync(join(tmpdir(), "ticks-load-"));
  const path = join(folder, "libx.so.1");
  afterAll(() => rmSync(folder, { recursive: true }));
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
