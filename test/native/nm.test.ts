import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type ElfFile, readElfFile } from "../../src/native/binary-file.ts";
import { loadLibrary } from "../../src/native/load-library.ts";
import { parseNmLine, readNmOutput } from "../../src/native/saved-symbols.ts";
import { canRun, nmSource } from "../../src/native/sources.ts";
import type { Library, LibraryFile } from "../../src/native/symbol-source.ts";
import { libraryOf, textsOf } from "../helpers/binary-functions.ts";
import { elfImage } from "../helpers/elf-image.ts";
import { testFolder } from "../helpers/folder.ts";
import { machOImage } from "../helpers/mach-o-image.ts";

const text = (...lines: readonly string[]) => `${lines.join("\n")}\n`;

const library = (path: string, start: number, end: number, slide = 0): Library => ({
  path,
  start,
  end,
  slide,
});

/** What is at addresses of the process, by nm output alone. */
async function namesAt(output: string, where: Library, ...addresses: readonly number[]) {
  const functions = readNmOutput(output, "x.nm")!;
  const assigned = [{ library: where.path, functions }];
  const { symbols } = await loadLibrary(where, { sources: [], assigned });
  return addresses.map((address) => {
    const index = symbols?.find(address) ?? -1;
    return index < 0 ? undefined : symbols!.table.name(index);
  });
}

describe("a line of nm", () => {
  it("is a function with or without a size", () => {
    expect(parseNmLine("0000000000a1b2c0 0000000000000042 T f(int, char)")).toEqual({
      start: 0xa1b2c0,
      size: 0x42,
      name: "f(int, char)",
    });
    expect(parseNmLine("08049790 t _init")).toEqual({ start: 0x8049790, size: 0, name: "_init" });
    for (const line of ["                 U free", "0000000000a1b2c0 D data", "", "a.out:"]) {
      expect(parseNmLine(line)).toBeUndefined();
    }
  });
});

describe("saved nm output", () => {
  const GNU = [
    "                 U abort@GLIBC_2.2.5",
    "0000000000001000 T _init",
    "0000000000001100 0000000000000040 T _ZN2v88internal4Heap3runEv",
    "0000000000001200 0000000000000010 W operator delete[](void*)",
    "0000000000001210 0000000000000020 D table",
    "0000000000001300 0000000000000080 t uv_run",
  ];
  const lib = library("/usr/lib/libnode.so", 0x7f0000000000, 0x7f0000002000);

  it("of a relocatable library has offsets from its start", async () => {
    const at = (offset: number) => lib.start + offset;
    expect(
      await namesAt(text(...GNU), lib, at(0x10f0), at(0x1110), at(0x1140), at(0x1208), at(0x137f)),
    ).toEqual(["_init", "_ZN2v88internal4Heap3runEv", undefined, "operator delete[](void*)", "uv_run"]);
  });

  it("of an executable at a fixed address has addresses of the process", async () => {
    const fixed = text(
      "0000000000401000 0000000000000100 T main",
      "0000000000402000 0000000000000100 t later",
    );
    const node = library("/usr/bin/node", 0x400000, 0x500000);
    expect(await namesAt(fixed, node, 0x401080, 0x402080, 0x401180)).toEqual(["main", "later", undefined]);
  });

  it("is placed by the code where the log of an old Node has no more of the file", async () => {
    const code = library("/lib/libc.so", 0x7f0000022000, 0x7f0000024000);
    const output = text(
      "0000000000022010 0000000000000010 T first",
      "0000000000023ff0 0000000000000010 T last",
      "0000000000026000 W data_start",
      "0000000000026008 t __frame_dummy_init_array_entry",
    );
    expect(await namesAt(output, code, 0x7f0000022018, 0x7f0000023ff8)).toEqual(["first", "last"]);
  });

  it("is some pages lower in the file than in memory where that alone makes it fit", async () => {
    const deno = library("/bin/deno", 0x550000000000, 0x550000005000);
    const output = text("0000000000003000 0000000000000010 T f", "0000000000005800 0000000000000010 T g");
    expect(await namesAt(output, deno, 0x550000002008, 0x550000004808)).toEqual(["f", "g"]);
    const small = library("/bin/deno", 0x550000000000, 0x550000001000);
    expect(await namesAt(output, small, 0x550000000008)).toEqual([undefined]);
  });

  it("may be unsorted, without sizes, with CR LF at the ends of lines", async () => {
    const output = ["0000000000001200 T b", "0000000000001100 T a", "0000000000001300 T c", ""].join("\r\n");
    const names = await namesAt(output, lib, lib.start + 0x11ff, lib.start + 0x1200, lib.start + 0x1fff);
    expect(names).toEqual(["a", "b", "c"]);
  });

  it("has the first of several names at one address, with a size if any has one", async () => {
    const output = text(
      ...["0000000000001100 T a", "0000000000001100 t b", "0000000000001200 t label"],
      ...["0000000000001200 0000000000000020 t c", "0000000000001200 0000000000000030 t d"],
    );
    const at = (offset: number) => lib.start + offset;
    expect(await namesAt(output, lib, at(0x1100), at(0x1200), at(0x1228))).toEqual(["a", "c", undefined]);
  });

  it("of LLVM for ARM leaves out the marks of code", async () => {
    const output = text(
      "0000000000001100 t $x.4",
      "0000000000001200 t $x",
      "0000000000001200 0000000000000010 t g",
    );
    expect(await namesAt(output, lib, lib.start + 0x1100, lib.start + 0x1208)).toEqual([undefined, "g"]);
  });

  it("goes by the headers of the file where that is at hand and can be the right one", () => {
    const elf: ElfFile = {
      format: "elf",
      segments: [{ fileOffset: 0x1000, linkAddress: 0x2000, size: 0x500 }],
      buildId: "ab",
      isFixed: false,
    };
    const inside = readNmOutput(text("0000000000002000 T f", "0000000000002500 T _etext"), "x")!;
    expect(inside.mapTo(lib, elf)).toMatchObject({ segments: elf.segments, buildId: "ab" });
    const outside = readNmOutput(text("0000000000002000 T f", "0000000000009000 T g"), "x")!;
    expect(outside.mapTo(lib, elf)).toMatchObject({ buildId: undefined });
  });

  it("of several files is refused, other text is not known", () => {
    const two = text("node (for architecture x86_64):", ...GNU, "", "node (for architecture arm64):", ...GNU);
    expect(() => readNmOutput(two, "x.nm")).toThrow("x.nm: nm output of several files");
    expect(readNmOutput(text("/usr/bin/node:", ...GNU), "x")).toBeDefined();
    for (const other of ["", "hello\n", "                 U abort\n", "main T 401000 42\n"]) {
      expect(readNmOutput(other, "x")).toBeUndefined();
    }
  });
});

