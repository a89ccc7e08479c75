import { describe, expect, it } from "vitest";
import { labelOf } from "../../src/facts/label.ts";
import type { AnalyzeOptions } from "../../src/load/analyze.ts";
import { recordSymbols } from "../../src/load/record-symbols.ts";
import type { BuiltinFrames } from "../../src/native/builtin-frames.ts";
import type { RecordedSymbols } from "../../src/native/recorded-symbols.ts";
import { SymbolTableBuilder } from "../../src/native/symbol-table.ts";
import { chunksOf, logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const NODE = "/opt/node";
const SIZE = 64;
/** Without a frame in their first half. */
const FRAMES: Readonly<Record<string, Pick<BuiltinFrames, "isCalled">>> = {
  Load: { isCalled: false },
  Equal: { isCalled: true },
  Proxy: { isCalled: false },
  Call_Any: { isCalled: false },
};
const BUILTINS: Readonly<Record<string, number>> = {
  Load: 0x401000,
  Equal: 0x402000,
  Proxy: 0x403000,
  Call_Any: 0x404000,
  Other: 0x405000,
  DeoptimizationEntry_Lazy: 0x406000,
  StoreIC_Megamorphic: 0x407000,
};

//                            0         10        20        30
const SOURCE = "script-source,7,/a.js,work(1); box.got; new work(2);";
const CALLS = { call: 0, getter: 13, constructor: 18 };
const CODE: Readonly<Record<string, number>> = {
  main: 0x10000,
  drive: 0x20000,
  work: 0x30000,
  other: 0x40000,
};

const HEAD = [
  ...NODE_26,
  `shared-library,${NODE},0x400000,0x500000,0`,
  ...Object.entries(BUILTINS).map(
    ([name, start]) => `code-creation,Builtin,3,1,0x${start.toString(16)},${SIZE},${name}`,
  ),
  SOURCE,
  ...Object.entries(CODE).flatMap(([name, start], i) => [
    `code-creation,JS,5,1,0x${start.toString(16)},256,${name} /a.js:1:1,0xf${i},*`,
    // Returns before 32 are from a call, those before 64 from a getter, those before 96 from a constructor.
    `code-source-info,0x${start.toString(16)},7,0,31,C0O${CALLS.call}C32O${CALLS.getter}C64O${CALLS.constructor},,`,
  ]),
  // Libraries are read only if ticks are in them.
  "tick,0x480000,1,0,0x0,0",
];

const hex = (address: number) => `0x${address.toString(16)}`;
const MAIN = CODE.main! + 16;
/** A return address in the code of `drive`, behind a call, a getter or a constructor. */
const SITES = { call: CODE.drive! + 20, getter: CODE.drive! + 40, constructor: CODE.drive! + 70 };
const IN_WORK = CODE.work! + 100;

/** Rows of ticks at an address, called from others, leaf first. */
const tick = (pc: number, ...callers: readonly number[]) =>
  `tick,${hex(pc)},9,0,0x0,0,${[...callers, MAIN].map(hex).join(",")}`;
const times = (count: number, row: string) => Array<string>(count).fill(row);

function symbols(builtins = FRAMES): RecordedSymbols {
  const table = new SymbolTableBuilder().build(0);
  const frames = Object.entries(builtins).map(
    ([name, { isCalled }]) => [name, { size: SIZE, isCalled, frameless: [0, SIZE / 2] }] as const,
  );
  const library = { path: NODE, buildId: undefined, segments: [], table, builtins: new Map(frames) };
  return new Map([[NODE, library]]);
}

/** The stacks with a builtin at the top, root first, with their ticks. */
async function stacksOf(rows: readonly string[], options: Partial<AnalyzeOptions> = {}): Promise<string[]> {
  const log = logOf(...HEAD, ...rows);
  const { frames, tree, samples } = await profileOf(log, { inlines: true, recorded: symbols(), ...options });
  const stacks: string[] = [];
  for (let i = 0; i < samples.length; i++) {
    const words: string[] = [];
    for (let node = samples.node[i]!; node !== 0; node = tree.parent[node]!) {
      const frame = frames[tree.frame[node]!]!;
      words.unshift(
        labelOf(frame)
          .replace(/^(?:JS|Builtin): |\*| \/.*/g, "")
          .replace(/\*| \/.*/g, ""),
      );
      expect(tree.parent[node]).toBeLessThan(node);
    }
    if (words.at(-1)! in BUILTINS) stacks.push(`${words.join(" ")}: ${samples.ticks[i]}`);
  }
  return stacks;
}

describe("the function that called a builtin without a frame", () => {
  const seen = times(3, tick(IN_WORK, SITES.call));
  const load = tick(BUILTINS.Load! + 8, SITES.call);

  it("is the one that other ticks show to be called there, before or after", async () => {
    expect(await stacksOf([...seen, load, load])).toEqual(["main drive ≈work Load: 2"]);
    expect(await stacksOf([load, load, ...seen])).toEqual(["main drive ≈work Load: 2"]);
    expect(await stacksOf([load, tick(CODE.other! + 50, CODE.work! + 50, SITES.call)])).toEqual([
      "main drive ≈work Load: 1",
    ]);
  });

  it("is found for a builtin that a bytecode handler shares its name with", async () => {
    const handler = "code-creation,BytecodeHandler,0,1,0x408000,32,Load";
    expect(await stacksOf([handler, ...seen, load])).toEqual(["main drive ≈work Load: 1"]);
  });

  it("is the same with the symbols that are saved for the log", async () => {
    const rows = [...seen, load, load];
    const log = chunksOf(logOf(...HEAD, ...rows));
    const saved = await recordSymbols(log, { name: "log", sources: [], recorded: symbols() });
    expect(saved.map(({ builtins }) => Array.from(builtins?.keys() ?? []))).toEqual([["Load"]]);
    const recorded: RecordedSymbols = new Map(saved.map((library) => [library.path, library]));
    expect(await stacksOf(rows, { recorded })).toEqual(["main drive ≈work Load: 2"]);
  });

  it("is not looked for where all ticks are excluded", async () => {
    // Ticks after the last mark wait for one that never comes.
    const rows = ["current-time,1", tick(IN_WORK), "current-time,2", load];
    expect(await stacksOf(rows, { range: { timedRange: "all" } })).toEqual([]);
  });

  it("is not added where the builtin has its frame, or where that is not known", async () => {
    expect(await stacksOf([...seen, tick(BUILTINS.Load! + 40, SITES.call)])).toEqual(["main drive Load: 1"]);
    expect(await stacksOf([...seen, tick(BUILTINS.Other! + 8, SITES.call)])).toEqual(["main drive Other: 1"]);
    expect(await stacksOf([...seen, load], { recorded: symbols({}) })).toEqual(["main drive Load: 1"]);
  });

  it("is not added on request, and not to whole functions", async () => {
    expect(await stacksOf([...seen, load], { inferred: false })).toEqual(["main drive Load: 1"]);
    expect(await stacksOf([...seen, load], { inlines: false })).toEqual(["main drive Load: 1"]);
  });

  it("is unknown at another call, in code of another function at the address, and without any tick", async () => {
    expect(await stacksOf([...seen, tick(BUILTINS.Load! + 8, SITES.getter)])).toEqual(["main drive Load: 1"]);
    const another = `code-creation,JS,5,1,${hex(CODE.drive!)},256,drive /b.js:1:1,0xf7,*`;
    expect(await stacksOf([...seen, another, load])).toEqual(["main drive Load: 1"]);
    expect(await stacksOf([load])).toEqual(["main drive Load: 1"]);
  });

  it("is also one that other code of the same function was seen to call at the place in the source", async () => {
    const again = [
      `code-creation,JS,5,1,${hex(CODE.drive!)},256,drive /a.js:1:1,0xf1,*`,
      `code-source-info,${hex(CODE.drive!)},7,0,31,C0O${CALLS.call}C32O${CALLS.getter},,`,
    ];
    expect(await stacksOf([...seen, ...again, load])).toEqual(["main drive ≈work Load: 1"]);
    const other = tick(CODE.other! + 100, SITES.call);
    expect(await stacksOf([...seen, ...again, other, load])).toEqual(["main drive Load: 1"]);
  });

  it("is unknown if several functions, or a builtin with a function's frame, were called there", async () => {
    const other = times(3, tick(CODE.other! + 100, SITES.call));
    expect(await stacksOf([...seen, ...other, load])).toEqual(["main drive Load: 1"]);
    const called = tick(CODE.other! + 100, CODE.work! + 50, SITES.call);
    expect(await stacksOf([...times(3, called), ...other, load])).toEqual(["main drive ≈work Load: 1"]);
    const mapped = tick(IN_WORK, BUILTINS.Proxy! + 40, SITES.call);
    expect(await stacksOf([...seen, mapped, load])).toEqual(["main drive Load: 1"]);
  });

  it("is the one that the source names, if another one was seen there now and then, as on its way back", async () => {
    const calling = times(40, tick(0x480000, CODE.work! + 50, SITES.call));
    const returning = (count: number) => times(count, tick(CODE.other! + 100, SITES.call));
    expect(await stacksOf([...calling, ...returning(2), load])).toEqual(["main drive ≈work Load: 1"]);
    expect(await stacksOf([...calling, ...returning(3), load])).toEqual(["main drive Load: 1"]);
    const unnamed = [...calling, ...returning(2)].map((row) =>
      row.replace(hex(SITES.call), hex(SITES.getter)),
    );
    const getter = tick(BUILTINS.Load! + 8, SITES.getter);
    expect(await stacksOf([...unnamed, getter])).toEqual(["main drive Load: 1"]);
  });

  it("is known where its code was thrown away once, or C++ ran that a store calls", async () => {
    const inCpp = 0x480000;
    for (const name of ["DeoptimizationEntry_Lazy", "StoreIC_Megamorphic"]) {
      const once = tick(inCpp, BUILTINS[name]! + 8, SITES.call);
      expect(await stacksOf([...seen, once, load])).toEqual(["main drive ≈work Load: 1"]);
    }
  });

  it("is not one that has only been entered: its caller may be missing too", async () => {
    const entered = times(3, tick(CODE.other! + 4, SITES.call));
    expect(await stacksOf([...entered, load])).toEqual(["main drive Load: 1"]);
    expect(await stacksOf([...entered, ...seen, load])).toEqual(["main drive ≈work Load: 1"]);
  });
});

describe("a builtin that other builtins call, too", () => {
  const many = (site: number) => times(20, tick(IN_WORK, site));
  const equal = (site: number) => tick(BUILTINS.Equal! + 8, site);

  it("was called by the function that the source calls there", async () => {
    expect(await stacksOf([...many(SITES.call), equal(SITES.call)])).toEqual(["main drive ≈work Equal: 1"]);
  });

  it("may have been called by what calls a getter or a constructor", async () => {
    for (const site of [SITES.getter, SITES.constructor]) {
      expect(await stacksOf([...many(site), equal(site)])).toEqual(["main drive Equal: 1"]);
    }
    const load = tick(BUILTINS.Load! + 8, SITES.getter);
    expect(await stacksOf([...many(SITES.getter), load])).toEqual(["main drive ≈work Load: 1"]);
  });

  it("may have been called by a builtin that was seen there", async () => {
    const proxy = times(4, tick(BUILTINS.Proxy! + 40, SITES.call));
    const rows = [...many(SITES.call), ...proxy];
    expect(await stacksOf([...rows, equal(SITES.call)])).toEqual([
      "main drive Proxy: 4",
      "main drive Equal: 1",
    ]);
    expect(await stacksOf([...rows, tick(BUILTINS.Load! + 8, SITES.call)])).toEqual([
      "main drive Proxy: 4",
      "main drive ≈work Load: 1",
    ]);
  });

  it("needs more than a few ticks at the call, unless the source is sure", async () => {
    const few = [tick(IN_WORK, SITES.call)];
    expect(await stacksOf([...few, equal(SITES.call)])).toEqual(["main drive ≈work Equal: 1"]);
    const call = tick(BUILTINS.Call_Any! + 8, SITES.call);
    expect(await stacksOf([...few, call])).toEqual(["main drive Call_Any: 1"]);
    const named = [
      "script-source,7,/a.js,work(1); box.got; next work(2)",
      ...Object.values(CODE).map((start) => `code-source-info,${hex(start)},7,0,31,,,`),
    ];
    expect(await stacksOf([...named, ...few, equal(SITES.call)])).toEqual(["main drive Equal: 1"]);
  });

  it("is also one that leads to functions, whoever calls it", async () => {
    const call = (site: number) => tick(BUILTINS.Call_Any! + 8, site);
    expect(await stacksOf([...many(SITES.getter), call(SITES.getter)])).toEqual(["main drive Call_Any: 1"]);
    expect(await stacksOf([...many(SITES.call), call(SITES.call)])).toEqual(["main drive ≈work Call_Any: 1"]);
  });

  it("was called by a function of the name that the source calls, where no position says it", async () => {
    const noPositions = Object.values(CODE).map((start) => `code-source-info,${hex(start)},7,0,31,,,`);
    expect(await stacksOf([...noPositions, ...many(SITES.call), equal(SITES.call)])).toEqual([
      "main drive Equal: 1",
    ]);
    const named = ["script-source,7,/a.js,work(1); box.got; next work(2)", ...noPositions];
    expect(await stacksOf([...named, ...many(SITES.call), equal(SITES.call)])).toEqual([
      "main drive ≈work Equal: 1",
    ]);
  });
});

/** Rows of a log whose functions are those of a text, each on a line, in bytecode and in optimized code. */
function programOf(source: readonly string[], inlined: Readonly<Record<string, readonly string[]>> = {}) {
  const text = source.join("\n");
  const starts = source.map((_, i) => source.slice(0, i).reduce((sum, line) => sum + line.length + 1, 0));
  const functions = source.map((line, i) => ({
    name: /function (\w+)/.exec(line)![1]!,
    start: starts[i]! + line.indexOf("("),
    end: starts[i]! + line.length,
    code: 0x100000 + i * 0x1000,
    sfi: 0xf00 + i,
  }));
  const find = (name: string) => functions.find((one) => one.name === name)!;
  /** Bytecode positions: where each word and each operator is. */
  const positions = ({ start, end }: { start: number; end: number }) =>
    Array.from(
      source
        .join("\n")
        .slice(start, end)
        .matchAll(/[\w$]+|[^\w\s]/g),
      ({ index }) => start + index,
    )
      .map((offset, i) => `C${i}O${offset}`)
      .join("");
  const rows = functions.flatMap((one) => {
    const { name, start, end, code, sfi } = one;
    const row = (address: number, tier: string) =>
      `code-creation,JS,5,1,${hex(address)},1024,${name} /p.js:1:1,${hex(sfi)},${tier}`;
    return [row(code, "~"), `code-source-info,${hex(code)},9,${start},${end},${positions(one)},,`];
  });
  /** Where the first call in a function is. */
  const callIn = (start: number) =>
    start +
    3 +
    source
      .join("\n")
      .slice(start + 3)
      .search(/\w+\(/);
  const optimized = functions.flatMap(({ name, start, end, code, sfi }) => {
    const inside = (inlined[name] ?? []).map(find);
    const calls = inside.map((_, i) => `F${i}O${start + 1}${i > 0 ? `I${i - 1}` : ""}`).join("");
    return [
      `code-creation,JS,5,1,${hex(code + 0x800)},1024,${name} /p.js:1:1,${hex(sfi)},*`,
      `code-source-info,${hex(code + 0x800)},9,${start},${end},C0O${start}C64O${callIn(start)},${calls},${inside.map((one) => `S${hex(one.sfi)}`).join("")}`,
    ];
  });
  const script = `script-source,9,/p.js,${text.replaceAll(",", "\\x2C").replaceAll("\n", "\\n")}`;
  return {
    head: [
      ...NODE_26,
      `shared-library,${NODE},0x400000,0x500000,0`,
      ...Object.entries(WORK).map(
        ([name, start]) => `code-creation,Builtin,3,1,${hex(start)},${SIZE},${name}`,
      ),
      ...rows,
      ...optimized,
      script,
      "tick,0x480000,1,0,0x0,0",
    ],
    /** A return address in the optimized code of a function, or an address that is no call. */
    returnTo: (name: string) => find(name).code + 0x800 + 80,
    inside: (name: string) => find(name).code + 0x800 + 200,
  };
}

const WORK: Readonly<Record<string, number>> = {
  ArrayIncludes: 0x401000,
  StringLessThan: 0x402000,
  LoadIC_Megamorphic: 0x403000,
};

describe("a call site of several functions", () => {
  const SOURCE = [
    "function drive(run) { run(1) }",
    "function sums(n) { for (let i = 0; i < n; i++) s += adds(i) }",
    "function adds(n) { return n + 1 }",
    "function finds(n) { return list.includes(n) }",
    "function looks(n) { return has(list, n) }",
    "function sorts(a, b) { return a < b }",
  ];
  const { head, returnTo, inside } = programOf(SOURCE);
  const call = (pc: number) => `tick,${hex(pc)},9,0,0x0,0,${hex(returnTo("drive"))}`;
  const of = (...names: readonly string[]) => names.map((name) => call(inside(name)));
  const stacks = async (rows: readonly string[]) => {
    const found = await stacksOfProgram([...head, ...rows]);
    return found.filter((stack) => Object.keys(WORK).some((name) => stack.includes(name)));
  };

  it("called the one whose code leads to the builtin, however rarely it was seen", async () => {
    const rows = [...times(500, of("sums")[0]!), ...of("finds"), call(WORK.ArrayIncludes! + 8)];
    expect(await stacks(rows)).toEqual(["drive ≈finds ArrayIncludes"]);
  });

  it("called the one that reads a property by a pattern, not one that passes a value on", async () => {
    const program = programOf([
      "function drive(run) { run(1) }",
      "function takes(n) { const { value } = n; return value }",
      "function passes(n) { return adds(n, 1) }",
      "function adds(n, m) { return n + m }",
    ]);
    const pcs = [program.inside("takes"), program.inside("passes"), WORK.LoadIC_Megamorphic! + 8];
    const rows = pcs.map((pc) => `tick,${hex(pc)},9,0,0x0,0,${hex(program.returnTo("drive"))}`);
    expect((await stacksOfProgram([...program.head, ...rows])).at(-1)).toBe(
      "drive ≈takes LoadIC_Megamorphic",
    );
  });

  it("called none that cannot lead to the builtin", async () => {
    for (const builtin of Object.values(WORK))
      expect(await stacks([...times(99, of("sums")[0]!), call(builtin + 8)])).toHaveLength(1);
    const less = [...times(99, of("sums")[0]!), call(WORK.StringLessThan! + 8)];
    expect(await stacks(less)).toEqual(["drive StringLessThan"]);
    const sorts = [...less, ...of("sorts", "finds")];
    expect(await stacks(sorts)).toEqual(["drive ≈sorts StringLessThan"]);
  });

  it("is not sure if a function calls something that may be the builtin, or was compiled and not seen", async () => {
    const includes = call(WORK.ArrayIncludes! + 8);
    expect(await stacks([...of("finds", "looks"), includes])).toEqual(["drive ArrayIncludes"]);
    const twice = programOf([...SOURCE, "function again(n) { return list.includes(-n) }"]);
    const rows = [twice.inside("finds"), WORK.ArrayIncludes! + 8].map(
      (pc) => `tick,${hex(pc)},9,0,0x0,0,${hex(twice.returnTo("drive"))}`,
    );
    expect((await stacksOfProgram([...twice.head, ...rows])).at(-1)).toBe("drive ArrayIncludes");
    // That it was seen where something else is called tells nothing of this call.
    const elsewhere = `tick,${hex(twice.inside("again"))},9,0,0x0,0,${hex(twice.returnTo("sums"))}`;
    expect((await stacksOfProgram([...twice.head, elsewhere, ...rows])).at(-1)).toBe("drive ArrayIncludes");
  });
});

describe("a call in Sparkplug's code, whose place is not known", () => {
  const NODE_22 = "v8-version,12,4,254,21,-node.33,0";
  /** The stack of a builtin that a function runs at an offset where nothing was seen to be called. */
  const stack = async (work: string) => {
    const { head, returnTo, inside } = programOf([
      "function main(n) { does(n) }",
      `function does(n) { deep(n); ${work} }`,
      "function deep(n) { return n < text }",
    ]);
    const start = 0x110000;
    const sparkplug = `code-creation,JS,5,1,${hex(start)},1024,does /p.js:1:1,${hex(0xf01)},^`;
    const call = (pc: number, offset: number) =>
      `tick,${hex(pc)},9,0,0x0,0,${hex(start + offset)},${hex(returnTo("main"))}`;
    const seen = times(20, call(inside("deep"), 100));
    const less = times(20, call(WORK.StringLessThan! + 8, 200));
    return (await stacksOfProgram([NODE_22, ...head.slice(1), sparkplug, ...seen, ...less])).at(-1);
  };

  it("ran what the function calls elsewhere, unless its own code leads to the builtin", async () => {
    expect(await stack("return n")).toBe("main does ≈deep StringLessThan");
    // Sparkplug compares by a builtin with a frame, which calls the one at the top.
    expect(await stack("return n < more")).toBe("main does StringLessThan");
  });
});

describe("code with inlined functions", () => {
  const SOURCE = [
    "function main(n) { drive(n) }",
    "function drive(n) { loads(n) }",
    "function loads(n) { return n.value }",
    "function both(n) { return loads(n.key) }",
  ];
  const stack = async (callee: string, inlined: Readonly<Record<string, readonly string[]>>) => {
    const { head, returnTo, inside } = programOf(SOURCE, inlined);
    const rows = [inside(callee), WORK.LoadIC_Megamorphic! + 8].map(
      (pc) => `tick,${hex(pc)},9,0,0x0,0,${hex(returnTo("main"))}`,
    );
    return (await stacksOfProgram([...head, ...rows])).at(-1);
  };

  it("ran the only function that leads to the builtin", async () => {
    expect(await stack("drive", { drive: ["loads"] })).toBe("main ≈drive ≈loads LoadIC_Megamorphic");
    expect(await stack("drive", {})).toBe("main LoadIC_Megamorphic");
  });

  it("is all that is known if several functions do", async () => {
    expect(await stack("both", { both: ["loads"] })).toBe("main ≈both LoadIC_Megamorphic");
  });
});

describe("the line of an inferred caller", () => {
  /** The lines of the functions that were added, from the start of each. */
  const linesOf = async (callee: string, inlined: Readonly<Record<string, readonly string[]>> = {}) => {
    const { head, returnTo, inside } = programOf(
      ["function main(n) { does(n) }", callee, ...HELPERS],
      inlined,
    );
    const rows = [inside("does"), WORK.ArrayIncludes! + 8].map(
      (pc) => `tick,${hex(pc)},9,0,0x0,0,${hex(returnTo("main"))}`,
    );
    const { frames } = await profileOfProgram([...head, ...rows]);
    return frames.flatMap((frame) =>
      frame.kind === "js" && frame.inferred ? [`${frame.line}${frame.inferredLine ? " inferred" : ""}`] : [],
    );
  };
  const HELPERS = ["function helps(n) { return n.length }", "function finds(n) { return n.includes(1) }"];

  it("is that of the only call in its text that leads to the builtin", async () => {
    expect(await linesOf("function does(n) {\n n.push(1);\n return n.includes(1) }")).toEqual(["3 inferred"]);
    // A helper of the program leads nowhere.
    expect(await linesOf("function does(n) {\n helps(n);\n return n.includes(1) }")).toEqual(["3 inferred"]);
  });

  it("is unknown if there are several, or a call of something unknown", async () => {
    expect(await linesOf("function does(n) {\n n.includes(2);\n return n.includes(1) }")).toEqual(["0"]);
    expect(
      await linesOf("function does(n) {\n n.has(2);\n return n?.includes(1) || n['includes'] }"),
    ).toEqual(["0"]);
    expect(await linesOf("function does(n) {\n other(n);\n return n.includes(1) }")).toEqual(["0"]);
  });

  it("is that of the whole function if it has no other", async () => {
    expect(await linesOf("function does(n) { n.includes(2); return n.includes(1) }")).toEqual(["1"]);
  });

  it("is unknown if something inlined may have called the builtin", async () => {
    const inlined = { does: ["finds"] };
    const text = "function does(n) {\n n.push(1);\n return n.includes(1) }";
    expect(await linesOf(text, inlined)).toEqual(["0"]);
  });
});

/** The stacks with names only, root first. */
async function stacksOfProgram(rows: readonly string[]): Promise<string[]> {
  const profile = await profileOfProgram(rows);
  const { samples, tree } = profile;
  return Array.from({ length: samples.length }, (_, i) => {
    const words: string[] = [];
    for (let node = samples.node[i]!; node !== 0; node = tree.parent[node]!) {
      const label = labelOf(profile.frames[tree.frame[node]!]!);
      words.unshift(label.replace(/^(?:JS|Builtin): /, "").replace(/[~*+^]| \/.*/g, ""));
    }
    return words.join(" ");
  });
}

function profileOfProgram(rows: readonly string[]) {
  const table = new SymbolTableBuilder().build(0);
  const frames = Object.keys(WORK).map(
    (name) => [name, { size: SIZE, isCalled: true, frameless: [0, SIZE / 2] }] as const,
  );
  const library = { path: NODE, buildId: undefined, segments: [], table, builtins: new Map(frames) };
  const recorded: RecordedSymbols = new Map([[NODE, library]]);
  return profileOf(logOf(...rows), { inlines: true, recorded });
}
