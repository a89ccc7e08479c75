import { describe, expect, it } from "vitest";
import { type CallTree, CallTreeBuilder, ROOT } from "../../src/profile/call-tree.ts";
import { ThinnedTree } from "../../src/profile/thinned-tree.ts";
import { createRandom } from "../helpers/random.ts";

/** Frames below this are left out. */
const SKIPPED = 2;

function randomTree(random: (n: number) => number, frames: number, stacks: number): CallTree {
  const tree = new CallTreeBuilder();
  for (let i = 0; i < stacks; i++) {
    let node = ROOT;
    for (let depth = random(8); depth >= 0; depth--) node = tree.child(node, random(frames));
  }
  return tree.finish();
}

/** Returns 1 for the nodes that get the children of nodes that are left out. */
function adopting({ length, parent, frame }: CallTree): Uint8Array {
  const adopts = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    if (frame[node]! >= SKIPPED) continue;
    let caller = parent[node]!;
    while (caller !== ROOT && frame[caller]! < SKIPPED) caller = parent[caller]!;
    adopts[caller] = 1;
  }
  return adopts;
}

const columns = ({ length, parent, frame }: CallTree) => ({
  parent: Array.from(parent.subarray(0, length)),
  frame: Array.from(frame.subarray(0, length)),
});

describe("a thinned tree", () => {
  it("is what collecting the kept stacks anew gives, with the same numbers", () => {
    const random = createRandom(5);
    let merged = 0;
    for (const frames of [3, 5, 20, 200]) {
      for (let round = 0; round < 30; round++) {
        const tree = randomTree(random, frames, 150);
        const thinned = new ThinnedTree(tree, adopting(tree));
        const expected = new CallTreeBuilder();
        const numbers = new Int32Array(tree.length);
        for (let node = ROOT + 1; node < tree.length; node++) {
          const caller = numbers[tree.parent[node]!]!;
          const frame = tree.frame[node]!;
          if (frame < SKIPPED) {
            thinned.skip(node);
            numbers[node] = caller;
          } else {
            thinned.keep(node, frame);
            numbers[node] = expected.child(caller, frame);
          }
        }
        expect(columns(thinned.finish())).toEqual(columns(expected.finish()));
        expect(thinned.numbers).toEqual(numbers);
        const sources = new Int32Array(expected.length);
        for (let node = ROOT + 1; node < tree.length; node++)
          if (tree.frame[node]! >= SKIPPED) sources[numbers[node]!]!++;
        for (const [node, count] of sources.entries()) {
          expect(thinned.isShared[node]).toBe(count > 1 ? 1 : 0);
          if (count > 1) merged++;
        }
      }
    }
    expect(merged).toBeGreaterThan(100);
  });

  it("gives one node to equal children that others adopt, and takes note that they are shared", () => {
    const tree = new CallTreeBuilder();
    const a = tree.child(ROOT, 10);
    const b = tree.child(a, 11);
    const adopts = new Uint8Array(tree.length);
    adopts[a] = 1;
    const thinned = new ThinnedTree(tree.finish(), adopts);
    thinned.keep(a, 10);
    const made = thinned.adopted(thinned.numbers[a]!, 11);
    thinned.keep(b, 11);
    expect(thinned.numbers[b]).toBe(made);
    expect(thinned.adopted(thinned.numbers[a]!, 12)).toBe(thinned.length - 1);
    expect(Array.from(thinned.isShared.subarray(0, thinned.length))).toEqual([0, 0, 1, 1]);
    expect(columns(thinned.finish())).toEqual({ parent: [-1, 0, 1, 1], frame: [-1, 10, 11, 12] });
  });
});
