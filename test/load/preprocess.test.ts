import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { PREPROCESS_ROWS, PreprocessVisitor } from "../../src/load/preprocess/logged-code.ts";
import { preprocessLines } from "../../src/load/preprocess/preprocess-lines.ts";
import { nameLibraries, vmSymbolLines } from "../../src/load/preprocess/vm-symbols.ts";
import { LogReader } from "../../src/load/read-log.ts";
import type { LibraryFunction } from "../../src/native/readable-names.ts";
import type { Library, SymbolSource } from "../../src/native/symbol-source.ts";
import type { VmState } from "../../src/profile/vm-state.ts";
import { LibraryLoader } from "../../src/replay/libraries.ts";
import { testFolder } from "../helpers/folder.ts";
import { logOf, NODE_26 } from "../helpers/logs.ts";
import { withFunctions } from "../helpers/named-libraries.ts";

interface Json {
  code: Record<string, unknown>[];
  functions: { name: string; codes: number[] }[];
  ticks: { tm: number; vm: number; s: number[] }[];
  scripts: ({ id: number; url: string; name: string; source: string } | null)[];
}

interface Case {
  /** Whether to keep the ticks of a VM state. Default: keeps all. */
  readonly includes?: (state: VmState) => boolean;
  /** As `withFunctions` takes them. */
  readonly functions?: Readonly<Record<string, readonly string[]>>;
}

/** As {@link preprocessLog}, of a file with several runs. */
function preprocessRuns(runs: readonly (readonly string[])[], options: Case): Promise<Json> {
  return preprocessLog(logOf(...runs.flatMap((rows) => [...NODE_26, ...rows, "profiler,end"])), options);
}

function preprocess(rows: readonly string[], options: Case = {}): Promise<Json & { faults: string[] }> {
  return preprocessLog(logOf(...NODE_26, ...rows), options);
}

async function preprocessLog(
  log: Uint8Array,
  { functions = {}, includes }: Case,
): Promise<Json & { faults: string[] }> {
  const visitor = new PreprocessVisitor(includes);
  const openLoader = () => new LibraryLoader({ sources: [] });
  const reader = new LogReader({ range: {}, visitor, optionalRows: PREPROCESS_ROWS, openLoader });
  reader.parser.push(log);
  reader.parser.end();
  const runs = reader.finish();
  visitor.finish();
  const libraries = await withFunctions(visitor.libraries, functions);
  const json = JSON.parse(Array.from(preprocessLines(visitor, libraries)).join("\n")) as Json;
  const faults = runs.flatMap(({ diagnostics }) => diagnostics.map(({ code, count }) => `${code}×${count}`));
  return { ...json, faults };
}

/** The stacks of the ticks with names for ids: `name+offset`, `?address`, leaf first. */
function stacks({ code, ticks }: Json): string[] {
  return ticks.map(({ s }) =>
    s
      .flatMap((id, i) => (i % 2 > 0 ? [] : id < 0 ? `?${s[i + 1]}` : `${code[id]?.name}+${s[i + 1]}`))
      .join(" "),
  );
}

const NODE = "shared-library,/bin/node,0x400000,0x500000,0";
const FUNCTIONS = { "/bin/node": ["100 100 main", "200 80 Builtins_Add", "300 40 uv_run"] };

function code(address: string, name: string, sfi: string, tier = "~"): string {
  return `code-creation,JS,10,77,${address},256,${name},${sfi},${tier}`;
}

function tick(pc: string, ...frames: readonly string[]): string {
  return ["tick", pc, "1000", "0", "0x0", "0", ...frames].join();
}

