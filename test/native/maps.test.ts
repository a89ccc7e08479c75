import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyze } from "../../src/load/analyze.ts";
import { recordSymbols } from "../../src/load/record-symbols.ts";
import { elfSymbols } from "../../src/native/elf.ts";
import { loadLibrary } from "../../src/native/load-library.ts";
import { mappedBeside, parseProcessMap } from "../../src/native/process-map.ts";
import { demangle } from "../../src/native/readable-names.ts";
import { readableName, readWindowsMap } from "../../src/native/saved-symbols.ts";
import { LibraryMap } from "../../src/replay/libraries.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { chunksOf, leavesOf, logOf, NODE_26, tickAt } from "../helpers/logs.ts";

const line = (range: string, offset: string, path: string, permissions = "r-xp") =>
  `${range} ${permissions} ${offset} fe:00 326269                     ${path}\n`;

const NODE = line("00a00000-02e00000", "00600000", "/opt/bin/node");
const folder = testFolder();

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

/** As a Microsoft linker writes it for 64 bits; `CR LF` and all. */
const MAP_64 = [
  " node",
  "",
  " Timestamp is 5f7a1b2c (Sun Oct  4 19:01:00 2020)",
  "",
  " Preferred load address is 0000000140000000",
  "",
  " Start         Length     Name                   Class",
  " 0001:00000000 00002f00H .text$mn                CODE",
  " 0001:00002f00 00000100H .text$x                 CODE",
  " 0002:00000000 00001000H .rdata                  DATA",
  " 0003:00000000 00000080H _RDATA                  CODE",
  "",
  "  Address         Publics by Value              Rva+Base               Lib:Object",
  "",
  " 0000:00000000       __guard_flags              0000000000000000     <absolute>",
  " 0000:00000000       __ImageBase                0000000140000000     <linker-defined>",
  " 0001:00000000       main                       0000000140001000 f   node:node_main.obj",
  " 0001:00001000       ?Lookup@JSObject@internal@v8@@QEAAXXZ 0000000140002000 f   v8_base:objects.obj",
  " 0001:00001800       ?Run@?$CryptoJob@UPBKDF2Traits@crypto@node@@@crypto@node@@QEAAXXZ 0000000140002800 f i node:pbkdf2.obj",
  " 0002:00000000       ??_7JSObject@internal@v8@@6B@ 0000000140004000     v8_base:objects.obj",
  " 0003:00000000       farther                    0000000140005000 f   v8_base:far.obj",
  "",
  " entry point at        0001:00001234",
  "",
  " Static symbols",
  "",
  " 0001:00000800       hidden                     0000000140001800 f   v8_base:objects.obj",
  "",
].join("\r\n");

/** As V8's own test of its reader has it, with the line that linkers write before. */
const MAP_32 = [
  " Preferred load address is 00400000",
  " Start         Length     Name                   Class",
  " 0001:00000000 000ac902H .text                   CODE",
  " 0001:000ac910 000005e2H .text$yc                CODE",
  "  Address         Publics by Value              Rva+Base       Lib:Object",
  " 0000:00000000       ___ImageBase               00400000     <linker-defined>",
  " 0000:00000000       __except_list              00000000     <absolute>",
  " 0001:00000000       ?ReadFile@@YA?AV?$Handle@VString@v8@@@v8@@PBD@Z 00401000 f   shell.obj",
  " 0001:00001230       ??1UTF8Buffer@internal@v8@@QAE@XZ 00402230 f   v8_snapshot:scanner.obj",
  " 0001:000954ba       __fclose_nolock            004964ba f   LIBCMT:fclose.obj",
  " 0002:00000000       __imp__SetThreadPriority@8 004af000     kernel32:KERNEL32.dll",
  " Static symbols",
  " 0001:00000b70       ?DefaultFatalErrorHandler@v8@@YAXPBD0@Z 00401b70 f   v8_snapshot:api.obj",
].join("\r\n");

