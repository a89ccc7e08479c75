import { describe, expect, it } from "vitest";
import { stackOf } from "../../src/profile/call-tree.ts";
import { Analysis } from "../../src/views/analysis.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("the stacks by function", () => {
  it("merges stacks that differ in lines, and their samples", () => {
    const profile = profileFromStacks(
      "js:main·/a.js:1:1@5 js:f·/a.js:9:1@10 builtin:Add",
      "js:main·/a.js:1:1@6 js:f·/a.js:9:1@11 builtin:Add",
      "js:main·/a.js:1:1@6 js:g·/a.js:20:1@21",
    );
    const { analysis, rows } = Analysis.of(profile).byFunction;
    const { tree, samples, table } = analysis;
    const stacks = Array.from(samples.node.subarray(0, samples.length), (node) =>
      Array.from(stackOf(tree, node), (frame) => table.functions[table.ofFrame[frame]!]!.title),
    );
    expect(stacks).toEqual([
      ["Builtin: Add", "f", "main"],
      ["g", "main"],
    ]);
    expect(Array.from(rows)).toEqual([0, 0, 1]);
    expect(Array.from(samples.ticks.subarray(0, samples.length))).toEqual([2, 1]);
    expect(tree.length).toBeLessThan(profile.tree.length);
    expect(Array.from(profile.samples.ticks.subarray(0, 3))).toEqual([1, 1, 1]);
  });

  it("merges the samples of all threads, and keeps those of other VM states", () => {
    const one = profileFromStacks("js:f", "js:f", "gc:js:f");
    const samples = { ...one.samples, thread: Uint16Array.of(0, 1, 0) };
    const threads = [one.info.threads[0]!, one.info.threads[0]!];
    const both = {
      ...one,
      info: { ...one.info, threads },
      samples: {
        ...samples,
        length: 3,
        node: Int32Array.of(1, 1, 1),
        vmState: Uint8Array.of(0, 0, 1),
        ticks: Float64Array.of(2, 3, 4),
      },
    };
    const { analysis, rows } = Analysis.of(both).byFunction;
    expect(Array.from(rows)).toEqual([0, 0, 1]);
    expect(Array.from(analysis.samples.ticks)).toEqual([5, 4]);
  });
});
