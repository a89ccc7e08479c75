import { describe, expect, it } from "vitest";
import { Analysis } from "../src/facts/analysis.ts";
import { FunctionTable } from "../src/facts/function-table.ts";
import type { JsFrame } from "../src/profile/frame.ts";
import type { Profile } from "../src/profile/profile.ts";
import { FIXTURE_NAMES, fixtureLog, fixtureProfile, WHOLE } from "./helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "./helpers/logs.ts";
import { leafFunctions } from "./oracle/leaf-functions.mjs";

/** Every stack with its ticks, root first: `name@line`, an inlined function in brackets. */
async function stacksOf(...rows: readonly string[]): Promise<string[]> {
  const { frames, tree, samples } = await profileOf(logOf(...NODE_26, ...rows), { inlines: true });
  return Array.from({ length: samples.length }, (_, i) => {
    const words: string[] = [];
    for (let node = samples.node[i]!; node !== 0; node = tree.parent[node]!) {
      const { name, line, inlined } = frames[tree.frame[node]!] as JsFrame;
      const word = `${name.split(" ")[0]}@${line}`;
      words.unshift(inlined ? `[${word}]` : word);
    }
    return `${words.join(" ")}: ${samples.ticks[i]}`;
  });
}

// Offsets:       0         10        20        30
const SOURCE = "script-source,7,/a.js,function f() {\\n  g();\\n}\\nfunction g() {\\n h()\\x2C k\\n}";
const F = [
  "code-creation,JS,10,1,0x1000,256,f /a.js:1:11,0xf1,~",
  "code-source-info,0x1000,7,10,23,C0O18C4O19,,",
];
const G = [
  "code-creation,JS,10,1,0x2000,256,g /a.js:4:11,0xf2,~",
  "code-source-info,0x2000,7,34,48,C0O40C4O45,,",
];
const OPTIMIZED = "code-creation,JS,13,1,0x4000,256,f /a.js:1:11,0xf1,*";
const INLINED = "code-source-info,0x4000,7,10,23,C0O10C16O18C32O40I0C48O45I0C64O22,F0O18,S0xf2";

