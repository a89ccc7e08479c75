import { describe, expect, it } from "vitest";
import type { AnalyzeOptions } from "../../src/analyze.ts";
import { LiveLogs } from "../../src/live/live-logs.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { LibraryLoader } from "../../src/recorder/libraries.ts";
import { breakdown, CATEGORIES } from "../../src/views/breakdown.ts";
import { adviceFor, coverageOf, inferredIdle, warningsOf } from "../../src/views/coverage.ts";
import { logOf, profileOf } from "../helpers/logs.ts";

const NODE_12 = ["v8-version,7,8,279,23,-node.57,0", "profiler,begin,1000"];
const NODE_14 = ["v8-version,8,4,371,19,-node.18,0", "profiler,begin,1000"];
const WINDOWS = [
  "shared-library,C:\\\\node\\\\node.exe,0x7ff600000000,0x7ff601000000,0",
  "shared-library,C:\\\\WINDOWS\\\\SYSTEM32\\\\ntdll.dll,0x7ffc00000000,0x7ffc00200000,0",
];
const MACOS = [
  "shared-library,/usr/local/bin/node,0x100000000,0x102000000,0",
  "shared-library,/usr/lib/system/libsystem_kernel.dylib,0x7fff20000000,0x7fff20040000,0",
];
const LINUX = [
  "shared-library,/usr/bin/node,0x400000,0x2000000,0",
  "shared-library,/lib/libc.so.6,0x7ffc00000000,0x7ffc00200000,0",
];
const CODE = "code-creation,LazyCompile,10,900,0x1f53a0b1000,200,work /srv/app.js:3:9,0x2a0b1c2d3e0,~";

/** Ticks in turn at these places: an address, its state, its callers. */
type Place = readonly [pc: string, state: number, ...callers: string[]];
const JS: Place = ["0x1f53a0b1010", 0, "0x1f53a0b1010"];

function ticks(count: number, ...places: readonly Place[]): string[] {
  return Array.from({ length: count }, (_, i) => {
    const [pc, state, ...callers] = places[i % places.length]!;
    return ["tick", pc, 1000 * (i + 1), 0, "0x0", state, ...callers].join();
  });
}

async function statesOf(rows: readonly string[], options: Partial<AnalyzeOptions> = {}) {
  const profile = await profileOf(logOf(...rows), { inlines: true, ...options });
  const { samples } = profile;
  const states: Record<string, number> = {};
  for (let i = 0; i < samples.length; i++) {
    const name = VM_STATES[samples.vmState[i]!]!;
    states[name] = (states[name] ?? 0) + samples.ticks[i]!;
  }
  const inInfo = VM_STATES.flatMap((name, i) =>
    (profile.info.ticksByState[i] ?? 0) > 0 ? [[name, profile.info.ticksByState[i]!]] : [],
  );
  expect(Object.fromEntries(inInfo)).toEqual(states);
  return { profile, states };
}

