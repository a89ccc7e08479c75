import { describe, expect, it } from "vitest";
import { TicksError } from "../../src/errors.ts";
import { findAssigned, readSavedSymbols } from "../../src/symbols/saved-symbols.ts";

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