describe("inline-aware stacks", () => {
  it("make an inlined function a frame of its own, called from its line", async () => {
    expect(
      await stacksOf(
        SOURCE,
        ...F,
        ...G,
        OPTIMIZED,
        INLINED,
        "tick,0x4025,1,0,0x0,0",
        "tick,0x4010,2,0,0x0,0",
      ),
    ).toEqual(["f@2 [g@5]: 1", "f@2: 1"]);
  });

  it("look return addresses up one byte back, but not offsets of bytecode", async () => {
    const rows = [SOURCE, ...F, ...G, OPTIMIZED, INLINED];
    // 0x4020 is where the code of g begins; as a return address it is that of a call in f.
    expect(await stacksOf(...rows, "tick,0x2000,1,0,0x0,0,0x4020")).toEqual(["f@2 g@5: 1"]);
    expect(await stacksOf(...rows, "tick,0x2000,1,0,0x0,0,0x4021")).toEqual(["f@2 [g@5] g@5: 1"]);
    const twoLines = "code-source-info,0x1000,7,10,23,C0O10C4O19,,";
    expect(await stacksOf(SOURCE, F[0]!, twoLines, ...G, "tick,0x2000,1,0,0x0,0,0x1004")).toEqual([
      "f@2 g@5: 1",
    ]);
    expect(await stacksOf(SOURCE, F[0]!, twoLines, ...G, "tick,0x2000,1,0,0x0,0,0x1003")).toEqual([
      "f@1 g@5: 1",
    ]);
  });

  it("take the top of the stack for a return address", async () => {
    const rows = [SOURCE, ...F, ...G, OPTIMIZED, INLINED];
    expect(await stacksOf(...rows, "tick,0x2000,1,0,0x4020,0")).toEqual(["f@2 g@5: 1"]);
  });

  it("unfold calls inside inlined calls, to any depth", async () => {
    const h = "code-creation,JS,10,1,0x3000,16,h /a.js:9:1,0xf3,~";
    const nested = "code-source-info,0x4000,7,10,23,C0O10C16O3I1,F0O18F1O40I0,S0xf2S0xf3";
    expect(await stacksOf(SOURCE, ...F, ...G, h, OPTIMIZED, nested, "tick,0x4011,1,0,0x0,0")).toEqual([
      "f@2 [g@5] [h@0]: 1",
    ]);
  });

  it("know a function that was inlined by the name it had then", async () => {
    const other = "code-creation,JS,10,9,0x5000,16,later /a.js:9:1,0xf2,~";
    const tick = "tick,0x4025,1,0,0x0,0";
    expect(await stacksOf(SOURCE, ...F, ...G, OPTIMIZED, INLINED, other, tick)).toEqual(["f@2 [g@5]: 1"]);
    expect(
      await stacksOf(
        SOURCE,
        ...F,
        ...G,
        "sfi-move,0xf2,0xf8",
        OPTIMIZED,
        INLINED.replace("S0xf2", "S0xf8"),
        tick,
      ),
    ).toEqual(["f@2 [g@5]: 1"]);
  });

  it("lose nothing else to a function that the log never named", async () => {
    const nested = "code-source-info,0x4000,7,10,23,C0O10C16O40I1C32O40I0,F1O18F0O40I0,S0xf2S0xf9";
    const ticks = ["tick,0x4011,1,0,0x0,0", "tick,0x4021,1,0,0x0,0"];
    expect(await stacksOf(SOURCE, ...F, ...G, OPTIMIZED, nested, ...ticks)).toEqual([
      "f@2 [<unknown@0] [g@5]: 1",
      "f@2 [<unknown@0]: 1",
    ]);
  });

  it("take a call without a function for the function inlined into itself", async () => {
    const recursive = "code-source-info,0x4000,7,10,23,C0O10C16O18I1,F0O18FO40I0,S0xf2";
    expect(await stacksOf(SOURCE, ...F, ...G, OPTIMIZED, recursive, "tick,0x4011,1,0,0x0,0")).toEqual([
      "f@2 [g@5] [f@2]: 1",
    ]);
  });

  it("use a row that comes after the tick", async () => {
    expect(await stacksOf(...F, ...G, OPTIMIZED, "tick,0x4025,1,0,0x0,0", INLINED, SOURCE)).toEqual([
      "f@2 [g@5]: 1",
    ]);
  });

  // Its last position is at 0x4040.
  const ofExitOf = (f: readonly string[], exit: string, tier = "*", ...more: readonly string[]) =>
    stacksOf(
      SOURCE,
      ...f,
      ...G,
      OPTIMIZED.replace(/\*$/, tier),
      INLINED.replace("C64O22", "C64O40I0"),
      `tick,0x2000,1,0,0x0,0,${exit}`,
      ...more,
    );

  /** The bytecode of `f`, on two lines. */
  const F_ON_TWO_LINES = [F[0]!, "code-source-info,0x1000,7,10,23,C0O10C4O19,,"];
  const ofExit = (exit: string, tier = "*", ...more: readonly string[]) =>
    ofExitOf(F_ON_TWO_LINES, exit, tier, ...more);

  it.each(["-", "+", "*"])("give no line to a caller behind the last call of %s code", async (tier) => {
    expect(await ofExit("0x4050", tier)).toEqual(["f@2 [g@5] g@5: 1"]);
    expect(await ofExit("0x4051", tier)).toEqual(["f@0 g@5: 1"]);
  });

  it("give a caller behind the last call the line that all of its bytecode is on", async () => {
    expect(await ofExitOf(F, "0x4051")).toEqual(["f@2 g@5: 1"]);
  });

  it("give a line to all callers of Sparkplug code", async () => {
    expect(await ofExit("0x4090", "^")).toEqual(["f@2 [g@5] g@5: 1"]);
  });

  it("give a line to a program counter behind the last call, also one byte before an exit", async () => {
    expect(await ofExit("0x4091", "*", "tick,0x4090,2,0,0x0,0")).toEqual(["f@0 g@5: 1", "f@2 [g@5]: 1"]);
  });

  const deopt = (inlining: number, offset: number, kind = "deopt-lazy") =>
    `code-deopt,9,256,0x4000,${inlining},${offset},${kind},</a.js:2:3>,(unknown)`;

  it("give a caller in an exit the position at which its code was left", async () => {
    expect(await ofExit("0x4091", "*", deopt(-1, 18))).toEqual(["f@2 g@5: 1"]);
    expect(await ofExit("0x4091", "*", deopt(0, 40), deopt(0, 40))).toEqual(["f@2 [g@5] g@5: 1"]);
    expect(await ofExit("0x4091", "*", deopt(-1, 18, "lazy"))).toEqual(["f@2 g@5: 1"]);
  });

  it("give it none if that may be another call's, or a loop's", async () => {
    const lost = ["f@0 g@5: 1"];
    expect(await ofExit("0x4091", "*", deopt(-1, 18, "deopt-eager"))).toEqual(lost);
    expect(await ofExit("0x4091", "+", deopt(-1, 18))).toEqual(lost);
    const replaced = ["code-creation,JS,13,1,0x4000,256,f /a.js:1:11,0xf1,*", deopt(-1, 18)];
    expect(await ofExit("0x4091", "*", ...replaced)).toEqual(lost);
    const other = "tick,0x2000,2,0,0x0,0,0x4098";
    expect(await ofExit("0x4091", "*", other, deopt(-1, 18))).toEqual(["f@0 g@5: 2"]);
    const again = "tick,0x2000,2,0,0x0,0,0x4091";
    expect(await ofExit("0x4091", "*", deopt(-1, 18), again, deopt(0, 40))).toEqual(["f@0 g@5: 2"]);
  });

  it("tell exits apart by the rows that come after each", async () => {
    const both = "tick,0x2000,1,0,0x0,0,0x4098,0x4091";
    const outer = "tick,0x2000,2,0,0x0,0,0x4091";
    expect(await ofExit("0x4098,0x4091", "*", deopt(-1, 18), outer, deopt(0, 40))).toEqual([
      "f@2 [g@5] f@0 g@5: 1",
      "f@2 [g@5] g@5: 1",
    ]);
    expect(await ofExit("0x4098", "*", deopt(-1, 18), outer, deopt(0, 40), both)).toEqual([
      "f@2 g@5: 1",
      "f@2 [g@5] g@5: 1",
      "f@2 [g@5] f@2 g@5: 1",
    ]);
  });

  it("count the ticks with a caller in an exit", async () => {
    const ticks = ["0x4025", "0x4091", "0x4099,0x4091", "0x4099,0x4025", "0x4025"];
    const rows = ticks.map((stack, i) => `tick,0x2000,${i},0,0x0,0,${stack}`);
    const log = logOf(...NODE_26, SOURCE, ...F, ...G, OPTIMIZED, INLINED, ...rows);
    expect((await profileOf(log, { inlines: true })).info.lostLines).toBe(3);
    expect((await profileOf(log)).info.lostLines).toBe(0);
  });

  it("follow code that moves", async () => {
    expect(
      await stacksOf(
        SOURCE,
        ...F,
        ...G,
        OPTIMIZED,
        INLINED,
        "code-move,0x4000,0x8000",
        "tick,0x8025,1,0,0x0,0",
      ),
    ).toEqual(["f@2 [g@5]: 1"]);
  });

  it("give code without positions the line of its bytecode if that has only one", async () => {
    const baseline = (address: string, name: string, range: string) => [
      `code-creation,JS,11,1,${address},256,${name},^`,
      `code-source-info,${address},7,${range},,,`,
    ];
    const f = baseline("0x6000", "f /a.js:1:11,0xf1", "10,23");
    const g = baseline("0x7000", "g /a.js:4:11,0xf2", "34,48");
    const twoLines = [G[0]!, "code-source-info,0x2000,7,34,48,C0O40C4O48,,"];
    expect(
      await stacksOf(SOURCE, ...F, ...twoLines, ...f, ...g, "tick,0x6001,1,0,0x0,0", "tick,0x7001,1,0,0x0,0"),
    ).toEqual(["f@2: 1", "g@0: 1"]);
  });

  it("count lines as the log does in scripts that begin further down", async () => {
    const moved = ["code-creation,JS,10,1,0x1000,256,f /a.js:101:11,0xf1,~", F[1]!];
    expect(await stacksOf(SOURCE, ...moved, "tick,0x1001,1,0,0x0,0")).toEqual(["f@102: 1"]);
  });

  it("survive tables that make no sense", async () => {
    for (const info of [
      "code-source-info,0x4000,7,10,23,C0O10C16O18I5,F0O18,S0xf2",
      "code-source-info,0x4000,7,10,23,C0O10C16O18I0,F0O18I0,S0xf2",
      "code-source-info,0x4000,99,10,23,C0O10C16O-1,,",
      "code-source-info,0x9999,7,10,23,C0O10,,",
    ]) {
      const [stack] = await stacksOf(SOURCE, ...F, ...G, OPTIMIZED, info, "tick,0x4011,1,0,0x0,0");
      expect(stack).toMatch(/^f@\d( \[g@\d\])?: 1$/);
    }
  });

  it("end at 64 inlined calls, each frame made once however many places it is in", async () => {
    const calls = Array.from({ length: 1000 }, (_, i) => `F0O18${i > 0 ? `I${i - 1}` : ""}`).join("");
    const positions = Array.from({ length: 200 }, (_, i) => `C${i}O16I999`).join("");
    const info = `code-source-info,0x4000,7,10,23,${positions},${calls},S0xf2`;
    const ticks = Array.from({ length: 200 }, (_, i) => `tick,0x${(0x4000 + i).toString(16)},1,0,0x0,0`);
    const [stack, ...others] = await stacksOf(SOURCE, ...F, ...G, OPTIMIZED, info, ...ticks);
    expect(stack?.split(" ")).toHaveLength(1 + 64 + 1);
    expect([stack?.endsWith(": 200"), others]).toEqual([true, []]);
  });

  it("keep the texts of the scripts that own ticks", async () => {
    const other = "script-source,8,/b.js,unused";
    const { sources } = await profileOf(logOf(...NODE_26, SOURCE, other, ...F, "tick,0x1001,1,0,0x0,0"), {
      inlines: true,
    });
    expect(sources).toEqual([
      { file: "/a.js", text: "function f() {\n  g();\n}\nfunction g() {\n h(), k\n}" },
    ]);
    expect([0, 2, 6, 7].map((line) => sources[0]!.line!(line))).toEqual([
      undefined,
      "  g();",
      "}",
      undefined,
    ]);
    expect(structuredClone(sources)).toEqual(sources);
  });
});

