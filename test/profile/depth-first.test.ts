import { describe, expect, it } from "vitest";
import { CallTreeBuilder, depthFirst, ROOT, visitDepthFirst } from "../../src/profile/call-tree.ts";

describe("depthFirst", () => {
  it("puts each node before those below it, as a walk of the tree does", () => {
    const builder = new CallTreeBuilder();
    let seed = 1;
    const nodes = [ROOT];
    while (nodes.length < 500) {
      seed = (seed * 48_271) % 2_147_483_647;
      const made = builder.child(nodes[seed % nodes.length]!, seed % 7);
      if (made === nodes.length) nodes.push(made);
    }
    const tree = builder.finish();
    const order: number[] = [ROOT];
    const ends: number[] = [];
    const at = new Map<number, number>([[ROOT, 0]]);
    visitDepthFirst(tree, (node, isEntering) => {
      if (isEntering) at.set(node, order.push(node) - 1);
      else ends[at.get(node)!] = order.length;
    });
    ends[0] = order.length;
    const found = depthFirst(tree);
    expect(Array.from(found.nodes)).toEqual(order);
    expect(Array.from(found.ends)).toEqual(ends);
  });

  it("holds for a tree of the root alone", () => {
    const found = depthFirst(new CallTreeBuilder().finish());
    expect([Array.from(found.nodes), Array.from(found.ends)]).toEqual([[ROOT], [1]]);
  });
});
