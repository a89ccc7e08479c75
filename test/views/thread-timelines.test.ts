import { describe, expect, it } from "vitest";
import { filterStates } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { VM_STATES, vmState } from "../../src/profile/vm-state.ts";
import { breakdown } from "../../src/views/breakdown.ts";
import { evenSlicing, roundSlicing } from "../../src/views/slice-width.ts";
import { sliceAt, threadTimelines } from "../../src/views/thread-timelines.ts";
import { FIXTURE_NAMES, fixtureLog } from "../helpers/fixtures.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

const tick = (micros: number, state = 0) => `tick,0x0,${micros},0,0x0,${state}`;
const load = (...ticks: readonly string[]) => profileOf(logOf(...NODE_26, ...ticks), { timeline: true });

describe("slices of time", () => {
  it("have round widths and start at multiples of them", () => {
    expect(roundSlicing(21_300, 1_299_000, 52)).toEqual({ start: 0, width: 25_000, count: 52 });
    expect(roundSlicing(1_000_000, 1_000_900, 10)).toEqual({ start: 1_000_000, width: 100, count: 10 });
    expect(roundSlicing(7, 7, 52)).toEqual({ start: 7, width: 1, count: 1 });
  });

  it("hold every moment, and are no more than asked for", () => {
    for (const most of [1, 2, 7, 52, 1000]) {
      for (const [first, last] of [
        [0, 0],
        [0, 1],
        [5, 77],
        [999, 123_456],
        [20_017, 3_600_000_000],
      ] as const) {
        const round = roundSlicing(first, last, most);
        expect(round.count).toBeLessThanOrEqual(most);
        for (const slicing of [round, evenSlicing(first, last, most)]) {
          expect(slicing.start).toBeLessThanOrEqual(first);
          expect(slicing.start + slicing.count * slicing.width).toBeGreaterThan(last);
          expect(sliceAt(slicing, first)).toBe(0);
        }
      }
    }
  });
});

describe("threadTimelines", () => {
  it("counts the states of each slice", async () => {
    const profile = await load(
      tick(0),
      tick(1000),
      tick(2000, 1),
      tick(3000, 3),
      tick(4000, 4),
      tick(9999, 6),
    );
    const [thread, ...others] = threadTimelines(profile, { most: 5, by: "state" });
    expect(others).toEqual([]);
    expect([thread!.start, thread!.width, thread!.count]).toEqual([0, 2000, 5]);
    const busy = Array.from(thread!.lanes).filter(([, ticks]) => ticks.some((count) => count > 0));
    expect(busy.map(([lane, ticks]) => [lane, ...ticks])).toEqual([
      ["js", 2, 0, 0, 0, 0],
      ["gc", 0, 1, 0, 0, 0],
      ["bytecode-compiler", 0, 1, 0, 0, 0],
      ["compiler", 0, 0, 1, 0, 0],
      ["external", 0, 0, 0, 0, 1],
    ]);
  });

  it("counts by default what the code was doing", async () => {
    const profile = await load(tick(0), tick(1000, 1), tick(9999, 6));
    const [thread] = threadTimelines(profile, { most: 5 });
    const busy = Array.from(thread!.lanes).filter(([, ticks]) => ticks.some((count) => count > 0));
    expect(busy.map(([lane, ticks]) => [lane, ...ticks])).toEqual([
      ["gc", 1, 0, 0, 0, 0],
      ["unknown", 1, 0, 0, 0, 1],
    ]);
  });

  it("tells sleep from work that is not there", async () => {
    const profile = await load(tick(0), tick(15_000), tick(26_000), tick(45_000));
    const [thread] = threadTimelines(profile, { most: 1, count: 3 });
    expect(thread!.gaps).toBe(3);
    expect(Array.from(thread!.gapTime!)).toEqual([15_001, 15_001, 14_998]);
    const short = threadTimelines(await load(tick(0), tick(9000), tick(19_000)), { most: 10 })[0]!;
    expect([short.gaps, short.gapTime!.every((time) => time === 0)]).toEqual([0, true]);
  });

  it("does not take filtered ticks for sleep", async () => {
    const profile = await load(tick(0), tick(15_000), tick(16_000, 1));
    const left = filterStates(profile, (state) => state === vmState("js"));
    expect(threadTimelines(left, { most: 10 })[0]).toMatchObject({ ticks: 2, gaps: 0, gapTime: undefined });
  });

  it("gives each log its own time", async () => {
    const [a, b] = [await load(tick(0), tick(1000)), await load(tick(70_000), tick(72_000), tick(71_000))];
    const threads = threadTimelines(mergeProfiles([a, b]), { most: 10 });
    expect(threads.map(({ start, ticks }) => [start, ticks])).toEqual([
      [0, 2],
      [70_000, 3],
    ]);
  });

  it("is nothing without ticks or times", async () => {
    expect(threadTimelines(await load(), { most: 10 })).toEqual([]);
    expect(threadTimelines(await profileOf(logOf(...NODE_26, tick(1))), { most: 10 })).toEqual([]);
  });
});

describe("the timeline of every fixture", () => {
  const sum = (numbers: Float64Array) => numbers.reduce((total, number) => total + number, 0);

  for (const name of FIXTURE_NAMES) {
    it(`sums to the breakdown: ${name}`, async () => {
      const profile = await profileOf(fixtureLog(name), { timeline: true });
      const rows = new Map(breakdown(profile).map(({ category, ticks }) => [category as string, ticks]));
      const states = new Map(VM_STATES.map((state, i) => [state as string, profile.info.ticksByState[i]!]));
      for (const options of [{ most: 52 }, { most: 1 }, { most: 52, count: 999 }]) {
        const [thread] = threadTimelines(profile, options);
        const [byState] = threadTimelines(profile, { ...options, by: "state" });
        for (const [lane, ticks] of thread!.lanes) expect(sum(ticks), lane).toBe(rows.get(lane));
        for (const [lane, ticks] of byState!.lanes) expect(sum(ticks), lane).toBe(states.get(lane));
        expect([thread!.ticks, sum(thread!.sliceTicks)]).toEqual([profile.info.ticks, profile.info.ticks]);
        expect(sum(thread!.gapTime!)).toBeCloseTo(profile.info.sampling.gapTime, 3);
        expect(thread!.gaps).toBe(profile.info.sampling.gaps);
      }
    });
  }
});
