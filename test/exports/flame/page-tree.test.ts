import { describe, expect, it } from "vitest";
import { gcStacks, keepLargest, pageTree } from "../../../src/exports/flame/page-data.ts";
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

  it("orders thousands of callees, the heaviest first and those with as many ticks by frame", () => {
    const stacks = chains((stack) => 1 + (stack % 7));
    const total = stackTicks(stacks.tree, stacks.samples);
    const { kept } = keepLargest(stacks.tree, total, Number.POSITIVE_INFINITY);
    const nodes = Int32Array.from({ length: stacks.tree.length }, (_, node) => node);
    const page = pageTree(stacks.tree, { total, kept }, nodes);
    const callees = Array.from(page.frame).filter((_, node) => page.parent[node] === 0);
    const expected = Array.from({ length: STACKS }, (_, stack) => stack).sort(
      (a, b) => (b % 7) - (a % 7) || a - b,
    );
    expect(callees).toEqual(expected);
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
    expect(none.tree.frame.slice(0, none.tree.length)).toEqual(Int32Array.of(-1, 2 * STACKS + 1));
  });
});