describe("nm output of macOS", () => {
  const MAC = text(
    "                 U _free",
    "0000000100000000 T __mh_execute_header",
    "0000000100001000 T _main",
    "0000000100001100 t __ZN2v88internal4Heap3runEv",
    "0000000100001200 t -[Foo bar:]",
    "0000000100001300 T ___gxx",
    "0000000100001400 t ____ZN4node3runEv_block_invoke",
    "0000000100002000 D _data",
  );
  const names = ["main", "_ZN2v88internal4Heap3runEv", "-[Foo bar:]", "__gxx"];

  it("has link addresses below those of the process by the slide, and an underscore more in names", async () => {
    const slide = 0x4a3c000;
    const node = library("/opt/node", 0x100001000 + slide, 0x100001500 + slide, slide);
    const at = (link: number) => link + slide;
    expect(await namesAt(MAC, node, ...[0x100001000, 0x100001180, 0x100001210, 0x1000013ff].map(at))).toEqual(
      names,
    );
    expect(await namesAt(MAC, node, at(0x1000014ff), at(0x100001500))).toEqual([
      "___ZN4node3runEv_block_invoke",
      undefined,
    ]);
  });

  it("is placed by its first function where the log of an old Node has no slide", async () => {
    for (const slide of [0, 0x4a3c000]) {
      const node = library("/opt/node", 0x100001000 + slide, 0x100001500 + slide);
      expect(await namesAt(MAC, node, 0x100001180 + slide)).toEqual([names[1]]);
    }
  });

  it("without any function but the header is not known", () => {
    expect(readNmOutput("0000000100000000 T __mh_execute_header\n", "x")).toBeUndefined();
  });

  it("is not mistaken for GNU's without sizes", async () => {
    const lib = library("/lib/x.so", 0x7f0000000000, 0x7f0000002000);
    const output = text("0000000000001000 T _init", "0000000000001100 T _ZN1aEv", "0000000000001200 T main");
    expect(await namesAt(output, lib, lib.start + 0x1000, lib.start + 0x1100)).toEqual(["_init", "_ZN1aEv"]);
  });
});

