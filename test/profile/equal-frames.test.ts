import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT, stackOf } from "../../src/profile/call-tree.ts";
import { mergeEqualFrames } from "../../src/profile/equal-frames.ts";
import type { Frame } from "../../src/profile/frame.ts";
import { StackMerger, type Stacks } from "../../src/profile/remap.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { createRandom } from "../helpers/random.ts";

const native = (symbol: string): Frame => ({ kind: "native", library: "lib", symbol });

/** Stacks over so many frames, every third of which equals another one. */
function randomStacks(random: (n: number) => number, frameCount: number, ticks: number): Stacks {
  const frames = Array.from({ length: frameCount }, (_, i) =>
    native(`f${i % 3 === 0 ? random(frameCount) : i}`),
  );
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  const timeline = new TimelineBuilder();
  for (let tick = 0; tick < ticks; tick++) {
    let node = ROOT;
    for (let depth = random(6); depth >= 0; depth--) node = tree.child(node, random(frameCount));
    timeline.add(samples.add(node, random(3), 1, random(2)), tick);
  }
  return { frames, tree: tree.finish(), samples, timeline };
}

/** Everything but the numbers behind the lengths of columns. */
function content({ frames, tree, samples, timeline }: Stacks) {
  const first = <T>(column: ArrayLike<T>, length: number) => Array.from(column).slice(0, length);
  return {
    frames,
    parent: first(tree.parent, tree.length),
    frame: first(tree.frame, tree.length),
    rows: (["node", "vmState", "thread", "ticks"] as const).map((name) =>
      first(samples[name], samples.length),
    ),
    timeline: timeline && first(timeline.sample, timeline.length),
  };
}

describe("mergeEqualFrames", () => {
  it("answers what collecting all stacks anew does", () => {
    const random = createRandom(11);
    for (const frameCount of [1, 4, 12, 60]) {
      for (let round = 0; round < 20; round++) {
        const stacks = randomStacks(random, frameCount, 200);
        const merger = new StackMerger();
        merger.add(stacks);
        const expected = content(merger.finish());
        expect(content(mergeEqualFrames(stacks))).toEqual(expected);
      }
    }
  });

  it("makes stacks one that differ in frames which turn out equal, with their ticks and below them", () => {
    const tree = new CallTreeBuilder();
    const samples = new SampleTableBuilder();
    for (const stack of [[0], [0, 2], [1, 2], [1], [3, 1]]) {
      samples.add(
        stack.reduce((node, frame) => tree.child(node, frame), ROOT),
        0,
      );
    }
    const frames = [native("a"), native("a"), native("b"), native("c")];
    const merged = mergeEqualFrames({ frames, tree: tree.finish(), samples });
    const names = Array.from({ length: merged.samples.length }, (_, row) => [
      ...Array.from(stackOf(merged.tree, merged.samples.node[row]!), (frame) => merged.frames[frame]!),
      merged.samples.ticks[row],
    ]);
    const [a, b, c] = [native("a"), native("b"), native("c")];
    expect(names).toEqual([
      [a, 2],
      [b, a, 2],
      [a, c, 1],
    ]);
  });
});
