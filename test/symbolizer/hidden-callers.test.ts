import { describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "../../src/analyze.ts";
import type { BuiltinFrames } from "../../src/symbols/frames/builtin-frames.ts";
import type { RecordedSymbols } from "../../src/symbols/recorded-symbols.ts";
import { SymbolTableBuilder } from "../../src/symbols/table/symbol-table.ts";
import { labelOf } from "../../src/views/label.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

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

  it("is unknown at another call, in other code at the address, and without any tick", async () => {
    expect(await stacksOf([...seen, tick(BUILTINS.Load! + 8, SITES.call + 4)])).toEqual([
      "main drive Load: 1",
    ]);
    const again = `code-creation,JS,5,1,${hex(CODE.drive!)},256,drive /a.js:1:1,0xf1,*`;
    expect(await stacksOf([...seen, again, load])).toEqual(["main drive Load: 1"]);
    expect(await stacksOf([load])).toEqual(["main drive Load: 1"]);
  });

  it("is unknown if several functions, or a builtin with a function's frame, were called there", async () => {
    const other = times(3, tick(CODE.other! + 100, SITES.call));
    expect(await stacksOf([...seen, ...other, load])).toEqual(["main drive Load: 1"]);
    const called = tick(CODE.other! + 100, CODE.work! + 50, SITES.call);
    expect(await stacksOf([...times(3, called), ...other, load])).toEqual(["main drive ≈work Load: 1"]);
    const mapped = tick(IN_WORK, BUILTINS.Proxy! + 40, SITES.call);
    expect(await stacksOf([...seen, mapped, load])).toEqual(["main drive Load: 1"]);
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
