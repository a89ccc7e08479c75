import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TicksError } from "../../src/base/errors.ts";
import { crc32 } from "../../src/io/crc32.ts";
import {
  type RecordedLibrary,
  type RecordedSymbols,
  readRecordedSymbols,
  writeRecordedSymbols,
} from "../../src/native/recorded-symbols.ts";
import { findAssigned, readSavedSymbols } from "../../src/native/saved-symbols.ts";
import { findSymbol, SymbolTableBuilder } from "../../src/native/symbol-table.ts";

const NM = "0000000000401000 0000000000000042 T main\n";
const MAP = " Preferred load address is 00400000\r\n 0001:00000000       _main   00401000 f   main.obj\r\n";

const RECORDED = [
  "ticks-symbols 1",
  "library /usr/bin/node",
  "segment 0 400000 10000",
  "401000 42 main",
  "library C:\\bin\\Node.exe",
  "segment 0 140000000 10000",
  "140001000 42 wmain",
  "",
].join("\n");

const read = (text: string, library = "node") => readSavedSymbols(text, { name: "x", library });

describe("a file of symbols for one library", () => {
  it("is known by what is in it", () => {
    expect([NM, `\ufeff${NM}`, MAP, RECORDED].map((text) => read(text).source)).toEqual([
      "nm-output",
      "nm-output",
      "map",
      "recorded",
    ]);
  });

  it("is refused with what to give instead when it is anything else", () => {
    for (const text of ["", "hello\n", "\x7fELF\x02\x01\x01", '{"nodes":[]}', "\n".repeat(1e5)]) {
      const error: unknown = (() => {
        try {
          return read(text);
        } catch (e) {
          return e;
        }
      })();
      expect(error).toBeInstanceOf(TicksError);
      expect(error).toMatchObject({
        code: "BAD_SYMBOLS",
        message: "x: unknown symbol format",
        hint: expect.stringContaining("nm -n -S"),
      });
    }
  });

  it("with symbols of several gives those of the library that is asked for, wherever it was", () => {
    const library = { path: "/opt/node", start: 0x400000, end: 0x410000, slide: 0 };
    for (const [asked, name] of [
      ["/usr/bin/node", "main"],
      ["node", "main"],
      ["/opt/other/node", "main"],
      ["NODE.EXE", "wmain"],
      ["c:/BIN/node.exe", "wmain"],
    ] as const) {
      expect(read(RECORDED, asked).mapTo(library, undefined).table.name(0)).toBe(name);
    }
    expect(() => read(RECORDED, "deno")).toThrow("x: no symbols for deno");
  });
});

describe("the library that symbols are given for", () => {
  const assigned = (...libraries: string[]) =>
    libraries.map((library) => ({ library, functions: { ...read(NM), source: library } }));
  const found = (path: string, ...libraries: string[]) =>
    findAssigned(assigned(...libraries), path)?.functions.source;

  it("is named by its path or by its name", () => {
    expect(found("/usr/bin/node", "/usr/bin/node")).toBe("/usr/bin/node");
    expect(found("/usr/bin/node", "node")).toBe("node");
    expect(found("[vdso]", "[vdso]")).toBe("[vdso]");
    for (const other of ["Node", "bin/node", "nod", "/usr/bin/", ""]) {
      expect(found("/usr/bin/node", other)).toBeUndefined();
    }
  });

  it("has either slash and no case on Windows", () => {
    const path = "C:\\Program Files\\nodejs\\node.exe";
    for (const name of [path, "c:/program files/NodeJS/node.exe", "node.exe", "NODE.EXE"]) {
      expect(found(path, name)).toBe(name);
    }
    expect(found("D:/bin/node.exe", "node.exe")).toBe("node.exe");
    expect(found(path, "nodejs/node.exe")).toBeUndefined();
  });

  it("has its path before its name, the later before the earlier", () => {
    expect(found("/bin/node", "/bin/node", "node")).toBe("/bin/node");
    const [first, second] = [read(NM), read(MAP)];
    const both = [
      { library: "node", functions: first },
      { library: "node", functions: second },
    ];
    expect(findAssigned(both, "/bin/node")?.functions).toBe(second);
  });
});

