import { describe, expect, it } from "vitest";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { CountedTicks, StacksKernel, TICK_NODE, type TickNodes } from "../../src/recorder/stack-builder.ts";
import { expectEqual } from "../helpers/equal.ts";
import { createRandom } from "../helpers/random.ts";

const STATES = VM_STATES.length;

describe("CountedTicks", () => {
  it("counts as a sample table does, with the same rows", () => {
    const random = createRandom(5);
    const kernel = StacksKernel.open(() => 0, { inlines: false, counts: true })!;
    const nodes = Array.from({ length: 40_000 }, (_, i) => kernel.child(0, i));
    const byState = new Array<number>(STATES).fill(0);
    const ticks = new CountedTicks(kernel, byState);
    const expected = new SampleTableBuilder();
    for (let i = 0; i < 100_000; i++) {
      const [node, state] = [nodes[random(nodes.length)]!, random(4) ? 0 : random(STATES)];
      ticks.add(node, state);
      expected.add(node, state);
    }
    const { samples } = ticks.finish();
    const table = { ...expected.finish(), ticks: samples.ticks };
    expect(Float64Array.from(samples.ticks)).toEqual(expected.finish().ticks);
    expect(samples.length).toBeGreaterThan(40_000);
    expectEqual(samples, table);
    const sums = new Array<number>(STATES).fill(0);
    for (let row = 0; row < table.length; row++) sums[table.vmState[row]!]! += table.ticks[row]!;
    expect(byState).toEqual(sums);
  });

  it("puts ticks in other states between the first ticks of a batch", () => {
    const kernel = StacksKernel.open(() => 0, { inlines: false, counts: true })!;
    const [a, b, c] = [1, 2, 3].map((frame) => kernel.child(0, frame)) as [number, number, number];
    const byState = new Array<number>(STATES).fill(0);
    const ticks = new CountedTicks(kernel, byState);
    ticks.add(a, 0);
    // What the kernel says of: b in state 0, a in state 3, c in state 0, a in state 3, b in state 2.
    for (const node of [b, c]) kernel.count(node, 0);
    const others = [
      [a, 3, 1],
      [a, 3, 2],
      [b, 2, 2],
    ];
    const integers = Int32Array.from(
      others.flatMap(([node, state, firsts]) =>
        Array.from({ length: TICK_NODE.integers }, (_, field) => {
          if (field === TICK_NODE.node) return node!;
          if (field === TICK_NODE.state) return state!;
          return field === TICK_NODE.firsts ? firsts! : 0;
        }),
      ),
    );
    ticks.addAll({ integers, length: 3, firsts: Int32Array.of(b, c) } as Partial<TickNodes> as TickNodes);
    const { node, vmState, ticks: counts } = ticks.finish().samples;
    expect(Array.from(node, (owner, row) => [owner, vmState[row], counts[row]])).toEqual([
      [a, 0, 1],
      [b, 0, 1],
      [a, 3, 2],
      [c, 0, 1],
      [b, 2, 1],
    ]);
    expect(byState.slice(0, 4)).toEqual([3, 0, 1, 2]);
  });

  it("counts more ticks than a node has room for", () => {
    const kernel = {
      count: () => ({ isFirst: room === ROOM, isCounted: room-- > 0, isFull: room < 0 }),
      visitCounts: (
        _: Int32Array,
        take: (counts: { ticks: Uint32Array; states: Uint8Array }, from: number) => void,
      ) => take({ ticks: Uint32Array.of(ROOM), states: Uint8Array.of(4) }, 0),
      countsByState: () => [0, 0, 0, 0, ROOM],
    };
    const ROOM = 3;
    let room = ROOM;
    const byState = new Array<number>(STATES).fill(0);
    const ticks = new CountedTicks(kernel, byState);
    for (let i = 0; i < 5; i++) ticks.add(7, 4);
    const { length, node, ticks: counts } = ticks.finish().samples;
    expect([length, node[0], counts[0], byState[4]]).toEqual([1, 7, 5, 5]);
  });
});
