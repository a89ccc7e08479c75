import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT, stackOf } from "../../src/profile/call-tree.ts";
import type { Frame } from "../../src/profile/frame.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { expandStacks } from "../../src/profile/stacks.ts";

const native = (symbol: string): Frame => ({ kind: "native", library: "lib", symbol });

describe("expandStacks", () => {
  it("makes stacks one that differ in frames which turn out equal, with their ticks and below them", () => {
    const tree = new CallTreeBuilder();
    const samples = new SampleTableBuilder();
    for (const stack of [[0], [0, 2], [1, 2], [1], [3, 1]]) {
      samples.add(
        stack.reduce((node, frame) => tree.child(node, frame), ROOT),
        0,
      );
    }
    const frames = ["a", "a", "b", "c"].map((name) => [native(name)]);
    const merged = expandStacks({ frames, tree: tree.finish(), samples });
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