describe("preprocessLines", () => {
  it("writes code, functions, ticks and scripts", async () => {
    const rows = [
      NODE,
      "code-creation,RegExp,4,55,0x9000,16,a+b",
      code("0x1000", "f a.js:1:1", "0xf0", "*"),
      "script-source,1,/src/a.js,f()",
      "code-source-info,0x1000,1,0,9,C0O3I0,F0O3,S0xf0",
      tick("0x1010", "0x400123"),
    ];
    const {
      code: codes,
      functions,
      ticks,
      scripts,
      faults,
    } = await preprocess(rows, { functions: FUNCTIONS });
    expect(codes).toEqual([
      { name: "/bin/node", type: "SHARED_LIB" },
      { name: "main", type: "CPP" },
      { name: "a+b", timestamp: 55, type: "CODE", kind: "RegExp" },
      {
        name: "f a.js:1:1",
        type: "JS",
        kind: "Opt",
        func: 0,
        tm: 77,
        source: { script: 1, start: 0, end: 9, positions: "C0O3I0", inlined: "F0O3", fns: [0] },
      },
    ]);
    expect(functions).toEqual([{ name: "f a.js:1:1", codes: [3] }]);
    expect(ticks).toEqual([{ tm: 1000, vm: 0, s: [3, 16, 1, 35] }]);
    expect(scripts).toEqual([null, { id: 1, url: "/src/a.js", name: "a.js", source: "f()" }]);
    expect(faults).toEqual([]);
  });

  it("is JSON wherever a log is cut", async () => {
    const rows = [
      NODE,
      code("0x1000", "f\nx a.js:1:1", "0xf0"),
      "script-source,1,a.js,f()",
      tick("0x1010", "0x400123"),
    ];
    const log = logOf(...NODE_26, ...rows);
    for (let end = 0; end < log.length; end++) await preprocessLog(log.subarray(0, end), {});
  });

  it("is complete without any rows", async () => {
    expect(await preprocess([])).toEqual({ code: [], functions: [], ticks: [], scripts: [], faults: [] });
  });
});

describe("the code", () => {
  it("is in the order of the log, functions on stacks right after their library", async () => {
    const rows = [
      code("0x1000", "a", "0xf0"),
      NODE,
      code("0x2000", "b", "0xf1"),
      "shared-library,/b,0x1,0x2,0",
      tick("0x2001", "0x400310", "0x400123"),
    ];
    const { code: codes, functions } = await preprocess(rows, { functions: FUNCTIONS });
    expect(codes.map(({ name }) => name)).toEqual(["a", "/bin/node", "main", "uv_run", "b", "/b"]);
    expect(functions.map((f) => f.codes)).toEqual([[0], [4]]);
  });

  it("has one entry for a library with several rows, up to the largest end", async () => {
    const rows = ["shared-library,/bin/node,0x400000,0x400080,0", NODE, tick("0x400110")];
    const json = await preprocess(rows, { functions: FUNCTIONS });
    expect(json.code.filter(({ type }) => type === "SHARED_LIB")).toHaveLength(1);
    expect(stacks(json)).toEqual(["main+16"]);
  });

  it("has a builtin in the place of the C++ function at its address, and only there", async () => {
    const rows = [
      NODE,
      "code-creation,Builtin,2,5,0x400200,128,Add",
      "code-creation,Builtin,2,6,0x400310,16,InTheMiddle",
      tick("0x400210"),
      tick("0x400318"),
      tick("0x400308"),
    ];
    const json = await preprocess(rows, { functions: FUNCTIONS });
    expect(json.code.map(({ name }) => name)).toEqual(["/bin/node", "uv_run", "Add", "InTheMiddle"]);
    expect(json.code[2]).toEqual({ name: "Add", timestamp: 5, type: "CODE", kind: "Builtin" });
    expect(stacks(json)).toEqual(["Add+16", "InTheMiddle+8", "uv_run+8"]);
  });

  it("keeps the row of a builtin that is logged again as a function", async () => {
    const rows = ["code-creation,Builtin,2,5,0x9000,256,Add", code("0x9000", "", "0xf0", ""), tick("0x9008")];
    const json = await preprocess(rows);
    expect(json.code).toMatchObject([{ type: "CODE" }, { type: "JS", kind: "Builtin" }]);
    expect(json.ticks[0]?.s).toEqual([0, 8]);
  });

  it("names every tier, and takes an unknown one for none", async () => {
    const tiers = ["", "~", "^", "+", "*", "o+'", "-", "#"];
    const { code: codes, faults } = await preprocess(tiers.map((tier) => code("0x1000", "f", "0xf0", tier)));
    const kinds = ["Builtin", "Unopt", "Sparkplug", "Maglev", "Opt", "Maglev", "Turboprop", "Builtin"];
    expect(codes.map(({ kind }) => kind)).toEqual(kinds);
    expect(faults).toEqual(["unknown-tier×1"]);
  });

  it.each([
    ["9,4,146,26,-node.26,0", "Baseline"],
    ["10,2,154,26,-node.36,0", "Baseline"],
    ["11,3,244,8,-node.38,0", "Sparkplug"],
  ])("names Sparkplug as V8 %s does", async (version, name) => {
    const log = logOf(`v8-version,${version}`, code("0x1000", "f", "0xf0", "^"));
    expect((await preprocessLog(log, {})).code.map(({ kind }) => kind)).toEqual([name]);
  });

  it("has the first deoptimization of each code", async () => {
    const deopt = (time: number, address: string) =>
      `code-deopt,${time},64,${address},-1,3,deopt-eager,<a.js:1:4>,wrong map`;
    const rows = [code("0x1000", "f", "0xf0"), deopt(5, "0x1000"), deopt(6, "0x1000"), deopt(7, "0x1010")];
    const { code: codes, faults } = await preprocess(rows);
    expect(codes[0]?.deopt).toEqual({
      tm: 5,
      inliningId: -1,
      scriptOffset: 3,
      posText: "<a.js:1:4>",
      reason: "wrong map",
      bailoutType: "deopt-eager",
    });
    expect(faults).toEqual([]);
  });

  it("has the source positions of the code that is at an address now", async () => {
    const rows = [
      code("0x1000", "f", "0xf0"),
      "code-move,0x1000,0x5000",
      "code-source-info,0x5000,1,0,9,,,S0xf0S0xee",
      "code-source-info,0x1000,2,0,9,,,",
    ];
    const { code: codes } = await preprocess(rows);
    expect(codes[0]).toMatchObject({ source: { script: 1, fns: [0, null] } });
  });
});

