import { expect, it } from "vitest";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";

it("counts by stack, state and thread, in whatever order they come", () => {
  const table = new SampleTableBuilder();
  const sums = new Map<string, number>();
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let i = 0; i < 20_000; i++) {
    const [node, state, thread, ticks] = [random(50), random(4), random(30), random(3)];
    const row = table.add(node, state, ticks, thread);
    expect([table.node[row], table.vmState[row], table.thread[row]]).toEqual([node, state, thread]);
    const key = `${node} ${state} ${thread}`;
    sums.set(key, (sums.get(key) ?? 0) + ticks);
  }
  expect(table.length).toBe(sums.size);
  for (let i = 0; i < table.length; i++) {
    expect(table.ticks[i]).toBe(sums.get(`${table.node[i]} ${table.vmState[i]} ${table.thread[i]}`));
  }
});