describe("nm output of a Windows image", () => {
  it("is placed by the base that it was linked for", async () => {
    const output = text("0000000140001000 T main", "0000000140002000 T uv_run");
    const node = library("C:\\node.exe", 0x7ff6a0000000, 0x7ff6a0100000);
    expect(await namesAt(output, node, 0x7ff6a0001008, 0x7ff6a0002008)).toEqual(["main", "uv_run"]);
  });
});

describe.skipIf(process.platform === "win32")("an nm (needs a shell)", () => {
  const folder = testFolder();

  const at = (name: string) => join(folder, name);
  function script(name: string, text: string): string {
    writeFileSync(at(name), `#!/bin/sh\n[ "$1" = --version ] && exit\n${text}\n`);
    chmodSync(at(name), 0o755);
    return at(name);
  }
  function library(name = "lib.so"): LibraryFile {
    const file = at(name);
    writeFileSync(file, elfImage({ symbols: [{ name: "main", value: 0x1100, size: 0x10 }] }));
    return { path: file, file, binary: readElfFile(file)!, start: 0, end: 0, slide: 0, base: 0 };
  }
  const limits = { milliseconds: 300, bytes: 1000 };
  const load = (program: string, found = library()) => nmSource({ program, limits }).load(found);
  const LINE = "0000000000001100 0000000000000010 T main";

  it("gets the file by its whole path, after the end of the options, elsewhere, without secrets", async () => {
    const program = script("tell", `printf '%s\\n' "$*" "$PWD" "$TOKEN" >> ${at("told")}\necho '${LINE}'`);
    process.env.TOKEN = "secret";
    const found = library("-o.so");
    const table = await load(program, { ...found, file: relative(process.cwd(), found.file) });
    delete process.env.TOKEN;
    expect(table).toMatchObject({ length: 1 });
    expect(readFileSync(at("told"), "utf8").split("\n")).toEqual([
      `-n -S -- ${at("-o.so")}`,
      "/",
      "",
      `-n -S -D -- ${at("-o.so")}`,
      "/",
      "",
      "",
    ]);
  });

  it("has names without the underscore that Mach-O files have before each", async () => {
    const file = at("lib.dylib");
    writeFileSync(file, machOImage({}));
    const found = await libraryOf(file, "mach-o");
    const lines = ["_main", "__ZN1a1bEv", "plain"].map((name, i) => `0000000100001${i}00 T ${name}`);
    const table = await load(script("prints-mac", `printf '%s\\n' '${lines.join("' '")}'`), found);
    expect("kind" in table ? [] : textsOf(table).map((text) => text.replace(/^\S+ /, ""))).toEqual([
      "main",
      "_ZN1a1bEv",
      "plain",
    ]);
  });

  it("that never ends is stopped, and so is one that only what it started keeps from ending", async () => {
    const said = { kind: "tool-stopped" };
    expect(await load(script("sleeps", `echo '${LINE}'\nexec sleep 600`))).toMatchObject(said);
    expect(
      await load(script("has-child", `echo '${LINE}'\nsleep 600 & echo $! > ${at("child")}\nwait`)),
    ).toMatchObject(said);
    process.kill(Number(readFileSync(at("child"), "utf8")));
  });

  it("that prints without end is stopped", async () => {
    for (const text of [`while :; do echo '${LINE}'; done`, "exec cat /dev/zero"]) {
      const source = nmSource({
        program: script("prints", text),
        limits: { ...limits, milliseconds: 20_000 },
      });
      expect(await source.load(library())).toMatchObject({ kind: "tool-stopped" });
    }
  });

  it("has lines that are too long left out", async () => {
    const program = script("long", `head -c 3000000 /dev/zero | tr '\\0' 'a'\necho\necho '${LINE}'`);
    const source = nmSource({ program });
    expect(await source.load(library())).toMatchObject({ length: 1 });
  });

  it("is not there where it cannot be run", async () => {
    expect(await canRun(script("fine", "exit 3"))).toBe(true);
    expect(await canRun(at("nowhere"))).toBe(false);
    writeFileSync(at("no-program"), "");
    expect(await canRun(at("no-program"))).toBe(false);
    expect(existsSync(at("lib.so"))).toBe(true);
    expect(await load(at("lib.so"))).toEqual({ kind: "tool-failed", tool: at("lib.so") });
  });
});