describe("ticks outside of JavaScript, always at one address of the system's library", () => {
  it("are waits on Windows: idle in every report, and said to be inferred", async () => {
    const { profile, states } = await statesOf([
      ...NODE_12,
      ...WINDOWS,
      CODE,
      ...ticks(400, JS, ["0x7ffc0009fc14", 6], ["0x7ffc0009fc14", 6], ["0x7ffc0009fc14", 6]),
    ]);
    expect(states).toEqual({ js: 100, "idle-inferred": 300 });
    const rows = breakdown(profile).filter(({ ticks }) => ticks > 0);
    expect(rows.map(({ category, ticks }) => [category, ticks])).toEqual([
      ["idle", 300],
      ["js", 100],
    ]);
    expect(inferredIdle(profile)).toMatchObject({ ticks: 300, percent: 75 });
    const coverage = coverageOf(profile);
    expect(coverage.unknown).toBe(0);
    const kinds = warningsOf(profile).map(({ kind }) => kind);
    expect(kinds).toContain("inferred-idle");
    expect(kinds).not.toContain("no-function");
    expect(adviceFor(profile, coverage)).toContain(
      "300 ticks (75.0%) most likely waited (inferred: always at the same address of ntdll.dll, no JavaScript): they count as idle.",
    );
  });

  it("are waits on macOS, and where two calls wait", async () => {
    const [events, lock]: Place[] = [
      ["0x7fff2000a10a", 6],
      ["0x7fff20006b02", 6],
    ];
    const { states } = await statesOf([
      ...NODE_14,
      ...MACOS,
      CODE,
      ...ticks(100, JS, events!, events!, lock!),
    ]);
    expect(states).toEqual({ js: 25, "idle-inferred": 75 });
  });

  it("are none on Linux, in other libraries, or with JavaScript below", async () => {
    const wait: Place = ["0x7ffc00000123", 6];
    expect((await statesOf([...NODE_12, ...LINUX, CODE, ...ticks(90, JS, wait, wait)])).states).toEqual({
      js: 30,
      external: 60,
    });
    const inNode: Place = ["0x7ff600001234", 6];
    expect((await statesOf([...NODE_12, ...WINDOWS, CODE, ...ticks(90, JS, inNode, inNode)])).states).toEqual(
      {
        js: 30,
        external: 60,
      },
    );
    const called: Place = [...wait, "0x1f53a0b1010"] as const;
    expect((await statesOf([...NODE_12, ...WINDOWS, CODE, ...ticks(90, JS, called)])).states).toEqual({
      js: 45,
      external: 45,
    });
  });

  it("are none where native code is busy at many addresses, or few ticks tell", async () => {
    const busy = Array.from(
      { length: 40 },
      (_, i): Place => [`0x7ff60000${(0x1000 + 32 * i).toString(16)}`, 6],
    );
    const calls: Place[] = [["0x7ffc0009fc14", 6], ["0x7ffc0009d0a4", 6], ...busy];
    const { states } = await statesOf([...NODE_12, ...WINDOWS, CODE, ...ticks(840, ...calls)]);
    expect(states).toEqual({ external: 840 });
    const few = await statesOf([...NODE_12, ...WINDOWS, CODE, ...ticks(9, ["0x7ffc0009fc14", 6])]);
    expect(few.states).toEqual({ external: 9 });
  });

  it("are left as V8 says where it knows the idle state, or if nothing is to be inferred", async () => {
    const wait: Place = ["0x7ffc0009fc14", 6];
    const rows = [...NODE_14, ...WINDOWS, CODE, ...ticks(90, JS, wait, wait)];
    const withIdle = await statesOf([...rows, "tick,0x7ffc0009fc14,99000,0,0x0,8"]);
    expect(withIdle.states).toEqual({ js: 30, external: 60, idle: 1 });
    expect((await statesOf(rows, { inferred: false })).states).toEqual({ js: 30, external: 60 });
    expect((await statesOf(rows, { inlines: false })).states).toEqual({ js: 30, external: 60 });
  });

  it("are found in each piece of a log that grows, unless V8 tells them", async () => {
    const live = new LiveLogs();
    const openLoader = () => new LibraryLoader({ sources: [] });
    const origin = { pid: undefined, isolate: undefined };
    const log = live.add({ name: "v8.log", origin, sources: { openLoader, readNames: async () => [] } });
    const waits = ticks(30, ["0x7ffc0009fc14", 6]);
    await log.read(logOf(...NODE_14, ...WINDOWS, ...waits));
    await log.read(logOf(...waits.slice(0, 9)));
    await log.read(logOf(...waits.slice(0, 9), "tick,0x7ffc0009fc14,99000,0,0x0,8"));
    await log.read(logOf(...waits));
    const named = CATEGORIES.map(({ category }, i) => [category, log.counts.categories[i]]);
    expect(Object.fromEntries(named)).toMatchObject({ idle: 31, native: 48 });
  });
});
