import { describe, expect, it } from "vitest";
import { spikesOf } from "../../src/views/spikes.ts";
import { threadTimelines } from "../../src/views/thread-timelines.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

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
