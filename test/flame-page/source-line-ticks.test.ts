import { describe, expect, it } from "vitest";
import {
  lineTicks,
  placeTicks,
  unknownLine,
  withUnknownLines,
} from "../../src/flame-page/source-line-ticks.ts";
import { modelOf, shownOf, timedProfile } from "../helpers/flame.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const model = modelOf(
  timedProfile(
    "js:main·a.js:1:1@2 js:f·a.js:5:1@6 cpp:leaf",
    "js:main·a.js:1:1@2 js:f·a.js:5:1@7 js:f·a.js:5:1@7",
    "js:main·a.js:1:1@3 js:g·b.js:1:1@9",
    "js:main·a.js:1:1@2 inlined:h·a.js:30:1@31",
  ),
);
const ticks = (changes = {}) => {
  const lines = lineTicks(model, shownOf(model, changes), model.data.files.indexOf("a.js"));
  return Object.fromEntries(Array.from(lines, ([line, { self, total }]) => [line, [self, total]]));
};

describe("the ticks of lines", () => {
  it("are of the line that runs, and of those that called it; of a line once a stack", () => {
    expect(ticks()).toEqual({ 2: [0, 3], 3: [0, 1], 6: [0, 1], 7: [1, 1], 31: [1, 1] });
  });

  it("are of their function where the line is unknown, and none is left out", () => {
    const odd = modelOf(
      timedProfile("js:f·a.js:5:1@6 js:f·a.js:5:1 js:f·a.js:5:1", "js:f·a.js:5:1", "js:g·a.js:9:1 cpp:leaf"),
    );
    const lines = lineTicks(odd, shownOf(odd, {}), odd.data.files.indexOf("a.js"));
    const [f, g] = ["f", "g"].map((name) => odd.functions.titles.indexOf(name)) as [number, number];
    expect(lines).toEqual(
      new Map([
        [6, { self: 0, total: 1 }],
        [unknownLine(f), { self: 2, total: 2 }],
        [unknownLine(g), { self: 0, total: 1 }],
      ]),
    );
    expect(withUnknownLines(lines.keys(), (id) => odd.functions.line[id]!)).toEqual(
      new Map([
        [5, [f]],
        [9, [g]],
      ]),
    );
  });

  it("go to the line of the caller where a frame is not shown", () => {
    expect(ticks({ cpp: false })).toMatchObject({ 6: [1, 1] });
    expect(ticks({ inlined: false })).toEqual({ 2: [1, 3], 3: [0, 1], 6: [0, 1], 7: [1, 1] });
  });
});

describe("the ticks of places in a long line", () => {
  const filler = `/* ${"of a bundle ".repeat(20)}*/`;
  const text = `${filler}function drive(){return f(1)+g(2)+f(3)}`;
  const at = (call: string) => text.indexOf(call);
  const calls = ["f(1)", "g(2)", "f(3)"].map((call, i) => `C${16 * (i + 1)}O${at(call)}`).join("");
  const pageOf = async (source: string) => {
    const log = logOf(
      ...NODE_26,
      `script-source,1,/srv/calls.js,${source}`,
      `code-creation,JS,10,1,0x1000,128,drive /srv/calls.js:1:${at("(){") + 1},0xf1,*`,
      `code-source-info,0x1000,1,${at("(){")},${text.length},C0O${at("(){")}${calls},,`,
      "code-creation,JS,10,1,0x8000,64,f /srv/other.js:1:1,0xf2,*",
      "tick,0x8001,1000,0,0x0,0,0x1018",
      "tick,0x8001,2000,0,0x0,0,0x1018",
      "tick,0x8001,3000,0,0x0,0,0x1038",
    );
    return modelOf(await profileOf(log, { inlines: true, columns: "long-lines", timeline: true }));
  };

  it("are of each call, with the text from there on", async () => {
    const model = await pageOf(text);
    const [source] = model.data.sources;
    expect(source!.places).toEqual([
      { line: 1, column: at("f(1)") + 1, text: "f(1)+g(2)+f(3)}" },
      { line: 1, column: at("f(3)") + 1, text: "f(3)}" },
    ]);
    expect(placeTicks(model, shownOf(model), source!)).toEqual([
      { self: 0, total: 2 },
      { self: 0, total: 1 },
    ]);
  });

  it("are not there for lines of usual length", async () => {
    // The same offsets, in lines of their own.
    const model = await pageOf(text.replace(" */", " *\\n"));
    expect(model.data.sources[0]!.places).toBeUndefined();
    expect(Array.from(new Set(model.frames.column))).toEqual([0]);
  });
});
