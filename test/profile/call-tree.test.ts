import { describe, expect, it } from "vitest";
import { CallTreeBuilder, ROOT, stackOf } from "../../src/profile/call-tree.ts";

describe("CallTreeBuilder", () => {
  it("gives one node to one stack", () => {
    const tree = new CallTreeBuilder();
    const a = tree.child(ROOT, 7);
    const b = tree.child(a, 8);
    expect(tree.child(ROOT, 7)).toBe(a);
    expect(tree.child(a, 8)).toBe(b);
    expect(tree.child(b, 7)).not.toBe(a);
    expect(Array.from(stackOf(tree, b))).toEqual([8, 7]);
  });

  it("holds wide and deep trees, parents before children", () => {
    const tree = new CallTreeBuilder(2);
    const nodes = new Map<string, number>();
    for (let round = 0; round < 2; round++) {
      for (let parent = 0; parent < 40; parent++) {
        const top = tree.child(ROOT, parent);
        for (let frame = 0; frame < 100; frame++) {
          const node = tree.child(top, frame);
          const key = `${parent},${frame}`;
          expect(nodes.get(key) ?? node).toBe(node);
          nodes.set(key, node);
        }
      }
    }
    expect(tree.length).toBe(1 + 40 + 4000);
    expect(new Set(nodes.values()).size).toBe(4000);
    for (let node = 1; node < tree.length; node++) expect(tree.parent[node]!).toBeLessThan(node);
  });
});
