import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { breakdown } from "../../src/facts/breakdown.ts";
import { FunctionTable } from "../../src/facts/function-table.ts";
import { innermostTicks } from "../../src/facts/innermost-ticks.ts";
import { loadingTicks } from "../../src/facts/loading-ticks.ts";
import { originsOf } from "../../src/facts/origin.ts";
import { packageStacks } from "../../src/facts/package-stacks.ts";
import { programFunctions, ticksAboveProgram } from "../../src/facts/program-frames.ts";
import { sharesOf } from "../../src/facts/shares.ts";
import { startupOf } from "../../src/facts/startup.ts";
import { topOf } from "../../src/facts/top.ts";
import { type CallTree, CallTreeBuilder, ROOT, stackOf } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { allTicks, SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { shownStacks } from "../../src/profile/shown-stacks.ts";
import { regroup } from "../../src/profile/stacks.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("the stacks by function", () => {
  it("merges stacks that differ in lines, and their samples", () => {
    const profile = profileFromStacks(
      "js:main·/a.js:1:1@5 js:f·/a.js:9:1@10 builtin:Add",
      "js:main·/a.js:1:1@6 js:f·/a.js:9:1@11 builtin:Add",
      "js:main·/a.js:1:1@6 js:g·/a.js:20:1@21",
    );
    const { analysis, rows } = Analysis.of(profile).byFunction;
    const { tree, samples, table } = analysis;
    const stacks = Array.from(samples.node.subarray(0, samples.length), (node) =>
      Array.from(stackOf(tree, node), (frame) => table.functions[table.ofFrame[frame]!]!.title),
    );
    expect(stacks).toEqual([
      ["Builtin: Add", "f", "main"],
      ["g", "main"],
    ]);
    expect(Array.from(rows)).toEqual([0, 0, 1]);
    expect(Array.from(samples.ticks.subarray(0, samples.length))).toEqual([2, 1]);
    expect(tree.length).toBeLessThan(profile.tree.length);
    expect(Array.from(profile.samples.ticks.subarray(0, 3))).toEqual([1, 1, 1]);
  });

  it("merges the samples of all threads, and keeps those of other VM states", () => {
    const one = profileFromStacks("js:f", "js:f", "gc:js:f");
    const samples = { ...one.samples, thread: Uint16Array.of(0, 1, 0) };
    const threads = [one.info.threads[0]!, one.info.threads[0]!];
    const both = {
      ...one,
      info: { ...one.info, threads },
      samples: {
        ...samples,
        length: 3,
        node: Int32Array.of(1, 1, 1),
        vmState: Uint8Array.of(0, 0, 1),
        ticks: Float64Array.of(2, 3, 4),
      },
    };
    const { analysis, rows } = Analysis.of(both).byFunction;
    expect(Array.from(rows)).toEqual([0, 0, 1]);
    expect(Array.from(analysis.samples.ticks)).toEqual([5, 4]);
  });
});

describe("functionTicks", () => {
  it("sums self to the ticks, and counts a recursive function once a stack", () => {
    const profile = profileFromStacks("js:f js:g js:f", "js:f js:g", "js:g builtin:Add", "?");
    const table = new FunctionTable(profile.frames);
    const { self, total } = Analysis.of(profile).functionTicks;
    const rows = table.functions.map(({ title }, i) => `${title} ${self[i]} ${total[i]}`);
    expect(rows).toEqual(["f 1 2", "g 1 3", "Builtin: Add 1 1", "UNKNOWN 1 1"]);
    expect(self.reduce((sum, ticks) => sum + ticks)).toBe(profile.info.ticks);
  });
});

describe("FunctionTable", () => {
  it("makes one function of its tiers, lines and inlined copies", () => {
    const [frame] = profileFromStacks("js:f·/a.js:1:2").frames;
    if (frame?.kind !== "js") throw new Error("not a function");
    const { functions, ofFrame } = new FunctionTable([
      frame,
      { ...frame, tier: "~" },
      { ...frame, line: 7 },
      { ...frame, inlined: true },
      { ...frame, name: "f /b.js:1:2" },
    ]);
    expect(Array.from(ofFrame)).toEqual([0, 0, 0, 0, 1]);
    expect(functions[0]).toMatchObject({ title: "f", file: "/a.js", line: 1, column: 2 });
  });
});

