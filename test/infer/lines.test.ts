import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignedLines, type CodePoint, FunctionSlots } from "../../src/infer/baseline-lines.ts";
import { topNodes } from "../../src/infer/call-evidence.ts";
import { PeeledLoops } from "../../src/infer/peeled-loops.ts";
import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import type { JsFrame } from "../../src/profile/frame.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { InlinedCalls, type LoggedFunction, PositionTable } from "../../src/replay/logged-functions.ts";
import { Scripts } from "../../src/replay/scripts.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

/** A call in one of some slots. */
function call(likely: number[], possible: number[] = []): CodePoint {
  return { slots: { likely: [Int32Array.from(likely)], possible: [Int32Array.from(possible)] } };
}

const ANYWHERE: CodePoint = { slots: undefined };

function align(points: readonly CodePoint[], lines: readonly number[]): number[] | undefined {
  const found = alignedLines(points, Int32Array.from(lines));
  return found && Array.from(found);
}

describe("the lines of points in code", () => {
  it("are those of calls with one slot", () => {
    expect(align([call([2])], [1, 2, 3])).toEqual([3]);
  });

  it("are unknown for calls that can be on several lines", () => {
    expect(align([call([1, 2])], [1, 2, 3])).toEqual([0]);
    expect(align([call([1, 2])], [1, 3, 3])).toEqual([3]);
    expect(align([call([1], [2])], [1, 2, 3])).toEqual([0]);
  });

  it("follow from the order of calls of the same function", () => {
    expect(align([call([1, 3]), call([1, 3])], [1, 2, 3, 4])).toEqual([2, 4]);
    expect(align([call([1, 3, 4]), call([2]), call([1, 3, 4])], [1, 2, 3, 4, 5])).toEqual([2, 3, 0]);
  });

  it("follow from their neighbours if all between these is on one line", () => {
    const lines = [1, 2, 3, 3, 3, 4];
    expect(align([call([2]), ANYWHERE, call([4])], lines)).toEqual([3, 3, 3]);
    expect(align([call([1]), ANYWHERE, call([4])], lines)).toEqual([2, 0, 3]);
    expect(align([call([4]), ANYWHERE], lines)).toEqual([3, 0]);
  });

  it("do not follow from slots that nothing speaks for", () => {
    // The second of two calls of one function, of which the text has one.
    expect(align([call([1], [3]), call([1], [3])], [1, 2, 3, 4])).toEqual([2, 0]);
  });

  it("are unknown where a slot has no line", () => {
    expect(align([call([1])], [1, 0])).toEqual([0]);
    expect(align([ANYWHERE], [0, 0])).toEqual([0]);
  });

  it("are none if no order fits", () => {
    expect(align([call([3]), call([1])], [1, 2, 3, 4])).toBeUndefined();
    expect(align([call([1]), call([1])], [1, 2])).toBeUndefined();
  });

  it("are right whatever is known", () => {
    const place = fc.record({
      slot: fc.nat(11),
      others: fc.array(fc.nat(11)),
      isCall: fc.boolean(),
      isLikely: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(place),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
        (places, lines) => {
          const taken = new Set<number>();
          const truth = places
            .toSorted((a, b) => a.slot - b.slot)
            .filter(({ slot, isCall }) => !isCall || (!taken.has(slot) && taken.add(slot)));
          const points = truth.map(({ slot, others, isCall, isLikely }) => {
            const all = Array.from(new Set([slot, ...others])).sort((a, b) => a - b);
            return isCall ? (isLikely ? call(all) : call([slot], all)) : ANYWHERE;
          });
          const found = align(points, lines);
          expect(found).toBeDefined();
          for (const [i, line] of found!.entries()) if (line > 0) expect(line).toBe(lines[truth[i]!.slot]);
        },
      ),
    );
  });

  it("take linear time", () => {
    const count = 400_000;
    const all = Int32Array.from({ length: count }, (_, i) => i);
    const points = Array.from(
      { length: count },
      (_, i): CodePoint => (i % 2 ? ANYWHERE : { slots: { likely: [all], possible: [] } }),
    );
    expect(alignedLines(points, new Int32Array(count).fill(1))).toHaveLength(count);
  });
});

