import { describe, expect, it } from "vitest";
import { type CallTree, CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { mergeEqualFrames } from "../../src/profile/equal-frames.ts";
import type { Frame } from "../../src/profile/frame.ts";
import { mergeRows } from "../../src/profile/merged-rows.ts";
import { chainsOf, mergedTree } from "../../src/profile/merged-tree.ts";
import type { Profile } from "../../src/profile/profile.ts";
import type { Stacks } from "../../src/profile/remap.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { openTreeKernel } from "../../src/profile/tree-kernel.ts";
import { entryPoints } from "../../src/views/entry-points.ts";
import { flatRows } from "../../src/views/flat.ts";
import { StackLabels } from "../../src/views/stack-labels.ts";
import { expectEqual } from "../helpers/equal.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";

const FRAMES = 60;
const STACKS = 20_000;

/** A frame of each kind that loops over nodes tell apart, some of them equal to others. */
function frameOf(number: number): Frame {
  if (number % 7 === 0) return { kind: "unknown", reason: number % 2 === 0 ? "unmapped" : "builtin-gap" };
  if (number % 3 === 0) return { kind: "native", library: "node", symbol: `f${number % 9}` };
  if (number % 3 === 1) return { kind: "native", library: `lib${number}`, symbol: undefined };
  const type = number % 2 === 0 ? "BytecodeHandler" : "Builtin";
  return { kind: "code", type, name: `b${number % 8}`, duplicate: 0 };
}

/** Random stacks of some ten thousand nodes. */
function largeStacks(seed: number): Stacks {
  const random = createRandom(seed);
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  for (let stack = 0; stack < STACKS; stack++) {
    let node = ROOT;
    for (let depth = random(9); depth >= 0; depth--) node = tree.child(node, random(FRAMES));
    samples.add(node, random(3));
  }
  return { frames: Array.from({ length: FRAMES }, (_, i) => frameOf(i)), tree: tree.finish(), samples };
}

function columnsOf({ frames, tree, samples }: Stacks) {
  return {
    frames,
    tree: [tree.parent, tree.frame].map((column) => column.slice(0, tree.length)),
    samples: [samples.node, samples.vmState, samples.ticks].map((column) => column.slice(0, samples.length)),
  };
}

/** Expects of large stacks the same with the kernel and without. */
async function expectSame<T>(found: (stacks: Stacks) => T): Promise<void> {
  for (const seed of [1, 2]) {
    expect(openTreeKernel(largeStacks(seed).tree)).toBeDefined();
    const expected = await withoutKernels(() => found(largeStacks(seed)));
    expectEqual(found(largeStacks(seed)), expected);
  }
}

describe("the kernel for large trees", () => {
  it("merges nodes whose frames are equal", async () => {
    await expectSame((stacks) => columnsOf(mergeEqualFrames(stacks)));
    const merged = mergeEqualFrames(largeStacks(1));
    expect(merged.tree.length).toBeLessThan(largeStacks(1).tree.length);
  });

  it("builds a tree with other frames, several for one, or none", async () => {
    // Of 60 frames, 12 are left out, 12 are two; the others are 30 different ones.
    const chains = chainsOf(
      Array.from({ length: FRAMES }, (_, i) => (i % 5 === 0 ? [] : i % 5 === 1 ? [i % 30, 40] : [i % 30])),
    );
    const merged = ({ tree }: Stacks) => {
      const numbers = Int32Array.from({ length: tree.length }, (_, node) => node);
      const { tree: shorter, isShared } = mergedTree(tree, chains, numbers);
      const { length, parent, frame } = shorter;
      const old = new Int32Array(length);
      for (const number of numbers) old[number]!++;
      const isMarked = old.every((count, node) => count < 2 || isShared[node] === 1);
      expect(isMarked).toBe(true);
      return [parent.slice(0, length), frame.slice(0, length), numbers];
    };
    await expectSame(merged);
    const [parent, frame] = merged(largeStacks(1)) as [Int32Array, Int32Array];
    expect(frame).toContain(40);
    expect(parent.length).toBeLessThan(largeStacks(1).tree.length);
  });

  it("merges the rows of samples", async () => {
    for (const kind of [Float64Array, Uint32Array]) {
      const rows = ({ samples }: Stacks) => {
        const random = createRandom(3);
        const { length, vmState, ticks } = samples;
        const node = Int32Array.from({ length }, () => random(500));
        const thread = Uint16Array.from({ length }, () => random(3));
        const isShared = Uint8Array.from({ length: 500 }, (_, i) => Math.min(i, 1));
        const merged = mergeRows(
          { length, node, vmState, thread, ticks: kind.from(ticks.subarray(0, length)) },
          isShared,
        );
        const found = Object.values(merged.samples).map((column) =>
          typeof column === "number" ? column : column.slice(0, merged.samples.length),
        );
        return [...found, merged.numbers];
      };
      await expectSame(rows);
      expect(rows(largeStacks(1))[0]).toBeLessThan(500 * 9 + largeStacks(1).samples.length / 100);
    }
  });

  it("labels nodes", async () => {
    await expectSame((stacks) => {
      const profile = stacks as Profile;
      const labels = new StackLabels(profile, { builtins: false });
      const shown = Array.from({ length: stacks.tree.length }, (_, node) =>
        node === ROOT ? -1 : labels.shown(node),
      );
      const { ofNode, leaves, callers } = labels;
      return [ofNode, leaves, callers]
        .map((column) => Array.from(column))
        .concat(
          [shown],
          flatRows(profile, labels).map(({ self }) => [self]),
        );
    });
  });

  it("finds where C++ was entered", async () => {
    await expectSame((stacks) => entryPoints(stacks as Profile));
    expect(entryPoints(largeStacks(1) as Profile).length).toBeGreaterThan(0);
  });

  it("is for trees for which it pays off", async () => {
    const treeOf = (length: number): CallTree => ({
      length,
      parent: new Int32Array(length),
      frame: new Int32Array(length),
    });
    expect(openTreeKernel(treeOf(1000))).toBeUndefined();
    expect(openTreeKernel(treeOf(100_000))).toBeDefined();
    expect(openTreeKernel(treeOf(2_000_000))).toBeUndefined();
    expect(await withoutKernels(() => openTreeKernel(treeOf(100_000)))).toBeUndefined();
  });

  it("keeps what was put into it when its memory grows", () => {
    const tree = largeStacks(1).tree;
    const kernel = openTreeKernel(tree)!;
    const bytes = kernel.place(Uint8Array.of(1, 2, 3));
    kernel.room(1 << 24);
    expect(Array.from(kernel.bytes(bytes, 3))).toEqual([1, 2, 3]);
    expect(kernel.integers(kernel.parent, tree.length)).toEqual(tree.parent.slice(0, tree.length));
  });
});