const rows = (...stacks: string[]) =>
  breakdown(profileFromStacks(...stacks))
    .filter(({ ticks }) => ticks > 0)
    .map(({ category, ticks, percent }) => `${category} ${ticks} ${percent}`);

describe("a breakdown", () => {
  it("has each tick once: by what V8 did, else by the code that ran", () => {
    expect(
      rows("js:a", "js:a", "js:a", "js:a cpp:f", "builtin:B", "?", "gc:js:a", "gc:?", "gc:cpp:f"),
    ).toEqual(["js 3 33.4", "gc 3 33.3", "builtins 1 11.1", "native 1 11.1", "unknown 1 11.1"]);
  });

  it("spreads JavaScript over its tiers, the slowest first", () => {
    const [javascript, ...others] = breakdown(profileFromStacks("js:~a", "js:*a", "js:*b", "gc:js:^a"));
    expect(javascript?.tiers).toEqual([
      { tier: "~", ticks: 1 },
      { tier: "*", ticks: 2 },
    ]);
    expect(others.every(({ tiers }) => tiers.length === 0)).toBe(true);
  });

  it("is all zeros without ticks", () => {
    expect(breakdown(profileFromStacks()).every(({ ticks, percent }) => ticks === 0 && percent === 0)).toBe(
      true,
    );
  });
});

const row = (name: string, address: number) =>
  `code-creation,JS,10,1,0x${address.toString(16)},256,${name},0x${(address + 0x100000).toString(16)},~`;

const CODE = [
  row("main /srv/main.js:1:1", 0x1000),
  row("helper /srv/lib/helper.js:1:1", 0x2000),
  row("Module._load node:internal/modules/cjs/loader:1:20", 0x3000),
  row("readFileSync node:fs:1:20", 0x4000),
  row("parse /srv/node_modules/@a/b/index.js:1:1", 0x5000),
];

const tick = (...stack: number[]) =>
  [
    `tick,0x${(stack[0] ?? 0).toString(16)},1,0,0x0,0`,
    ...stack.slice(1).map((at) => `0x${at.toString(16)}`),
  ].join();

async function stacks(...ticks: string[]) {
  const grouped = packageStacks(await profileOf(logOf(...NODE_26, ...CODE, ...ticks)));
  const names = originsOf(grouped.frames).map(({ kind, name }) => (kind === "native" ? kind : name));
  const found: Record<string, number> = {};
  for (let i = 0; i < grouped.samples.length; i++) {
    const stack = Array.from(stackOf(grouped.tree, grouped.samples.node[i]!), (frame) => names[frame]);
    const key = stack.reverse().join(" > ");
    found[key] = (found[key] ?? 0) + grouped.samples.ticks[i]!;
  }
  return found;
}

describe("stacks by package", () => {
  it("have one frame for functions of a package that call each other", async () => {
    expect(await stacks(tick(0x2001, 0x1001, 0x2001), tick(0x1001))).toEqual({ app: 2 });
    expect(await stacks(tick(0x1001, 0x5001, 0x2001))).toEqual({ "app > @a/b > app": 1 });
  });

  it("give Node's loader to the package that requires, and other functions of Node to Node", async () => {
    expect(await stacks(tick(0x4001, 0x3001, 0x1001), tick(0x5001, 0x3001, 0x1001))).toEqual({
      app: 1,
      "app > @a/b": 1,
    });
    expect(await stacks(tick(0x4001, 0x1001), tick(0x3001))).toEqual({ "app > node": 1, node: 1 });
  });

  it("keep every tick, also those without JavaScript", async () => {
    expect(await stacks(tick(0x9000), tick(0), tick(0x9000, 0x5001))).toEqual({ native: 2, "@a/b": 1 });
  });
});

