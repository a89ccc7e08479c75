import { describe, expect, it } from "vitest";
import { cpuprofile } from "../src/exports/cpuprofile.ts";
import { coverageOf } from "../src/facts/coverage.ts";
import { doubtText, warningsOf } from "../src/facts/doubts.ts";
import { plainly } from "../src/render/spoken.ts";
import { adviceFor } from "../src/reports/doctor.ts";
import { logOf, profileOf } from "./helpers/logs.ts";

const FUNCTION =
  "code-creation,LazyCompile,10,9000,0x1f53a0b1000,200,handler C:\\\\app\\\\server.js:3:9,0x2a0b1c2d3e0,~";

/** A log of 300 ticks `step` µs apart, two of them in JavaScript, the others at many places of a library. */
function serverLog(head: readonly string[], library: string, step: number): Buffer {
  const ticks = Array.from({ length: 300 }, (_, i) =>
    i === 150 || i === 151
      ? `tick,0x1f53a0b1010,${5000 + i * step},0,0x0,0,0x1f53a0b1010`
      : `tick,0x7ffc0000${(0x1000 + i * 16).toString(16)},${5000 + i * step},0,0x0,5`,
  );
  return logOf(
    ...head,
    `shared-library,${library},0x7ffc00000000,0x7ffc00200000,0`,
    "profiler,begin,1000",
    FUNCTION,
    ...ticks,
  );
}

const WINDOWS = ["v8-version,11,3,244,8,-node.38,0", "v8-platform,windows,windows"];
const LINUX = ["v8-version,11,3,244,8,-node.38,0", "v8-platform,linux,linux"];

async function read(log: Buffer) {
  const profile = await profileOf(log, { inlines: true, timeline: true });
  const warnings = warningsOf(profile).map((warning) => plainly(doubtText(warning, profile.info), {}));
  const advice = adviceFor(profile, coverageOf(profile));
  const { samples, timeDeltas, nodes } = JSON.parse(Array.from(cpuprofile(profile)).join("")) as {
    samples: number[];
    timeDeltas: number[];
    nodes: { id: number; callFrame: { functionName: string } }[];
  };
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const times: Record<string, number> = {};
  for (const [i, sample] of samples.entries()) {
    const name = nameOf.get(sample)!;
    times[name] = (times[name] ?? 0) + timeDeltas[i]!;
  }
  return { profile, warnings, advice, times };
}

describe("a log with the coarse timer of Windows and few ticks in JavaScript", () => {
  it("has no gaps, and each tick counts as a step of the timer", async () => {
    const { profile, warnings, advice, times } = await read(
      serverLog(WINDOWS, "C:\\\\Program Files\\\\nodejs\\\\node.exe", 15_600),
    );
    expect(profile.info.sampling).toMatchObject({ usual: 15_600, got: 15_600, gaps: 0, gapTime: 0 });
    const text =
      "Samples came every 15.6 ms instead of every 1.00 ms: the timer of Windows is no finer. There are fewer ticks.";
    expect(warnings).toContain(text);
    expect(warnings.join()).not.toContain("No tick came");
    expect(advice.join()).toContain(text);
    expect(advice.join()).not.toContain("busy");
    expect(times.handler).toBe(2 * 15_600);
    expect(times["(idle)"]).toBeUndefined();
  });

  it("is told from a machine that was busy, and from one that slept", async () => {
    const slept = await read(serverLog(LINUX, "/usr/bin/node", 15_600));
    expect(slept.warnings.join()).toContain("the thread slept, or had no CPU");
    const ticks = Array.from(
      { length: 300 },
      (_, i) => `tick,0x1f53a0b1010,${5000 + i * 15_600},0,0x0,0,0x1f53a0b1010`,
    );
    const busy = await read(logOf(...LINUX, "profiler,begin,1000", FUNCTION, ...ticks));
    const text =
      "Samples came every 15.6 ms instead of every 1.00 ms: the machine was busy. Percentages are still valid, but there are fewer ticks.";
    expect(busy.warnings).toContain(text);
    expect(busy.advice).toContain(text);
  });
});
