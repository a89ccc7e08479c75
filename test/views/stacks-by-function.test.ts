import { describe, expect, it } from "vitest";
import { stackOf } from "../../src/profile/call-tree.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { stacksByFunction } from "../../src/views/stacks-by-function.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("stacksByFunction", () => {
  it("merges stacks that differ in lines, and keeps the rows of the samples", () => {
    const profile = profileFromStacks(
      "js:main·/a.js:1:1@5 js:f·/a.js:9:1@10 builtin:Add",
      "js:main·/a.js:1:1@6 js:f·/a.js:9:1@11 builtin:Add",
      "js:main·/a.js:1:1@6 js:g·/a.js:20:1@21",
    );
    const table = new FunctionTable(profile.frames);
    const merged = stacksByFunction(profile, table);
    const { tree, samples } = merged.profile;
    const stacks = Array.from(samples.node.subarray(0, samples.length), (node) =>
      Array.from(stackOf(tree, node), (frame) => merged.table.functions[merged.table.ofFrame[frame]!]!.title),
    );
    expect(stacks).toEqual([
      ["Builtin: Add", "f", "main"],
      ["Builtin: Add", "f", "main"],
      ["g", "main"],
    ]);
    expect(samples.node[0]).toBe(samples.node[1]);
    expect(tree.length).toBeLessThan(profile.tree.length);
    expect(Array.from(samples.ticks)).toEqual(Array.from(profile.samples.ticks));
  });
});