describe("the ticks of loading", () => {
  const row = (name: string, address: number) =>
    `code-creation,JS,10,1,0x${address.toString(16)},256,${name},0x${(address + 0x100000).toString(16)},~`;
  const CODE = [
    row(" /srv/main.js:1:1", 0x1000),
    row("work /srv/main.js:3:10", 0x2000),
    row("Module._load node:internal/modules/cjs/loader:1:20", 0x3000),
    row(" /srv/node_modules/a/index.js:1:1", 0x4000),
  ];
  const tick = (pc: number, ...callers: number[]) =>
    [`tick,0x${pc.toString(16)},1,0,0x0,0`, ...callers.map((at) => `0x${at.toString(16)}`)].join();
  const read = async (...ticks: string[]) =>
    shownStacks(await profileOf(logOf(...NODE_26, ...CODE, ...ticks), { timeline: true, inlines: true }));

  const WORKING = tick(0x2001, 0x1001);
  const LOADING = [tick(0x3001, 0x1001), tick(0x4001, 0x3001, 0x1001), tick(0x2001, 0x4001, 0x3001, 0x1001)];

  it("are those of the loader and of packages, not of the program's own modules", async () => {
    expect(loadingTicks(await read(WORKING, ...LOADING))).toMatchObject({ startup: 3, later: 0 });
    expect(loadingTicks(await read(WORKING, tick(0x1001)))).toMatchObject({ startup: 0, later: 0 });
  });

  it("end where ticks startup says: what a tool does as its main module loads is none, nor is what is loaded later", async () => {
    const at = (line: string, time: number) => line.replace(/^(tick,\w+),1,/, `$1,${time},`);
    const long = Array.from({ length: 300 }, (_, i) => at(tick(0x4001, 0x3001, 0x1001), 10_000 + i * 1000));
    const early = [1000, 2000].map((time) => at(tick(0x3001, 0x1001), time));
    const profile = await read(...early, ...long);
    expect(loadingTicks(profile)).toMatchObject({ startup: 2, later: 0 });
    const [end] = startupOf(profile, { kind: "loaded" })!.ends;
    expect(end).toMatchObject({ by: "loaded", time: 2000 });
    const served = Array.from({ length: 300 }, (_, i) => at(tick(0x2001), 1_000_000 + i * 1000));
    const late = at(tick(0x4001, 0x3001, 0x2001), 2_000_000);
    // What is calculated before it serves is a part of its start-up.
    expect(loadingTicks(await read(...early, ...long, ...served, late))).toMatchObject({
      startup: 302,
      later: 1,
    });
  });

  it("are a reason for ticks startup from 30 % on", async () => {
    const steps = async (...ticks: string[]) => topOf(await read(...ticks), 10).steps;
    expect(await steps(WORKING, ...LOADING)).toContainEqual({ kind: "startup", percent: 75 });
    const kinds = (await steps(...LOADING, ...new Array(8).fill(WORKING))).map(({ kind }) => kind);
    expect(kinds).not.toContain("startup");
  });
});

describe("sharesOf", () => {
  it("sums to exactly 100.0", () => {
    const sum = (parts: readonly number[]) => sharesOf(parts).reduce((a, b) => a + Math.round(b * 10), 0);
    for (const parts of [
      [1, 1, 1],
      [1, 0, 0],
      [3333, 3333, 3334],
      [1, 2, 3, 4, 5, 6, 7],
      [999, 1],
    ]) {
      expect(sum(parts)).toBe(1000);
    }
    expect(sharesOf([1, 1, 1])).toEqual([33.4, 33.3, 33.3]);
    expect(sharesOf([0, 0])).toEqual([0, 0]);
  });
});

