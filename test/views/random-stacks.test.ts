import { describe, expect, it } from "vitest";
import { type CallTree, CallTreeBuilder, ROOT, stackOf } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { allTicks, SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { regroup } from "../../src/profile/stacks.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { Analysis } from "../../src/views/analysis.ts";
import { innermostTicks } from "../../src/views/innermost-ticks.ts";
import { programFunctions, ticksAboveProgram } from "../../src/views/program-frames.ts";
import { createRandom } from "../helpers/random.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

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
    const rowOf = ({ tree: { frame }, samples: { length, node } }: Profile, ofFrame: ArrayLike<number>) => ({
      row: Array.from({ length }, (_, i) => ofFrame[frame[node[i]!]!]!),
    });
    const self = Array.from(analysis.functionTicks.self);
    const ids = Array.from({ length: functions }, (_, id) => id);
    expect(merged.confidence.ranges(self, rowOf(merged, ids))).toEqual(
      analysis.confidence.ranges(self, rowOf(profile, table.ofFrame)),
    );
  });
});
