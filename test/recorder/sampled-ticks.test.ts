import { describe, expect, it } from "vitest";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { lazySamples, SampledTicks } from "../../src/recorder/counted-ticks.ts";
import { createRandom } from "../helpers/random.ts";

describe("SampledTicks", () => {
  it("counts as a sample table does, with the same rows", () => {
    const random = createRandom(3);
    const table = new SampleTableBuilder();
    const ticks = new SampledTicks();
    let other = 0;
    for (let i = 0; i < 50_000; i++) {
      const [node, state, count] = [random(4000), random(5), 1 + random(3)];
      if (ticks.add(node, state, count) !== table.add(node, state, count)) other++;
    }
    expect(other).toBe(0);
    const { length, node, vmState, thread, ticks: counts } = ticks.finish();
    expect(length).toBe(table.length);
    expect(node).toEqual(table.node.slice(0, length));
    expect(vmState).toEqual(table.vmState.slice(0, length));
    expect(thread).toEqual(table.thread.slice(0, length));
    expect(counts).toEqual(Uint32Array.from(table.ticks.subarray(0, length)));
  });

  it("counts beyond 32 bits", () => {
    const ticks = new SampledTicks();
    for (const count of [2 ** 32 - 1, 1, 2 ** 31, 2 ** 31, 7]) ticks.add(0, 1, count);
    expect(ticks.finish().ticks).toEqual(Float64Array.of(2 ** 33 + 7));
  });
});

describe("lazySamples", () => {
  it("makes the table once, when it is asked for", () => {
    const ticks = new SampledTicks();
    ticks.add(2, 0);
    const recorded = lazySamples(ticks);
    ticks.add(2, 0);
    expect(recorded.samples.ticks).toEqual(Uint32Array.of(2));
    expect(recorded.samples).toBe(recorded.samples);
  });
});