async function namesAt(map: string, start: number, size: number, ...addresses: readonly number[]) {
  const library = { path: "C:\\bin\\node.exe", start, end: start + size, slide: 0 };
  const assigned = [{ library: "node.exe", functions: readWindowsMap(map, "x.map")! }];
  const { symbols, info } = await loadLibrary(library, { sources: [], assigned });
  expect(info).toMatchObject({ source: "map", problem: undefined });
  const names = addresses.map((address) => {
    const index = symbols!.find(address);
    return index < 0 ? undefined : symbols!.table.name(index);
  });
  return (
    await demangle(
      names.map((name) => name ?? ""),
      { isHere: true },
    )
  ).names;
}

describe("the map of a Windows linker", () => {
  it("of 64 bits names code at its offset from the preferred address", async () => {
    const start = 0x7ff6a0000000;
    const names = await namesAt(
      MAP_64,
      start,
      0x10000,
      ...[0x1000, 0x17ff, 0x1800, 0x2010, 0x2810, 0x5040, 0x5080].map((offset) => start + offset),
    );
    expect(names.slice(0, 4)).toEqual(["main", "main", "hidden", "v8::internal::JSObject::Lookup"]);
    expect(names[4]).toMatch(/^node::crypto::CryptoJob<.*PBKDF2Traits>::Run/);
    expect(names.slice(5)).toEqual(["farther", ""]); // Its section of code ends there.
  });

  it("of 32 bits names C functions without the marks of their calling conventions", async () => {
    const names = await namesAt(MAP_32, 0xf30000, 0x17c000, 0xf31b70, 0xf32230, 0xfc64ba, 0xfddef1, 0xfddef2);
    expect(names).toEqual([
      "v8::DefaultFatalErrorHandler",
      "v8::internal::UTF8Buffer::~UTF8Buffer",
      "_fclose_nolock",
      "_fclose_nolock",
      "",
    ]);
    const [readFile] = await namesAt(MAP_32, 0xf30000, 0x17c000, 0xf31000);
    expect(readFile).toMatch(/^ReadFile/);
  });

  it("of LLVM has no flags, and may lack the list of sections or the line with the address", async () => {
    const rows = MAP_64.split("\r\n").map((row) => row.replace(/ f(?: i)? {1,3}(?=\S+$)/, "     "));
    const bare = rows.filter((row) => !/CODE|DATA|Preferred/.test(row)).join("\n");
    expect(await namesAt(rows.join("\n"), 0x10000, 0x10000, 0x12010)).toEqual([
      "v8::internal::JSObject::Lookup",
    ]);
    expect(await namesAt(bare, 0x10000, 0x10000, 0x12010, 0x15040)).toEqual([
      "v8::internal::JSObject::Lookup",
      expect.stringContaining("Run"),
    ]);
  });

  it("without functions is refused, other text is not known", () => {
    expect(() => readWindowsMap(" Preferred load address is 00400000\r\n", "x.map")).toThrow(
      "x.map: linker map without functions",
    );
    expect(readWindowsMap("Memory Configuration\n\nName  Origin  Length\n", "x")).toBeUndefined();
  });
});

describe("a name of Microsoft's compilers", () => {
  it("is read as far as it is made of names", () => {
    for (const [name, readable] of [
      ["?Lookup@JSObject@internal@v8@@QEAAXXZ", "v8::internal::JSObject::Lookup"],
      ["?f@@YAXXZ", "f"],
      ["??0JSObject@internal@v8@@QEAA@XZ", "v8::internal::JSObject::JSObject"],
      ["??1JSObject@v8@@QEAA@XZ", "v8::JSObject::~JSObject"],
      ["?f@?A0x12ab34cd@v8@@YAXXZ", "?f@?A0x12ab34cd@v8@@YAXXZ"],
      ["?f@v8@1@@YAXXZ", "?f@v8@1@@YAXXZ"],
      ["??_GJSObject@v8@@UEAAPEAXI@Z", "??_GJSObject@v8@@UEAAPEAXI@Z"],
      ["uv_run", "uv_run"],
      ["_main", "_main"],
    ] as const) {
      expect(readableName(name)).toBe(readable);
    }
  });

  it("of C in 32-bit code loses what says how it is called", () => {
    const names = ["_main", "_WinMain@16", "@fast@8", "___crt", "plain"];
    expect(names.map((name) => readableName(name, true))).toEqual([
      "main",
      "WinMain",
      "fast",
      "__crt",
      "plain",
    ]);
  });
});