describe("the functions", () => {
  it("have all their codes; another name at the address is another function", async () => {
    const rows = [
      code("0x1000", "f", "0xf0"),
      code("0x2000", "f", "0xf0", "*"),
      code("0x3000", "g", "0xf0"),
      "sfi-move,0xf0,0xe0",
      code("0x4000", "g", "0xe0", "*"),
      code("0x5000", "g", "0xf0"),
    ];
    const { functions } = await preprocess(rows);
    expect(functions).toEqual([
      { name: "f", codes: [0, 1] },
      { name: "g", codes: [2, 3] },
      { name: "g", codes: [4] },
    ]);
  });

  it("have names with commas, which V8 writes as they are", async () => {
    const { functions } = await preprocess([code("0x1000", "a,b a.js:1:1", "0xf0")]);
    expect(functions).toEqual([{ name: "a,b a.js:1:1", codes: [0] }]);
  });
});

describe("the ticks", () => {
  it("are in the code that was alive then", async () => {
    const rows = [
      code("0x1000", "old", "0xf0"),
      tick("0x1004"),
      code("0x1080", "new", "0xf1"),
      tick("0x1084"),
      tick("0x1004"),
      "code-move,0x1080,0x8000",
      tick("0x8004", "0x1084"),
      "code-delete,0x8000",
      tick("0x8004"),
    ];
    const json = await preprocess(rows);
    expect(stacks(json)).toEqual(["old+4", "new+4", "?4100", "new+4 ?4228", "?32772"]);
  });

  it("are in compiled code rather than in the library around it", async () => {
    const rows = [NODE, code("0x400100", "f", "0xf0"), tick("0x400110")];
    expect(stacks(await preprocess(rows, { functions: FUNCTIONS }))).toEqual(["f+16"]);
  });

  it("are in a library where it has no function, and nowhere outside of all", async () => {
    const rows = [NODE, tick("0x4002f0"), tick("0x600000"), tick("0x0")];
    const json = await preprocess(rows, { functions: FUNCTIONS });
    expect(stacks(json)).toEqual(["/bin/node+752", "?6291456", "?0"]);
  });

  it("belong to the C++ callback that runs, and not to the word off the top of the stack", async () => {
    const rows = [
      NODE,
      code("0x1000", "f", "0xf0"),
      "tick,0x400110,5,1,0x400300,6,0x1010",
      "tick,0x400110,6,0,0x1020,0,0x1010",
    ];
    const json = await preprocess(rows, { functions: FUNCTIONS });
    expect(stacks(json)).toEqual(["uv_run+0 f+16", "main+16 f+16"]);
    expect(json.ticks.map(({ tm, vm }) => [tm, vm])).toEqual([
      [5, 6],
      [6, 0],
    ]);
  });

  it("are in the builtins whose copy V8 11 runs from", async () => {
    const rows = [
      NODE,
      "new,CodeRange,0x10000000,0",
      "code-creation,Builtin,2,5,0x400200,128,Add",
      tick("0x2ffc0210", "0x2ffc0220", "0x2ffc0900"),
      tick("0x2ffc0210"),
    ];
    const json = await preprocess(rows, { functions: FUNCTIONS });
    expect(stacks(json)).toEqual(["Add+16 Add+32 ?805046528", "Add+16"]);
  });

  it("are those that are asked for", async () => {
    const rows = [tick("0x1"), "tick,0x2,5,0,0x0,1", tick("0x3")];
    const json = await preprocess(rows, { includes: (state) => state === 1 });
    expect(json.ticks).toEqual([{ tm: 5, vm: 1, s: [-1, 2] }]);
  });

  it("keep their stacks, however many there are", async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => tick(`0x${i.toString(16)}`, "0x5", "0x6"));
    const json = await preprocess(rows);
    expect(json.ticks.map(({ s }) => s)).toEqual(rows.map((_, i) => [-1, i, -1, 5, -1, 6]));
  });
});

