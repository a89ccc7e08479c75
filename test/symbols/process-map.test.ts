import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { analyze } from "../../src/analyze.ts";
import { recordSymbols } from "../../src/record-symbols.ts";
import { LibraryMap } from "../../src/recorder/libraries.ts";
import { elfSymbols } from "../../src/symbols/elf.ts";
import { mappedBeside, parseProcessMap } from "../../src/symbols/process-map.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { chunksOf, leavesOf, logOf, NODE_26, tickAt } from "../helpers/logs.ts";

const line = (range: string, offset: string, path: string, permissions = "r-xp") =>
  `${range} ${permissions} ${offset} fe:00 326269                     ${path}\n`;
const NODE = line("00a00000-02e00000", "00600000", "/opt/bin/node");
const folder = mkdtempSync(join(tmpdir(), "ticks-maps-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("parseProcessMap", () => {
  it("returns the code of files, each library as V8 would log it", () => {
    const text = [
      NODE,
      line("7f0000000000-7f0000001000", "00000000", "/lib/a b.so", "r--p"),
      line("7f0000001000-7f0000003000", "00001000", "/lib/a b.so"),
      line("7f0000005000-7f0000006000", "00005000", "/lib/a b.so"),
      line("7f0000010000-7f0000011000", "00001000", "/srv/größe\\012x.node"),
      line("7f0000020000-7f0000021000", "00000000", "[vdso]"),
      "7f0000030000-7f0000031000 r-xp 00000000 00:00 0 \n",
    ];
    const a = { path: "/lib/a b.so", start: 0x7f0000000000, end: 0x7f0000006000, slide: 0 };
    const addon = { path: "/srv/größe\nx.node", start: 0x7f000000f000, end: 0x7f0000011000, slide: 0 };
    expect(parseProcessMap(text.join(""))).toEqual([
      {
        from: 0xa00000,
        to: 0x2e00000,
        library: { path: "/opt/bin/node", start: 0x400000, end: 0x2e00000, slide: 0 },
      },
      { from: 0x7f0000001000, to: 0x7f0000003000, library: a },
      { from: 0x7f0000005000, to: 0x7f0000006000, library: a },
      { from: 0x7f0000010000, to: 0x7f0000011000, library: addon },
    ]);
  });

  it("takes nothing from other text, from a cut last line, and from lines beyond a limit", () => {
    for (const text of [
      "",
      "x\n",
      NODE.trimEnd(),
      line("9000-1000", "0", "/a"),
      line("1000-2000", "9000", "/a"),
    ]) {
      expect(parseProcessMap(text)).toEqual([]);
    }
    expect(parseProcessMap(NODE.repeat(20_000))).toHaveLength(16_384);
  });
});

describe("mappedBeside", () => {
  it("reads a regular file of sane size beside the log, by the PID", () => {
    const log = join(folder, "isolate-0x1-7-v8.log");
    writeFileSync(join(folder, "process-7.maps"), NODE);
    mkdirSync(join(folder, "process-8.maps"));
    writeFileSync(join(folder, "process-9.maps"), NODE.repeat(2 ** 16));
    expect(mappedBeside(log, 7)).toHaveLength(1);
    for (const pid of [8, 9, 10, undefined]) expect(mappedBeside(log, pid)).toEqual([]);
  });
});

describe("LibraryMap", () => {
  const ADDON = line("7f0000011000-7f0000012000", "00001000", "/srv/addon.node");
  const mapped = parseProcessMap(
    NODE + line("7f0000040000-7f0000050000", "01627000", "/opt/bin/node") + ADDON,
  );
  const node = { path: "/opt/bin/node", start: 0x400000, end: 0x2e00000, slide: 0 };

  it("has the code of a saved map where the log has no library", () => {
    const map = new LibraryMap(mapped);
    map.add(node);
    expect(map.find(0x7f0000011010)).toBe(1);
    expect(map.libraries[1]).toMatchObject({ path: "/srv/addon.node", start: 0x7f0000010000 });
    expect([0x500000, 0x7f0000010010, 0x7f0000012000].map((at) => map.find(at))).toEqual([0, -1, -1]);
    expect(map.isUniform(0x7f0000011000, 0x7f0000012000)).toBe(true);
    expect(map.isUniform(0x7f0000011000, 0x7f0000012001)).toBe(false);
    // V8's builtins, a second time.
    expect(map.find(0x7f0000040010)).toBe(-1);
  });

  it("has none of a map of another process", () => {
    expect(new LibraryMap(mapped).find(0x7f0000011010)).toBe(-1);
    const map = new LibraryMap(mapped);
    map.add(node);
    map.add({ ...node, start: 0x7000_0000, end: 0x7100_0000 });
    expect(map.find(0x7f0000011010)).toBe(-1);
  });
});

describe.skipIf(process.platform !== "linux")("an addon that was loaded after the start", () => {
  // Its code is 64 KB from 0x1000 on.
  const path = join(folder, "hash.node");
  writeFileSync(path, elfImage({ symbols: [{ name: "rounds", value: 0x1000, size: 0x40 }] }));
  const log = logOf(
    ...NODE_26,
    "shared-library,/opt/bin/node,0x400000,0x2e00000,0",
    ...[0x7f0000001008, 0x7f0000001020, 0x7f0000002000, 0x7f0000011000].map(tickAt),
  );
  const mapped = parseProcessMap(NODE + line("7f0000001000-7f0000011000", "00001000", path));
  const options = { sources: [elfSymbols()], mapped };

  it("has its functions, from the map of the process", async () => {
    expect(leavesOf(await analyze(chunksOf(log), options))).toEqual({ rounds: 2, [path]: 1, UNKNOWN: 1 });
    expect(leavesOf(await analyze(chunksOf(log, 50), options))).toEqual({ rounds: 2, [path]: 1, UNKNOWN: 1 });
  });

  it("is in the saved symbols", async () => {
    const saved = await recordSymbols(chunksOf(log), { ...options, name: "log" });
    expect(saved.map((one) => [one.path, one.table.name(0)])).toEqual([[path, "rounds"]]);
    const recorded = new Map(saved.map((one) => [one.path, one]));
    const profile = await analyze(chunksOf(log), { mapped, recorded });
    expect(leavesOf(profile)).toMatchObject({ rounds: 2 });
  });
});
