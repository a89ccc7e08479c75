import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import type { StackLoops } from "../../src/symbolizer/call-pairs.ts";
import { stackLoops } from "../../src/symbolizer/stack-loops.ts";
import { kernelLoops } from "../../src/symbolizer/stack-loops-kernel.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { createRandom } from "../helpers/random.ts";

const FRAMES = 60;

/** Random stacks of some ten thousand nodes; a tenth of them have no ticks. */
function largeStacks(seed: number) {
  const random = createRandom(seed);
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  for (let stack = 0; stack < 20_000; stack++) {
    let node = ROOT;
    for (let depth = random(9); depth >= 0; depth--) node = tree.child(node, random(FRAMES));
    samples.add(node, random(3), random(10));
  }
  return { tree: tree.finish(), samples };
}

/** 1 for each frame whose number leaves a rest of 0. */
const marks = (divisor: number) => Uint8Array.from({ length: FRAMES }, (_, i) => (i % divisor === 0 ? 1 : 0));

/** Expects the same with the kernel and without. */
async function expectSame<T>(found: (loops: StackLoops, nodes: number) => T): Promise<T> {
  for (const seed of [1, 2]) {
    const { tree, samples } = largeStacks(seed);
    expect(kernelLoops(tree, samples)).toBeDefined();
    const expected = await withoutKernels(() => found(stackLoops(tree, samples), tree.length));
    expect(isDeepStrictEqual(found(stackLoops(tree, samples), tree.length), expected)).toBe(true);
  }
  const { tree, samples } = largeStacks(1);
  return found(stackLoops(tree, samples), tree.length);
}

describe("the kernel that tells what was called where", () => {
  it("finds frames and nodes at the top", async () => {
    const found = await expectSame((loops) => loops.topFrames(marks(7), marks(3)));
    expect(found).toEqual(marks(7)); // In random stacks, each is called by all others.
    expect(await expectSame((loops) => loops.topFrames(marks(7), marks(100)))).toContain(0);
    expect((await expectSame((loops) => loops.topNodes(marks(7), marks(3)))).length).toBeGreaterThan(1000);
  });

  it("knows which functions called which", async () => {
    const names = Int32Array.from({ length: FRAMES }, (_, i) => (i % 4 === 0 ? -1 : i >> 1));
    const calls = await expectSame((loops) => {
      const isCalled = loops.callsBetween(names);
      return names.map((above) => names.filter((called) => isCalled(above, called)).length);
    });
    expect(Math.max(...calls)).toBeGreaterThan(0);
    expect(calls[0]).toBe(0);
  });

  it("counts calls", async () => {
    const columns = await expectSame((loops) => {
      const { length, caller, called, isInterior, ticks, most, node } = loops.counted(marks(5));
      return [caller, called, isInterior, ticks, most, node].map((column) =>
        Array.from(column.slice(0, length)),
      );
    });
    const [caller, , isInterior, ticks, most] = columns as [
      number[],
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    expect(new Set(caller.map((frame) => frame % 5))).toEqual(new Set([0]));
    expect(new Set(isInterior)).toEqual(new Set([0, 1]));
    expect(ticks.every((count, i) => count >= most[i]! && most[i]! > 0)).toBe(true);
  });

  it("puts frames between nodes and their callers", async () => {
    const [parent, frame, numbers] = await expectSame((loops, length) => {
      const nodes = Int32Array.from({ length: Math.ceil((length - 1) / 3) }, (_, i) => 1 + 3 * i);
      const frames = nodes.map((node) => FRAMES + (node % 7));
      const { tree, rows } = loops.widened(
        { nodes, frames },
        Int32Array.from({ length }, (_, i) => i),
      );
      return [tree.parent, tree.frame, rows].map((column) => Array.from(column));
    });
    const { tree } = largeStacks(1);
    expect(parent!.length).toBeGreaterThan(tree.length);
    for (let node = ROOT + 1; node < tree.length; node++) {
      const caller = parent![numbers![node]!]!;
      const above = node % 3 === 1 ? parent![caller] : caller;
      if (above !== numbers![tree.parent[node]!] || frame![numbers![node]!] !== tree.frame[node]) {
        expect.unreachable(`node ${node} has moved`);
      }
    }
  });
});
