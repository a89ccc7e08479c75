import { describe, expect, it } from "vitest";
import { loadLibrary } from "../../src/symbols/load-library.ts";
import { demangle } from "../../src/symbols/readable-names.ts";
import { readableName, readWindowsMap } from "../../src/symbols/saved-symbols.ts";

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
  return (await demangle(names.map((name) => name ?? ""))).names;
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
