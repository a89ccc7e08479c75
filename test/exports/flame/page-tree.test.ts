import { describe, expect, it } from "vitest";
import { gcStacks, keepLargest, MERGED, pageTree } from "../../../src/exports/flame/page-data.ts";
import { CallTreeBuilder, ROOT } from "../../../src/profile/call-tree.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { SampleTableBuilder, stackTicks } from "../../../src/profile/sample-table.ts";
import { vmState } from "../../../src/profile/vm-state.ts";
import { profileFromStacks } from "../../helpers/stacks.ts";

const STACKS = 6000;
const DEPTH = 3;

/** Stacks without a common caller, of the same depth; `ticksOf` and `stateOf` have what the sample of each one has. */
function chains(
  ticksOf: (stack: number) => number,
  stateOf = (_: number) => vmState("js"),
): Pick<Profile, "frames" | "tree" | "samples"> {
  const tree = new CallTreeBuilder();
  const samples = new SampleTableBuilder();
  for (let stack = 0; stack < STACKS; stack++) {
    let node = ROOT;
    for (let depth = 0; depth < DEPTH; depth++) node = tree.child(node, stack);
    samples.add(node, stateOf(stack), ticksOf(stack));
  }
  const [frame] = profileFromStacks("js:a").frames;
  return {
    frames: Array.from({ length: STACKS }, () => frame!),
    tree: tree.finish(),
    samples: samples.finish(),
  };
}

describe("pages of thousands of stacks", () => {
  it("keeps whole levels of nodes with as many ticks, as long as there is room", () => {
    const stacks = chains(() => 1);
    for (const [room, levels] of [
      [STACKS - 1, 0],
      [STACKS, 1],
      [STACKS + 1, 1],
      [2 * STACKS, 2],
    ] as const) {
      const { kept, largest, left } = keepLargest(
        stacks.tree,
        stackTicks(stacks.tree, stacks.samples),
        1 + room,
      );
      expect(kept.reduce((sum, one) => sum + one)).toBe(1 + levels * STACKS);
      expect(largest).toBe(1);
      expect(left).toBe((DEPTH - levels) * STACKS);
    }
  });

  it("puts each node before its callees, and what is not kept into one node a caller", () => {
    const { tree } = chains(() => 1);
    const kept = Uint8Array.from({ length: tree.length }, (_, node) =>
      node % DEPTH === 2 && node > 2 ? 0 : 1,
    );
    kept[2] = 1;
    const isKept = kept.map((one, node) => (node === 0 ? 1 : one && (kept[tree.parent[node]!] ?? 1)));
    const nodes = Int32Array.from({ length: tree.length }, (_, node) => node);
    const page = pageTree(tree, isKept, nodes);
    expect(page.length).toBe(1 + DEPTH + 2 * (STACKS - 1));
    for (const [node, at] of nodes.entries())
      expect(page.frame[at]).toBe(isKept[node] === 1 ? tree.frame[node] : MERGED);
    for (let node = 1; node < page.length; node++) {
      const rise = page.depth[node - 1]! + 1 - page.depth[node]!;
      expect(rise).toBeGreaterThanOrEqual(0);
      expect(page.depth[node]).toBe(page.depth[page.parent[node]!]! + 1);
    }
  });

  it("leaves out stacks without ticks, of each kind", () => {
    const states = [vmState("js"), vmState("gc"), vmState("idle")];
    const stacks = chains(
      (stack) => stack % 4,
      (stack) => states[stack % 3]!,
    );
    const { tree } = gcStacks({ ...profileFromStacks("js:a"), ...stacks });
    expect(tree.length).toBe(1 + 2 + (STACKS * 3 * DEPTH) / 4);
    const idle = chains(
      () => 0,
      () => vmState("idle"),
    );
    const none = gcStacks({ ...profileFromStacks("js:a"), ...idle });
    expect(none.frames).toEqual([{ frame: { kind: "idle" }, number: -1, work: "idle" }]);
    expect(none.tree.frame).toEqual(Int32Array.of(-1, 0));
  });
});