const FIXTURES = fileURLToPath(new URL("../../fixtures", import.meta.url));

function tableOf(...symbols: [number, number, string][]) {
  const builder = new SymbolTableBuilder();
  for (const [start, size, name] of symbols) builder.add(start, size, name);
  return builder.build(0x10000);
}

const textOf = (libraries: Iterable<RecordedLibrary>) =>
  Array.from(writeRecordedSymbols(libraries), (line) => `${line}\n`).join("");

/** All that is in saved symbols, to compare. */
const contentOf = (symbols: RecordedSymbols) =>
  Array.from(symbols, ([key, { table, ...library }]) => ({
    key,
    ...library,
    symbols: Array.from({ length: table.length }, (_, i) => [table.starts[i], table.ends[i], table.name(i)]),
  }));

function errorOf(text: string): TicksError {
  try {
    readRecordedSymbols(text, "x");
  } catch (error) {
    expect(error).toBeInstanceOf(TicksError);
    expect(error).toMatchObject({ code: "BAD_SYMBOLS" });
    return error as TicksError;
  }
  throw new Error(`taken: ${JSON.stringify(text)}`);
}

const segments = [{ fileOffset: 0x1000, linkAddress: 0x401000, size: 0x5000 }];

const library: RecordedLibrary = {
  path: "/opt/a\nb\\c",
  buildId: "00ff",
  segments,
  table: tableOf([0x401000, 16, "f(int, char)"], [0x401010, 0x20, "g\\n\n"]),
};