/** Ticks by `function name\tline` of leaves that are functions. */
function leafLines({ frames, tree, samples }: Profile): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i < samples.length; i++) {
    const frame = frames[tree.frame[samples.node[i]!]!]!;
    if (frame.kind !== "js") continue;
    // In a loop that Maglev peeled, the log has the line of its head for all.
    const key = `${frame.name}\t${frame.loop ?? frame.line}`;
    counts.set(key, (counts.get(key) ?? 0) + samples.ticks[i]!);
  }
  return counts;
}

/** The log of odd names has names that only a parser reads right; without a compiler, no leaf is code of a function. */
const COUNTABLE = FIXTURE_NAMES.filter(
  (name) => /^node-(?:1[68]|2\d)/.test(name) && !/odd|jitless/.test(name),
);

describe.each(COUNTABLE)("%s with inlined functions", (name) => {
  it("has the leaf functions and lines that looking each pc up finds", async () => {
    const expected = leafFunctions(fixtureLog(name).toString("utf8"));
    const found = leafLines(await fixtureProfile(name, WHOLE));
    // Lines of code without positions are found in other ways.
    const isPlaced = ([key]: [string, number]) => !key.endsWith("\t0");
    const byFunction = (counts: ReadonlyMap<string, number>) => {
      const sums = new Map<string, number>();
      for (const [key, ticks] of counts) {
        const [logged = ""] = key.split("\t");
        sums.set(logged, (sums.get(logged) ?? 0) + ticks);
      }
      return Object.fromEntries(Array.from(sums).sort());
    };
    expect(expected.size).toBeGreaterThan(0);
    expect(byFunction(found)).toEqual(byFunction(expected));
    for (const [key, ticks] of Array.from(expected).filter(isPlaced)) {
      expect(found.get(key), key).toBeGreaterThanOrEqual(ticks);
    }
  });

  it("has the ticks that it has without", async () => {
    const [plain, inlined] = await Promise.all([fixtureProfile(name), fixtureProfile(name, WHOLE)]);
    // Without lines none is lost, and missing callers are not counted.
    const { missingCallers } = plain.info;
    expect({ ...inlined.info, lostLines: 0, missingCallers }).toEqual(plain.info);
    const { self } = Analysis.of(inlined).functionTicks;
    expect(self.reduce((sum, ticks) => sum + ticks, 0)).toBe(plain.info.ticks);
  });
});

describe.each(COUNTABLE.filter((name) => name.endsWith("inlining")))("%s", (name) => {
  it("gives ticks to functions that have none of their own without inlining", async () => {
    const self = async (inlines: boolean) => {
      const profile = await fixtureProfile(name, { inlines });
      const table = new FunctionTable(profile.frames);
      const ticks = Analysis.of(profile).functionTicks.self;
      return (title: string) => ticks[table.functions.findIndex((known) => known.title === title)] ?? 0;
    };
    const [plain, inlined] = [await self(false), await self(true)];
    for (const title of ["normalize", "dot"]) expect(inlined(title)).toBeGreaterThan(plain(title));
  });
});
