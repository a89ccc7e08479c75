import { describe, expect, it } from "vitest";
import { ChildTable, SiblingTable } from "../../src/profile/child-table.ts";
import { createRandom } from "../helpers/random.ts";

const NODES = 20_000;

interface Columns {
  readonly parent: Int32Array;
  readonly frame: Int32Array;
}

describe.each([
  { name: "ChildTable", open: (tree: Columns) => new ChildTable(tree) },
  { name: "SiblingTable", open: (tree: Columns) => new SiblingTable(tree, NODES) },
])("$name", ({ open }) => {
  it("finds each node by its caller and frame, and no other", () => {
    const random = createRandom(8);
    const parent = new Int32Array(NODES).fill(-1);
    const frame = new Int32Array(NODES).fill(-1);
    const table = open({ parent, frame });
    const expected = new Map<string, number>();
    let length = 1;
    while (length < NODES) {
      // Few nodes have many children, most have one.
      const caller = random(4) === 0 ? random(Math.min(length, 9)) : random(length);
      const called = random(random(4) === 0 ? 3000 : 5);
      const key = `${caller} ${called}`;
      expect(table.find(caller, called)).toBe(expected.get(key) ?? 0);
      if (expected.has(key)) continue;
      parent[length] = caller;
      frame[length] = called;
      table.add(length);
      expected.set(key, length++);
    }
    for (const [key, node] of expected) {
      const [caller, called] = key.split(" ").map(Number);
      expect(table.find(caller!, called!)).toBe(node);
    }
  });
});