describe("saved symbols", () => {
  it("come back as they were written", () => {
    const read = readRecordedSymbols(textOf([library, { ...library, path: "/b", buildId: undefined }]), "x");
    expect(Array.from(read.keys())).toEqual(["/opt/a\nb\\c", "/b"]);
    const { table, ...rest } = read.get("/opt/a\nb\\c")!;
    expect(rest).toEqual({ path: library.path, buildId: "00ff", segments });
    expect([table.length, table.name(0), table.name(1)]).toEqual([2, "f(int, char)", "g\\n\n"]);
    expect([findSymbol(table, 0x40100f), findSymbol(table, 0x401010), findSymbol(table, 0x401030)]).toEqual([
      0, 1, -1,
    ]);
  });

  it("say how much follows, with a checksum", () => {
    expect(textOf([library])).toBe(
      [
        "ticks-symbols 2 lines 5 crc-32 0a640590",
        "library /opt/a\\nb\\\\c",
        "build-id 00ff",
        "segment 1000 401000 5000",
        "401000 10 f(int, char)",
        "401010 20 g\\\\n\\n",
        "",
      ].join("\n"),
    );
    expect(textOf([])).toBe("ticks-symbols 2 lines 0 crc-32 00000000\n");
    expect(readRecordedSymbols(textOf([]), "x").size).toBe(0);
  });

  it("have names that are safe to show, and come back equal", () => {
    const names = [
      "\x1b[31mred\x07\x7f",
      "\x9b31m C1 \x85",
      "tab\tnul\0",
      "bidi \u202etxt.exe\u2066 \u200f\u061c",
      "lines \u2028\u2029\r\n",
      "half \ud800 and \udfff",
      "no width \u200b\ufeff, damaged \ufffd",
      "\\u{41} \\x41 \\\\ \\",
      "é 漢字 😀 \u{1f468}\u200d",
      "",
      " ",
    ];
    const table = tableOf(...names.map((name, i): [number, number, string] => [0x401000 + i * 16, 16, name]));
    const text = textOf([{ path: names.join(), buildId: undefined, segments, table }]);
    expect(text.replaceAll("\n", "")).not.toMatch(
      /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066\ufeff\ufffd\ud800-\udfff]/u,
    );
    expect(text).toContain("401030 10 bidi \\u{202e}txt.exe\\u{2066} \\u{200f}\\u{61c}\n");
    expect(text).toContain("é 漢字 😀");
    // As bytes, too.
    const [read] = contentOf(readRecordedSymbols(Buffer.from(text).toString(), "x"));
    expect(read!.symbols.map(([, , name]) => name)).toEqual(names);
    expect(read!.path).toBe(names.join());
  });

  it("keep what is known of builtins, in a version of their own", () => {
    const builtins = new Map([
      ["Load", { size: 4242, isCalled: true, frameless: [0, 390, 400, 402] }],
      ["of \n", { size: 16, isCalled: false, frameless: [] }],
    ]);
    const text = textOf([library, { ...library, path: "/b", builtins }]);
    expect(text).toMatch(/^ticks-symbols 3 /);
    expect(text).toContain("\nbuiltin 1092 called 0-186,190-192 Load\nbuiltin 10 alone - of \\n\n");
    const read = readRecordedSymbols(text, "x");
    expect(Array.from(read.values(), (found) => found.builtins)).toEqual([undefined, builtins]);
    const other = text.replace("symbols 3", "symbols 2");
    expect(errorOf(other).message).toMatch(/invalid line|does not match/);
    const plain = textOf([library]).replace("symbols 2", "symbols 3");
    expect(errorOf(plain).message).toBe("x is damaged: it has no builtins");
  });

  it("refuse builtins that are not as written", () => {
    const line = "builtin 10 alone - Load\n";
    const builtins = new Map([["Load", { size: 16, isCalled: false, frameless: [] }]]);
    const text = textOf([{ ...library, builtins }]);
    for (const bad of [
      "builtin 10 alone 5-3 Load\n",
      "builtin 10 alone - \n",
      `${line}${line}`,
      "builtin 10\n",
    ]) {
      const body = text.slice(text.indexOf("\n") + 1).replace(line, bad);
      const lines = body.split("\n").length - 1;
      const checksum = crc32(Buffer.from(body)).toString(16).padStart(8, "0");
      expect(errorOf(`ticks-symbols 3 lines ${lines} crc-32 ${checksum}\n${body}`).message).toMatch(
        /invalid line/,
      );
    }
  });

  it("are refused where one byte was changed", () => {
    const bytes = Buffer.from(textOf([library, { ...library, path: "/ü/b" }]));
    for (let i = 0; i < bytes.length; i++) {
      const flips = [1, 2, 4, 8, 16, 32, 64, 128, 255].map((bits) => bytes[i]! ^ bits);
      for (const byte of new Set([...flips, 0, 10, 13, 32, 48, 92].filter((b) => b !== bytes[i]))) {
        const changed = Buffer.from(bytes);
        changed[i] = byte;
        errorOf(changed.toString());
      }
    }
  });

  it("are refused where they were cut, or something was added", () => {
    const bytes = Buffer.from(textOf([library, { ...library, path: "/ü/b" }]));
    for (let length = 0; length < bytes.length; length++) {
      const { message, hint } = errorOf(bytes.subarray(0, length).toString());
      expect(message).toMatch(length < 14 ? /^x: not a symbols file$/ : /^x is damaged: /);
      expect(hint).toMatch(/ticks symbols LOG/);
    }
    for (const more of ["\n", "a", "401040 1 h\n", "library /c\n"]) errorOf(`${bytes}${more}`);
    const lines = bytes.toString().split("\n");
    expect(errorOf(`${lines.slice(0, 4).join("\n")}\n`).message).toBe("x is damaged: it has 3 of 10 lines");
    [lines[4], lines[5]] = [lines[5]!, lines[4]!];
    expect(errorOf(lines.join("\n"))).toMatchObject({
      message: "x is damaged: its checksum does not match",
      hint: "Write it again on the machine with the log's binaries: ticks symbols LOG",
    });
  });

  it("of a later version are told from damaged ones", () => {
    expect(errorOf("ticks-symbols 4\nmagic\n")).toMatchObject({
      message: "x: symbols file of version 4, but this program reads only up to 3",
      hint: expect.stringMatching(/^Use a newer ticks/),
    });
  });

  it("are read in linear time, also where they are one long line", () => {
    for (const line of [
      " ".repeat(2e6),
      "\\".repeat(2e6),
      `401000 10 ${" a".repeat(1e6)}`,
      "0".repeat(2e6),
    ]) {
      errorOf(`ticks-symbols 1\nlibrary /a\nsegment 0 0 1\n${line}`);
      errorOf(`ticks-symbols 1\n${line}\n`);
    }
    errorOf(`ticks-symbols 1\nlibrary /a\n${"401000 10 f\n".repeat(1e6)}`);
  });
});