const LINES = [
  "function f(xy) {", // With `cb` in place of `xy`, the third call is of a parameter.
  "  one();",
  "  two();",
  "  cb();",
  "  one();",
  "}",
  "function one() {}",
  "function two() {}",
];

const TEXT = LINES.join("\n");

/** The offset of a text in the script, of its nth occurrence. */
function at(text: string, nth = 0): number {
  let offset = TEXT.indexOf(text);
  for (let i = 0; i < nth; i++) offset = TEXT.indexOf(text, offset + 1);
  return offset;
}

/** The bytecode of f has a position for each of its calls, and for its end. */
const CALLS = [at("one()"), at("two()"), at("cb()"), at("one()", 1), at("}")];
const BYTECODE = CALLS.map((offset, i) => `C${10 * i}O${offset}`).join("");
const end = (text: string) => at(text) + text.length;

const ROWS = [
  "code-creation,JS,10,1,0x1000,256,f /a.js:1:11,0xf1,~",
  `code-source-info,0x1000,7,${at("(xy)")},${at("}") + 1},${BYTECODE},,`,
  "code-creation,JS,11,2,0x2000,256,f /a.js:1:11,0xf1,^",
  `code-source-info,0x2000,7,${at("(xy)")},${at("}") + 1},,,`,
  "code-creation,JS,10,3,0x3000,256,one /a.js:7:13,0xf2,~",
  `code-source-info,0x3000,7,${at("() {}")},${end("function one() {}")},,,`,
  "code-creation,JS,10,4,0x4000,256,two /a.js:8:13,0xf3,~",
  `code-source-info,0x4000,7,${at("() {}", 1)},${end("function two() {}")},,,`,
  "code-creation,JS,10,5,0x5000,256,three /b.js:1:1,0xf4,~",
];

const NAMES: Record<string, string> = { one: "0x3001", two: "0x4001", three: "0x5001" };

/**
 * The line of f in each tick, with `≈` if it is inferred. A tick is the offset in its code, and what f calls
 * there: `20 one`; `20 one leaf` if that has no frame.
 */
async function lines(
  ticks: readonly string[],
  { inferred = true, parameter = "xy" } = {},
): Promise<string[]> {
  const source = `script-source,7,/a.js,${LINES.join("\\n").replace("xy", parameter)}`;
  const rows = ticks.map((tick, i) => {
    const [offset, callee = "", isLeaf] = tick.split(" ");
    const address = `0x${(0x2000 + Number(offset)).toString(16)}`;
    if (callee === "") return `tick,${address},${i},0,0x0,0`;
    const frames = isLeaf ? [] : [NAMES[callee]];
    return `tick,${isLeaf ? NAMES[callee] : "0x9000"},${i},0,0x0,0,${[...frames, address].join()}`;
  });
  const log = logOf(...NODE_26, source, ...ROWS, ...rows);
  const { frames, tree, timeline, samples } = await profileOf(log, {
    inlines: true,
    timeline: true,
    inferred,
  });
  return Array.from({ length: timeline!.length }, (_, tick) => {
    const sample = timeline!.sample[tick]!;
    for (let node = samples.node[sample]!; node !== 0; node = tree.parent[node]!) {
      const { name, line, inferredLine } = frames[tree.frame[node]!] as JsFrame;
      if (name?.startsWith("f ")) return `${line}${inferredLine ? "≈" : ""}`;
    }
    return "none";
  });
}

