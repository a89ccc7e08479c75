import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { namesCalled, topFrames, topNodes } from "../../src/symbolizer/call-evidence.ts";

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

describe("the loops that tell what was called where", () => {
  it("find frames and nodes at the top, which have a caller", () => {
    const { tree, leaves } = loopsOf(STACKS);
    expect(topFrames(tree, marks(LOAD), marks(SORT))).toEqual(marks(LOAD));
    expect(topFrames(tree, marks(LOAD), marks(MAIN))).toEqual(marks());
    expect(Array.from(topNodes(tree, marks(LOAD), marks(SORT, BY)))).toEqual([leaves[1], leaves[2]]);
  });

  it("know what called what", () => {
    const { tree } = loopsOf(STACKS);
    const isCalled = namesCalled(tree, Int32Array.of(10, 11, -1, 12));
    expect(isCalled(10, 11)).toBe(true);
    expect(isCalled(11, 12)).toBe(true);
    expect(isCalled(10, 12)).toBe(false);
    expect(isCalled(12, 10)).toBe(false);
  });
});
