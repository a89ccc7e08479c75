import { describe, expect, it } from "vitest";
import { PAGE_LIMITS, pageData } from "../../src/exporters/flame/page-data.ts";
import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { depthFirst } from "../../src/profile/depth-first.ts";
import type { Frame } from "../../src/profile/frame.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { stackTicks } from "../../src/profile/stack-ticks.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { categories } from "../../src/views/breakdown.ts";
import { Confidence } from "../../src/views/confidence.ts";
import { FoldedStacks } from "../../src/views/folded-tree.ts";
import { functionChains } from "../../src/views/function-chains.ts";
import { FunctionStacks } from "../../src/views/function-stacks.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { functionTicks, inferredTicks } from "../../src/views/function-ticks.ts";
import { topDown } from "../../src/views/function-tree.ts";
import { heavyStacks } from "../../src/views/heavy-stacks.ts";
import { innermostTicks } from "../../src/views/innermost-ticks.ts";
import { allTicks, leafTicks, stateTicks } from "../../src/views/leaf-ticks.ts";
import { packageTicks } from "../../src/views/package-ticks.ts";
import { programFunctions, ticksAboveProgram } from "../../src/views/program-frames.ts";
import { stacksByFunction } from "../../src/views/stacks-by-function.ts";
import { topOf } from "../../src/views/top.ts";
import { topFunctions } from "../../src/views/top-functions.ts";
import { expectEqual } from "../helpers/equal.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const STACKS = 20_000;

/** Code of each kind that loops over nodes tell apart. */
const NAMES = [
  ...Array.from({ length: 8 }, (_, i) => `app${i} /srv/app/a.js:${10 * i + 1}:1`),
  ...Array.from({ length: 4 }, (_, i) => `dep${i} /srv/node_modules/p${i % 2}/b.js:${10 * i + 1}:1`),
  "Module._load node:internal/modules/cjs/loader:9:1",
  "readFileSync node:fs:3:1",
  " /srv/app/a.js:1:1",
  " /srv/node_modules/p1/b.js:1:1",
];
const NATIVE = ["v8::internal::Log::Write()", "fwrite", "v8::internal::Run()", "node::Start()", undefined];

const FRAMES: Frame[] = [
  ...NAMES.flatMap((name) =>
    (["~", "*"] as const).map(
      (tier, i): Frame => ({ kind: "js", type: "JS", tier, name, line: i * 3, inlined: false }),
    ),
  ),
  { kind: "js", type: "JS", tier: "~", name: NAMES[0]!, line: 4, inlined: false, inferred: true },
  { kind: "js", type: "JS", tier: "*", name: NAMES[1]!, line: 3, inlined: true },
  ...NATIVE.map((symbol): Frame => ({ kind: "native", library: "/usr/bin/node", symbol })),
  { kind: "code", type: "Builtin", name: "LoadIC", duplicate: 0 },
  { kind: "unknown", reason: "unmapped" },
];

