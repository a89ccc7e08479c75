import { describe, expect, it } from "vitest";
import type { JsFrame } from "../../src/profile/frame.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

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
