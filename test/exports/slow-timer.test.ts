import { gunzipSync } from "node:zlib";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { Profile as PprofProfile } from "pprof-format";
import { describe, expect, it } from "vitest";
import { EXPORTERS } from "../../src/exports/exporters.ts";
import { threadTimelines } from "../../src/facts/thread-timelines.ts";
import { logOf, NODE_26, profileOf } from "../helpers/logs.ts";

// A program that works without pause on Windows, whose timer ticks every 15.6 ms when 1 ms is asked for.
const FIRST = 20_000;
const TICKS = 200;
const times = Array.from({ length: TICKS }, (_, i) => FIRST + 15_618.75 * i).map(Math.round);
const rows = times.map((time) => `tick,0x1010,${time},0,0x0,0,0x2010`);
const log = logOf(
  ...NODE_26,
  "code-creation,JS,10,1000,0x1000,500,work C:\\\\srv\\\\app.js:3:14,0x500,~",
  "code-creation,JS,10,1100,0x2000,500, C:\\\\srv\\\\app.js:1:1,0x600,~",
  ...rows,
);
const ELAPSED = times.at(-1)! - times[0]!;
const INTERVAL = ELAPSED / (TICKS - 1);
const NOTE = `a tick every ${Math.round(INTERVAL)} µs, 1000 µs asked for`;

async function exported(name: string): Promise<Uint8Array> {
  const exporter = EXPORTERS.find((one) => one.name === name)!;
  const profile = await profileOf(log, { timeline: true, name: "win.log" });
  const parts: Uint8Array[] = [];
  for await (const part of exporter.export(profile)) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

async function json(name: string) {
  return JSON.parse(Buffer.from(await exported(name)).toString());
}

function isElapsed(time: number): void {
  expect(Math.abs(time / ELAPSED - 1)).toBeLessThan(0.02);
}

describe("the log of a program that works, with ticks every 15.6 ms and 1 ms asked for", () => {
  it("is no idle time in a cpuprofile, which says both intervals", async () => {
    const { nodes, samples, startTime, endTime, ticks } = await json("cpuprofile");
    const idle = nodes.find((node: { callFrame: { functionName: string } }) => {
      return node.callFrame.functionName === "(idle)";
    });
    expect(samples).not.toContain(idle.id);
    isElapsed(endTime - startTime);
    expect(ticks).toEqual({ intervalAskedUs: 1000, intervalUs: Math.round(INTERVAL) });
  });

  it("is no idle time in a chrome-trace, which says both intervals", async () => {
    const { traceEvents, otherData } = await json("chrome-trace");
    expect(JSON.stringify(traceEvents)).not.toContain("(idle)");
    isElapsed(traceEvents.find((event: { ph: string }) => event.ph === "X").dur);
    expect(otherData).toMatchObject({ intervalAskedUs: 1000, intervalUs: Math.round(INTERVAL) });
  });

  it("is no idle time for the Firefox Profiler, which shows both intervals", async () => {
    const { meta, threads } = await json("gecko");
    const { stack, weight, time } = threads[0].samples;
    expect(weight).toEqual([TICKS - 1, 1]);
    expect(stack).not.toContain(null);
    isElapsed((time.at(-1) - time[0] + meta.interval) * 1000);
    expect(meta.interval).toBeCloseTo(INTERVAL / 1000);
    expect(meta.extra[0].entries[0].value).toBe(NOTE);
  });

  it("has its real time in pprof's nanoseconds, beside a comment with both intervals", async () => {
    const { sample, stringTable, comment, period } = PprofProfile.decode(gunzipSync(await exported("pprof")));
    const nanoseconds = sample.reduce((sum, { value }) => sum + Number(value[1]), 0);
    isElapsed(nanoseconds / 1000);
    expect(Number(period) / 1000).toBeCloseTo(INTERVAL, 0);
    expect(comment.map((word) => stringTable.strings[Number(word)])).toContain(NOTE);
  });

  it("has its real interval in each row of Parquet, and the one asked for in the metadata", async () => {
    const file = new Uint8Array(await exported("parquet-timeline")).buffer;
    const table = await parquetReadObjects({ file });
    const leaves = table.filter(({ self }) => self);
    isElapsed(leaves.reduce((sum, { ticks, interval_us }) => sum + Number(ticks) * interval_us, 0));
    expect(parquetMetadata(file).key_value_metadata).toContainEqual({
      key: "ticks.interval_asked_us",
      value: "1000",
    });
  });

  it("says both intervals in the name that speedscope shows", async () => {
    expect((await json("speedscope")).name).toBe(`win.log (${NOTE})`);
  });

  it("has no gaps in the timeline", async () => {
    const [timeline] = threadTimelines(await profileOf(log, { timeline: true }), { most: 20 });
    expect(timeline!.gaps).toBe(0);
  });
});