/** Random stacks of some ten thousand nodes, with the times of their ticks. */
function largeProfile(seed: number): Profile {
  const random = createRandom(seed);
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  const timeline = new TimelineBuilder();
  for (let stack = 0; stack < STACKS; stack++) {
    let node = ROOT;
    for (let depth = random(9); depth >= 0; depth--) node = tree.child(node, random(FRAMES.length));
    const sample = samples.add(node, random(10));
    for (let tick = random(3); tick > 0; tick--) samples.add(node, samples.vmState[sample]!);
    for (let tick = samples.ticks[sample]!; tick > 0; tick--) timeline.add(sample, timeline.length * 1000);
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

/** Expects of a large profile the same with the kernel and without. */
async function expectSame(found: (profile: Profile, table: FunctionTable) => unknown): Promise<void> {
  for (const seed of [1, 2]) {
    const of = () => found(largeProfile(seed), new FunctionTable(FRAMES));
    const expected = await withoutKernels(of);
    expectEqual(of(), expected);
  }
}

describe("the kernel for the passes of views", () => {
  it("orders nodes depth first", () => expectSame(({ tree }) => depthFirst(tree)));

  it("counts ticks by leaf, stack and function", async () => {
    await expectSame((profile) => [leafTicks(profile), stateTicks(profile.samples), stackTicks(profile)]);
    await expectSame((profile, table) => [functionTicks(profile, table), inferredTicks(profile, table)]);
    const profile = largeProfile(1);
    expect(functionTicks(profile, new FunctionTable(FRAMES)).self.reduce((a, b) => a + b)).toBe(
      allTicks(profile.samples),
    );
  });

  it("finds the innermost frames, and what is above them", async () => {
    await expectSame((profile, table) => {
      const isProgram = programFunctions(table);
      return innermostTicks(
        profile,
        Uint8Array.from(table.ofFrame, (id) => isProgram[id]!),
      );
    });
    await expectSame((profile, table) => ticksAboveProgram(profile, table));
    const above = ticksAboveProgram(largeProfile(1), new FunctionTable(FRAMES));
    expect(above.some((ticks) => ticks > 0)).toBe(true);
  });

  it("finds packages and categories", async () => {
    await expectSame((profile) => [packageTicks(profile), categories(profile)]);
    expect(new Set(categories(largeProfile(1))).size).toBeGreaterThan(8);
  });

  it("folds stacks, and finds chains of calls", async () => {
    await expectSame((profile, table) => heavyStacks(profile, table, { limit: 50 }));
    await expectSame((profile, table) => {
      const isLight = Uint8Array.from(table.functions, (_, id) => Number(id % 3 === 1));
      return new FoldedStacks(profile, table, { categoryOf: categories(profile), isLight });
    });
    await expectSame((profile, table) =>
      functionChains(profile, table, topFunctions(profile, table).byTotal),
    );
    const profile = largeProfile(1);
    expect(heavyStacks(profile, new FunctionTable(FRAMES), { limit: 50 }).stacks.length).toBeGreaterThan(1);
  });

  it("makes the same page of ticks flame", async () => {
    const all = largeProfile(4);
    for (const limits of [{}, { rows: 3000 }, { boxes: 60_000 }, { frames: 2000, slices: 50 }]) {
      const page = () => pageData(all, { ...PAGE_LIMITS, ...limits });
      const found = page();
      expect(found.slices?.size).toBeGreaterThan(0);
      expectEqual(await withoutKernels(page), found);
    }
  });

  it("joins stacks to a tree of functions", async () => {
    await expectSame((profile) => {
      const stacks = new FunctionStacks(profile);
      return [
        topDown(profile, stacks),
        stacks.run,
        Array.from(stacks.run, (_, node) => stacks.callerOf(node, 0)),
      ];
    });
    const profile = largeProfile(1);
    const stacks = new FunctionStacks(profile);
    const { tree, ticks, self, inlined, inferred, recursion } = topDown(profile, stacks);
    expect(tree.length).toBeGreaterThan(1 << 14);
    expect(ticks[ROOT]).toBe(allTicks(profile.samples));
    expect(self.reduce((a, b) => a + b)).toBe(allTicks(profile.samples));
    for (const column of [inlined, inferred]) expect(column.reduce((a, b) => a + b)).toBeGreaterThan(0);
    expect(Math.max(...recursion.subarray(0, 1000))).toBeGreaterThan(1);
    expect(stacks.isBareAt.includes(1)).toBe(true);
  }, 20_000);

  it("measures how sure shares are", async () => {
    await expectSame((profile, table) => {
      const { profile: merged, rows } = stacksByFunction(profile, table);
      const confidence = new Confidence(profile);
      const random = createRandom(3);
      const row = Int32Array.from({ length: profile.samples.length }, () => random(12) - 1);
      const mask = row.map((bits) => bits * 5);
      const ticks = Array.from({ length: 10 }, (_, i) => 100 + i);
      return [
        confidence.ranges(ticks, { row }),
        confidence.ranges(ticks, { mask }),
        confidence.ranges(ticks, (sample, count) => row[sample]! >= 0 && count(row[sample]! % 10)),
        confidence.effectiveTicks(10, { row }),
        confidence.merged(merged.samples, rows).ranges(ticks, { mask: mask.slice(0, merged.samples.length) }),
      ];
    });
  });

  it("measures merged samples as it does the samples themselves", () => {
    const profile = largeProfile(1);
    const table = new FunctionTable(FRAMES);
    const { profile: merged, rows } = stacksByFunction(profile, table);
    expect(merged.samples.length).toBeLessThan(profile.samples.length);
    const rowOf = ({ tree, samples }: Profile, ofFrame: Int32Array) => ({
      row: Array.from({ length: samples.length }, (_, i) => ofFrame[tree.frame[samples.node[i]!]!]!),
    });
    const { self } = functionTicks(profile, table);
    const confidence = new Confidence(profile);
    expect(
      confidence
        .merged(merged.samples, rows)
        .ranges(Array.from(self), rowOf(merged, table.functions.map((_, id) => id) as unknown as Int32Array)),
    ).toEqual(confidence.ranges(Array.from(self), rowOf(profile, table.ofFrame)));
  });

  it("makes the same summary", async () => {
    await expectSame((profile) => {
      const { table: _, names: __, ...top } = topOf(profile, 20);
      return top;
    });
  });
});