describe("random stacks", () => {
  const NAMES = [
    ...Array.from({ length: 8 }, (_, i) => `app${i} /srv/app/a.js:${10 * i + 1}:1`),
    ...Array.from({ length: 4 }, (_, i) => `dep${i} /srv/node_modules/p${i % 2}/b.js:${10 * i + 1}:1`),
    "readFileSync node:fs:3:1",
  ];

  const FRAMES: Frame[] = [
    ...NAMES.flatMap((name) =>
      (["~", "*"] as const).map(
        (tier, i): Frame => ({ kind: "js", type: "JS", tier, name, line: i * 3, inlined: false }),
      ),
    ),
    { kind: "native", library: "/usr/bin/node", symbol: "fwrite" },
    { kind: "code", type: "Builtin", name: "LoadIC", duplicate: 0 },
  ];

  /** Random stacks, with the times of their ticks. */
  function randomProfile(): Profile {
    const random = createRandom(1);
    const tree = new CallTreeBuilder();
    const samples = new SampleTableBuilder();
    const timeline = new TimelineBuilder();
    for (let stack = 0; stack < 2000; stack++) {
      let node = ROOT;
      for (let depth = random(9); depth >= 0; depth--) node = tree.child(node, random(FRAMES.length));
      const sample = samples.add(node, random(10), 1 + random(3));
      for (let tick = 0; tick < samples.ticks[sample]!; tick++) timeline.add(sample, timeline.length * 1000);
    }
    const { info } = profileFromStacks("js:a");
    const finished = samples.finish();
    return {
      frames: FRAMES,
      tree: tree.finish(),
      samples: finished,
      timeline: timeline.finish(),
      sources: [],
      info: { ...info, ticks: allTicks(finished) },
    };
  }

  /** The frames of a stack, outermost first. */
  function framesOf(tree: CallTree, node: number): number[] {
    return Array.from(stackOf(tree, node)).reverse();
  }

  /** What is added up stack by stack, each as its frames, outermost first. */
  function sumsOf(
    { tree, samples }: Profile,
    length: number,
    indexesOf: (frames: number[]) => Iterable<number>,
  ) {
    const sums = new Float64Array(length);
    for (let i = 0; i < samples.length; i++)
      for (const index of indexesOf(framesOf(tree, samples.node[i]!))) sums[index]! += samples.ticks[i]!;
    return sums;
  }

  const profile = randomProfile();
  const analysis = Analysis.of(profile);
  const { tree, samples, table } = analysis;
  const functions = table.functions.length;

  describe("the sums over random stacks", () => {
    it("are those that are added up stack by stack: by leaf, and by function", () => {
      expect(analysis.leaves.all).toEqual(sumsOf(profile, FRAMES.length, (frames) => [frames.at(-1)!]));
      const { self, total } = analysis.functionTicks;
      expect(self).toEqual(sumsOf(profile, functions, (frames) => [table.ofFrame[frames.at(-1)!]!]));
      expect(total).toEqual(
        sumsOf(profile, functions, (frames) => new Set(frames.map((frame) => table.ofFrame[frame]!))),
      );
      expect(analysis.under[ROOT]).toBe(allTicks(samples));
    });

    it("are at the innermost frame of some, and above the first of the program", () => {
      const isMine = Uint8Array.from(FRAMES, (_, frame) => frame % 2);
      expect(innermostTicks(profile, isMine).ticks).toEqual(
        sumsOf(profile, FRAMES.length, (frames) => frames.filter((frame) => isMine[frame] === 1).slice(-1)),
      );
      const isProgram = programFunctions(table);
      expect(ticksAboveProgram(analysis)).toEqual(
        sumsOf(profile, functions, (frames) => {
          const ids = frames.map((frame) => table.ofFrame[frame]!);
          const first = ids.findIndex((id) => isProgram[id] === 1);
          return new Set(ids.slice(0, Math.max(0, first)));
        }),
      );
    });
  });

  describe("trees of random stacks", () => {
    it("have chains of frames in place of each frame", () => {
      // Some are left out, some are two, and others become equal.
      const lists = FRAMES.map((_, i) => (i % 5 === 0 ? [] : i % 5 === 1 ? [i % 7, 40] : [i % 7]));
      const merged = new CallTreeBuilder();
      const numbers = regroup(tree, merged, (into, caller, node) =>
        lists[tree.frame[node]!]!.reduce((to, frame) => into.child(to, frame), caller),
      );
      for (let node = 0; node < tree.length; node++) {
        const expected = framesOf(tree, node).flatMap((frame) => lists[frame]!);
        expect(framesOf(merged, numbers[node]!)).toEqual(expected);
      }
      expect(merged.length).toBeLessThan(tree.length);
    });

    it("merged by function have shares as sure as those of the samples themselves", () => {
      const { analysis: merged } = analysis.byFunction;
      expect(merged.samples.length).toBeLessThan(samples.length);
      const rowOf = (
        { tree: { frame }, samples: { length, node } }: Profile,
        ofFrame: ArrayLike<number>,
      ) => ({
        row: Array.from({ length }, (_, i) => ofFrame[frame[node[i]!]!]!),
      });
      const self = Array.from(analysis.functionTicks.self);
      const ids = Array.from({ length: functions }, (_, id) => id);
      expect(merged.confidence.ranges(self, rowOf(merged, ids))).toEqual(
        analysis.confidence.ranges(self, rowOf(profile, table.ofFrame)),
      );
    });
  });
});