describe("the scripts", () => {
  it("have the file name for a name, and the whole one where two files are named alike", async () => {
    const rows = ["script-source,0,/a/x.js,1", "script-source,3,/b/x.js,2", "script-source,2,y.js,3"];
    const { scripts } = await preprocess(rows);
    expect(scripts.map((script) => script?.name)).toEqual(["/a/x.js", undefined, "y.js", "/b/x.js"]);
  });

  it("do not fill the disk for an id that no program reaches", async () => {
    expect((await preprocess(["script-source,4000000000,x.js,1"])).scripts).toEqual([]);
  });
});

describe("faults", () => {
  it("are counted as in a report", async () => {
    const rows = [
      "code-move,0x1,0x2",
      "code-delete,0x9",
      "sfi-move,0x1,0x2",
      "code-source-info,0x1,1,0,9,,,",
    ];
    expect((await preprocess(rows)).faults).toEqual(["unknown-code-move×1", "unknown-code-delete×1"]);
  });

  it("knows the libraries and builtins of each run of a file where that run had them", async () => {
    const [first, second] = [0x400000, 0x700000].map((start) => {
      const at = (offset: number) => `0x${(start + offset).toString(16)}`;
      return [
        `shared-library,/bin/node,${at(0)},${at(0x100000)},0`,
        `code-creation,Builtin,2,5,${at(0x200)},128,Add`,
        tick(at(0x123), at(0x210)),
        tick("0x400110"),
      ];
    });
    const json = await preprocessRuns([first!, second!], { functions: FUNCTIONS });
    expect(stacks(json)).toEqual(["main+35 Add+16", "main+16", "main+35 Add+16", "?4194576"]);
    expect(json.code.filter(({ name }) => name === "/bin/node")).toHaveLength(2);
  });
});

const HIGH: Library = { path: "/lib/high.so", start: 0x500000, end: 0x510000, slide: 0 };
const LOW: Library = { path: "/bin/low", start: 0x10000, end: 0x20000, slide: 0 };

async function symbols(libraries: Library[], functions: Record<string, string[]>): Promise<unknown> {
  return JSON.parse(Array.from(vmSymbolLines(await withFunctions(libraries, functions))).join("\n"));
}

describe("vmSymbolLines", () => {
  it("gives functions of all libraries at process addresses, ascending, and then the libraries", async () => {
    const functions = { [HIGH.path]: ["10 10 a", "20 10 b"], [LOW.path]: ["40 8 main(int, char**)"] };
    expect(await symbols([HIGH, LOW], functions)).toEqual([
      ["main(int, char**)", 0x10040, 0x10048],
      ["a", 0x500010, 0x500020],
      ["b", 0x500020, 0x500030],
      ["/bin/low", 0x10000, 0x20000],
      ["/lib/high.so", 0x500000, 0x510000],
    ]);
  });

  it("ends no function past its library", async () => {
    expect(await symbols([LOW], { [LOW.path]: ["fff0 1000 _fini"] })).toContainEqual([
      "_fini",
      0x1fff0,
      0x20000,
    ]);
  });

  it("names libraries without functions, and is a list without libraries", async () => {
    expect(await symbols([LOW], {})).toEqual([["/bin/low", 0x10000, 0x20000]]);
    expect(await symbols([], {})).toEqual([]);
  });
});

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
  const folder = testFolder();
  const path = join(folder, "lib.so");
  beforeAll(() => writeFileSync(path, elfFile()));

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