describe("lines in Sparkplug code without positions", () => {
  it("are those of the only call of a function", async () => {
    expect(await lines(["80 two"])).toEqual(["3≈"]);
  });

  it("follow from the order of the code", async () => {
    expect(await lines(["60 one"])).toEqual(["0"]);
    expect(await lines(["60 one", "80 two", "150 one"])).toEqual(["2≈", "3≈", "5≈"]);
    expect(await lines(["60 one", "80 two", "120 three", "150 one"])).toEqual(["2≈", "3≈", "0", "5≈"]);
  });

  it("are unknown where a parameter may call the function", async () => {
    const parameter = "cb";
    expect(await lines(["80 two"], { parameter })).toEqual(["0"]);
    expect(await lines(["60 one", "80 two", "150 one"], { parameter })).toEqual(["2≈", "0", "0"]);
  });

  it("are left unknown on request", async () => {
    expect(await lines(["80 two"], { inferred: false })).toEqual(["0"]);
  });

  it("are unknown where a tick in the code itself can be on several lines", async () => {
    expect(await lines(["60 one", "80 two", "70", "90"])).toEqual(["2≈", "3≈", "0", "0"]);
  });

  it("follow from what ticks ended in, unless that does not fit the rest", async () => {
    expect(await lines(["80 two leaf"])).toEqual(["3≈"]);
    expect(await lines(["80 two leaf", "150 two"])).toEqual(["0", "3≈"]);
  });

  it("are unknown if the calls fit in no order", async () => {
    expect(await lines(["80 two", "150 two"])).toEqual(["0", "0"]);
  });
});

/** A loop begins at offset 10; ten offsets are a line. */
const FACTS = {
  isLoop: ({ offset }: { readonly offset: number }) => offset === 10,
  line: ({ offset }: { readonly offset: number }) => Math.floor(offset / 10),
};

function loopsOf(positions: string, inlinings = ""): PeeledLoops {
  return new PeeledLoops(new PositionTable(positions), new InlinedCalls(inlinings), FACTS);
}

/** The positions of a body, then `count` of the loop's head. */
function positions(count: number, body = 10): string {
  const of = (start: number, length: number, offset: (i: number) => number) =>
    Array.from({ length }, (_, i) => `C${start + i}O${offset(i)}`).join("");
  return of(0, body, (i) => 20 + i) + of(100, count, () => 10);
}

const isCopy = (loops: PeeledLoops) => loops.isCopy({ offset: 10, inlining: -1 });

/** In the first round a call at 20 and one at 30, then all of both at the head. */
const INLINED = "C0O15C1O100I0C2O100I1C3O10C4O100I2C5O100I3C6O90";

describe("peeled loops", () => {
  it("have many positions of their head", () => {
    expect(isCopy(loopsOf(positions(10)))).toBe(true);
    expect(isCopy(loopsOf(positions(7)))).toBe(false);
  });

  it("have no body that is much longer than the copy", () => {
    expect(isCopy(loopsOf(positions(10, 40)))).toBe(true);
    expect(isCopy(loopsOf(positions(10, 41)))).toBe(false);
  });

  it("begin where the text has a loop", () => {
    expect(loopsOf(positions(10).replaceAll("O10", "O11")).isCopy({ offset: 11, inlining: -1 })).toBe(false);
  });

  it("are there if calls at their head are inlined", () => {
    expect(isCopy(loopsOf(INLINED, "F0O20F1O30F0O10F1O10"))).toBe(true);
    expect(isCopy(loopsOf(INLINED, "F0O20F1O30F0O40F1O50"))).toBe(false);
  });

  it("have the calls of their first round again", () => {
    const loops = loopsOf(INLINED, "F0O20F1O30F0O10F1O10");
    expect([0, 1, 2, 3].map((call) => loops.lineOfCall(call))).toEqual([0, 0, 2, 3]);
  });

  it("have calls of one function in the order of the first round", () => {
    const loops = loopsOf(INLINED, "F0O20F0O30F0O10F0O10");
    expect([2, 3].map((call) => loops.lineOfCall(call))).toEqual([2, 3]);
  });

  it.each([
    ["a call is missing in the copy", "F0O20F0O30F0O10F1O10", 2],
    ["a call is missing in the first round", "F0O20F1O30F0O10F0O10", 2],
    ["the first round does not call the function", "F0O20F1O30F2O10F1O10", 2],
    ["the call is before the loop", "F0O5F1O30F0O10F1O10", 2],
  ])("leave lines unknown if %s", (_, inlinings, call) => {
    expect(loopsOf(INLINED, inlinings).lineOfCall(call)).toBe(0);
  });

  it("leave lines unknown if the code is not in the order of the calls", () => {
    const swapped = "C0O15C1O100I1C2O100I0C3O10C4O100I2C5O100I3C6O90";
    expect(loopsOf(swapped, "F0O20F0O30F0O10F0O10").lineOfCall(2)).toBe(0);
  });

  it("know lines from calls that are all on one", () => {
    expect(loopsOf(INLINED, "F0O31F0O32F0O10F1O10").lineOfCall(2)).toBe(3);
  });

  it("take linear time", () => {
    const count = 300_000;
    const table = Array.from({ length: count }, (_, i) => `C${i}O${1000 - (i % 900)}I${i % 7}`).join("");
    const calls = Array.from({ length: count }, (_, i) => `F${i % 3}O${1000 - (i % 900)}`).join("");
    const all = { isLoop: () => true, line: () => 1 };
    new PeeledLoops(new PositionTable(table), new InlinedCalls(calls), all);
  });
});

