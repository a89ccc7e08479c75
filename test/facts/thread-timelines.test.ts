import { describe, expect, it } from "vitest";
import { breakdown } from "../../src/facts/breakdown.ts";
import { evenSlicing, roundSlicing } from "../../src/facts/slice-width.ts";
import { spikesOf } from "../../src/facts/spikes.ts";
import { sliceAt, threadTimelines } from "../../src/facts/thread-timelines.ts";
import { filterStates } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { VM_STATES, vmState } from "../../src/profile/vm-state.ts";
import { FIXTURE_NAMES, fixtureProfile, WHOLE } from "../helpers/fixtures.ts";
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
      const profile = await fixtureProfile(name, WHOLE);
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

const CODE = [
  "code-creation,JS,10,1,0x1000,256,f /srv/a.js:1:10,0xf1,~",
  "code-creation,Builtin,2,1,0x2000,256,Add",
];

/** Ticks a millisecond apart, from a moment in milliseconds on. */
const ticks = (from: number, count: number, state = 0, address = 0x1001) =>
  Array.from(
    { length: count },
    (_, i) => `tick,0x${address.toString(16)},${(from + i) * 1000},0,0x0,${state}`,
  );

async function spikesIn(rows: readonly string[], options = { spikes: 5, functions: 2 }) {
  const profile = await profileOf(logOf(...NODE_26, ...CODE, ...rows), { timeline: true });
  const threads = threadTimelines(profile, { most: 10 });
  expect([threads[0]!.width, threads[0]!.count]).toEqual([20_000, 10]);
  return spikesOf(profile, threads, options)[0]!.map(
    ({ kind, from, to, ticks: all, kindTicks, functions }) => ({
      span: [kind, from / 1000, to / 1000, all, kindTicks],
      functions: functions.map(({ function: { title }, self }) => `${title} ${self}`),
    }),
  );
}

describe("spikesOf", () => {
  it("finds V8's own work where there is much of it", async () => {
    const rows = [...ticks(0, 60), ...ticks(60, 28, 1, 0x2001), ...ticks(88, 40), ...ticks(128, 72)];
    expect(await spikesIn(rows)).toEqual([
      { span: ["gc", 60, 100, 40, 28], functions: ["Builtin: Add 28", "f 12"] },
    ]);
  });

  it("finds none in what is as usual, or is chance", async () => {
    const even = Array.from({ length: 10 }, (_, i) => [
      ...ticks(i * 20, 12),
      ...ticks(i * 20 + 12, 8, 1, 0x2001),
    ]);
    expect(await spikesIn(even.flat())).toEqual([]);
    expect(await spikesIn([...ticks(0, 100), ...ticks(100, 9, 2), ...ticks(109, 91)])).toEqual([]);
  });

  it("finds the busy time of a thread that sleeps", async () => {
    const rows = [...ticks(0, 1), ...ticks(80, 20), ...ticks(199, 1)];
    expect(await spikesIn(rows)).toEqual([{ span: ["busy", 80, 100, 20, 20], functions: ["f 20"] }]);
  });

  it("name the program's own function that led there, not what it called", async () => {
    const rows = [
      "code-creation,JS,10,1,0x3000,256,pg /srv/node_modules/pg/index.js:1:10,0xf3,~",
      "shared-library,/lib/libc.so.6,0x9000,0xa000,0",
      ...ticks(0, 60),
      ...ticks(60, 12, 1, 0x9001).map((row) => `${row},0x3001,0x1001`),
      ...ticks(72, 5, 1, 0x9001).map((row) => `${row},0x3001`),
      ...ticks(77, 11, 1, 0x2001),
      ...ticks(88, 112),
    ];
    const profile = await profileOf(logOf(...NODE_26, ...CODE, ...rows), { timeline: true });
    const threads = threadTimelines(profile, { most: 10 });
    const [spike] = spikesOf(profile, threads, { spikes: 5, functions: 1 })[0]!;
    expect(spike!.functions.map((one) => one.function.title)).not.toContain("pg");
    expect(spike!.program.map((one) => [one.function.title, one.ticks])).toEqual([["f", 24]]);
    expect(spike).toMatchObject({ ticks: 40, otherCallers: 1, inProgram: 29, outside: "gc" });
  });

  it("has the neighbours that are above the usual", async () => {
    // 40 of all 200 ticks are garbage collection: 6 and 7 of 20 are 1.5 and 1.75 times the usual, 5 are 1.25 times.
    const gc = [0, 0, 5, 7, 12, 6, 6, 0, 0, 4];
    const rows = gc.flatMap((count, i) => [
      ...ticks(i * 20, count, 1, 0x2001),
      ...ticks(i * 20 + count, 20 - count),
    ]);
    expect((await spikesIn(rows)).map(({ span }) => span)).toEqual([["gc", 60, 140, 80, 31]]);
  });

  it("keeps the largest, in the order of time", async () => {
    const gc = (from: number, count: number) => [
      ...ticks(from, count, 1, 0x2001),
      ...ticks(from + count, 20 - count),
    ];
    const rows = [
      ...gc(0, 11),
      ...ticks(20, 40),
      ...gc(60, 13),
      ...ticks(80, 40),
      ...gc(120, 12),
      ...ticks(140, 60),
    ];
    const spans = (await spikesIn(rows, { spikes: 2, functions: 1 })).map(({ span }) => span);
    expect(spans).toEqual([
      ["gc", 60, 80, 20, 13],
      ["gc", 120, 140, 20, 12],
    ]);
  });

  it("names a function of JavaScript besides", async () => {
    const rows = [...ticks(0, 60), ...ticks(60, 19, 1, 0x2001), ...ticks(79, 121)];
    expect((await spikesIn(rows, { spikes: 1, functions: 1 }))[0]!.functions).toEqual([
      "Builtin: Add 19",
      "f 1",
    ]);
  });
});