describe("saved symbols of version 1", () => {
  const old = (text: string) => text.replace(/^.*/, "ticks-symbols 1");

  it("are still read", () => {
    const files = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".symbols"),
    );
    expect(files.length).toBeGreaterThan(20);
    for (const file of files) {
      const text = readFileSync(join(FIXTURES, file), "utf8");
      expect(text).toMatch(/^ticks-symbols [23] /);
      const content = contentOf(readRecordedSymbols(text, file));
      expect(content[0]!.symbols.length).toBeGreaterThan(0);
      const withoutBuiltins = content.map((library) => ({ ...library, builtins: undefined }));
      const plain = text.replace(/^builtin .*\n/gm, "");
      expect(contentOf(readRecordedSymbols(old(plain), file))).toEqual(withoutBuiltins);
    }
  });

  it("have only the escapes of their time", () => {
    const [read] = contentOf(
      readRecordedSymbols("ticks-symbols 1\nlibrary /a\\nb\\\\c\\u{41}\n10 20 \\x41\\r\x85\n", "x"),
    );
    expect([read!.path, read!.symbols]).toEqual(["/a\nb\\c\\u{41}", [[16, 48, "\\x41\r\x85"]]]);
  });

  it("are refused with the line when they are something else", () => {
    expect(errorOf("hello\n").message).toBe("x: not a symbols file");
    for (const line of [
      "10 20 orphan",
      "library /a\nzz 10 f",
      "library /a\nsegment 1 2",
      "library /a\nsegment 1 2 3 4",
      "library /a\n10 f",
      "library /a\n20 1 f\n10 1 g",
      "library /a\n20 1 f\n20 1 g",
      "library /a\n20 1 f\nsegment 1 2 3",
      "library /a\n20 1 f\nbuild-id 00",
      "library /a\nbuild-id 00\nbuild-id 00",
      "library /a\nbuild-id xyz",
      "library /a\n10000000000000000 1 f",
      "library /a\n",
    ]) {
      expect(errorOf(`ticks-symbols 1\n${line}\n`).message).toMatch(/^x:\d: invalid line/);
    }
    expect(errorOf("ticks-symbols 1\nlibrary /a\n10 20 f").message).toBe(
      "x is damaged: it ends inside a line",
    );
    expect(errorOf("ticks-symbols 1 \nlibrary /a\n").message).toBe("x is damaged: its first line is invalid");
  });

  it("let the last function without a size reach to the end of the code, which can be saved again", () => {
    const read = readRecordedSymbols("ticks-symbols 1\nlibrary /a\nsegment 0 0 100\n10 0 f\n", "x");
    const content = contentOf(read);
    expect(content[0]!.symbols).toEqual([[16, 256, "f"]]);
    expect(contentOf(readRecordedSymbols(textOf(read.values()), "x"))).toEqual(content);
  });
});

describe("SymbolTableBuilder", () => {
  const names = (...symbols: [number, number, string][]) => {
    const table = tableOf(...symbols);
    return (address: number) => {
      const index = findSymbol(table, address);
      return index < 0 ? undefined : table.name(index);
    };
  };

  it("keeps the first of several symbols at one address", () => {
    expect(names([16, 8, "a"], [16, 8, "b"])(20)).toBe("a");
  });

  it("takes the nearest symbol below, and only within its size", () => {
    const at = names([0, 100, "outer"], [10, 5, "inner"]);
    expect([at(5), at(12), at(20)]).toEqual(["outer", "inner", undefined]);
  });

  it("lets a symbol without a size reach to the next", () => {
    const at = names([10, 0, "a"], [30, 5, "b"], [40, 0, "last"]);
    expect([at(29), at(30), at(35), at(50)]).toEqual(["a", "b", undefined, "last"]);
  });

  it("leaves out a symbol without a size inside the function before it", () => {
    expect(names([0, 100, "f"], [10, 0, "label"], [50, 0, "other"], [100, 5, "g"])(20)).toBe("f");
  });
});