describe("the nodes that tell what was called where", () => {
  const [MAIN, SORT, BY, LOAD] = [0, 1, 2, 3];
  /** Stacks of frames, outermost first, with their ticks. */
  function loopsOf(stacks: readonly (readonly [readonly number[], number])[]) {
    const tree = new CallTreeBuilder();
    const samples = new SampleTableBuilder();
    const leaves = stacks.map(([frames, ticks]) => {
      const leaf = frames.reduce((node, frame) => tree.child(node, frame), ROOT);
      samples.add(leaf, 0, ticks);
      return leaf;
    });
    const finished = tree.finish();
    return { tree: finished, samples, leaves };
  }
  const STACKS = [
    [[MAIN, SORT], 2],
    [[MAIN, SORT, BY, LOAD], 5],
    [[MAIN, SORT, LOAD], 3],
    [[LOAD], 7],
    [[MAIN, BY], 0],
  ] as const;
  /** 1 for each of these frames. */
  const marks = (...frames: readonly number[]) =>
    Uint8Array.from([MAIN, SORT, BY, LOAD], (frame) => Number(frames.includes(frame)));

  it("are those at the top, which have a caller", () => {
    const { tree, leaves } = loopsOf(STACKS);
    expect(Array.from(topNodes(tree, marks(LOAD), marks(SORT, BY)))).toEqual([leaves[1], leaves[2]]);
  });
});

function logged(name: string, start: number, end: number, script = 7): LoggedFunction {
  return { name: `${name} /a.js:1:1`, script, start, end, bytecodePositions: "" };
}

/** Returns whether the text of a script may tell where `f`, from 100 to 200, calls a function. */
function mayTell(callee: LoggedFunction, text = ""): boolean {
  const caller = logged("f", 100, 200);
  const source = { name: caller.name, line: () => 1, column: () => 0, isLongLine: () => false };
  const slots = new FunctionSlots(caller, source, new Scripts());
  slots.expect(new Set([callee]));
  return slots.mayTell((name) => text.includes(name));
}

describe("FunctionSlots.mayTell", () => {
  it("is true for functions of the script that a name can stand for", () => {
    expect(mayTell(logged("callee", 300, 400))).toBe(true);
    expect(mayTell(logged("a", 300, 400))).toBe(true);
    expect(mayTell(logged("", 300, 400))).toBe(true);
  });

  it("is false for modules of a bundle, which are named by their paths", () => {
    expect(mayTell(logged("lib/client-h1.js", 300, 400))).toBe(false);
    expect(mayTell(logged("src/a b.ts", 300, 400))).toBe(false);
  });

  it("is true for what the function itself contains, whatever its name", () => {
    expect(mayTell(logged("lib/client-h1.js", 120, 150))).toBe(true);
    expect(mayTell(logged("lib/client-h1.js", -1, -1))).toBe(true);
  });

  it("depends on the text for functions of other scripts, and not for what JavaScript calls itself", () => {
    expect(mayTell(logged("other", 0, 10, 8), "x.other()")).toBe(true);
    expect(mayTell(logged("other", 0, 10, 8), "x.another()".replace("other", ""))).toBe(false);
    expect(mayTell(logged("toString", 300, 400), "toString")).toBe(false);
  });
});
