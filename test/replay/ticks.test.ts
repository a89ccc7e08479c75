import { describe, expect, it } from "vitest";
import { breakdown } from "../../src/facts/breakdown.ts";
import { coverageOf, inferredIdle } from "../../src/facts/coverage.ts";
import { warningsOf } from "../../src/facts/doubts.ts";
import { labelOf } from "../../src/facts/label.ts";
import { LiveLogs } from "../../src/live/live-logs.ts";
import type { AnalyzeOptions } from "../../src/load/analyze.ts";
import { CATEGORIES } from "../../src/profile/categories.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { LibraryLoader } from "../../src/replay/libraries.ts";
import { ThreadClues } from "../../src/replay/replay.ts";
import { adviceFor } from "../../src/reports/doctor.ts";
import { withoutKernels } from "../helpers/kernels.ts";
import { logOf, NODE_26, profileOf, tickAt } from "../helpers/logs.ts";
import { createRandom } from "../helpers/random.ts";

const hex = (number: number) => `0x${number.toString(16)}`;

describe("StackBuilder", () => {
  it("sees the code range come between ticks at the same addresses", async () => {
    const tick = (time: number) => `tick,0x7f1bc7fc0688,${time},0,0x0,0,0x7f1bc7fc0690`;
    const log = logOf(
      "shared-library,/opt/node,0x400000,0x25fe000,0",
      tick(1),
      tick(2),
      "code-creation,Builtin,2,17628,0x19fb680,32,WasmFuncRefToJS",
      "new,CodeRange,0x7f1ba8000000,0",
      tick(3),
      tick(4),
    );
    const profile = await profileOf(log);
    const { frames, tree, samples } = profile;
    const reasons = Array.from({ length: samples.length }, (_, i) => {
      const frame = frames[tree.frame[samples.node[i]!]!]!;
      return [frame.kind === "unknown" ? frame.reason : labelOf(frame), samples.ticks[i]];
    });
    // The builtins are at the end of the range's 512 MiB, from its row on.
    expect(reasons).toEqual([
      ["unmapped", 2],
      ["Builtin: WasmFuncRefToJS", 2],
    ]);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("voids what it knows where code is as large as memory, between ticks", async () => {
    const rows = Array.from({ length: 400 }, (_, i) => [
      `code-creation,JS,10,1,${hex(0x10000 + 64 * i)},${i % 2 ? 2 ** 50 : 64},f${i} x.js:1:1,0x1,*`,
      `tick,${hex(0x10000 + 64 * (i - (i % 3)))},${i},0,0x0,0,${hex(0x10010 + 64 * (i >> 1))}`,
    ]).flat();
    const log = logOf(...NODE_26, ...rows);
    const profile = await profileOf(log);
    expect(profile.frames.length).toBeGreaterThan(100);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("knows more code than the kernel has room for answers at first, also once it has changed", async () => {
    const address = (i: number) => 2 ** 32 + 4096 * (i % 9000) + 64 * (i % 7);
    const codes = Array.from(
      { length: 9000 },
      (_, i) => `code-creation,JS,10,1,${hex(address(i))},64,f${i % 99} x.js:1:1,0x1,*`,
    );
    const ticks = Array.from(
      { length: 18_000 },
      (_, i) => `tick,${hex(address(i) + (i % 64))},${i},0,0x0,0,${hex(address(7 * i) + 63)}`,
    );
    const others = codes.filter((_, i) => i % 3 === 0).map((row) => row.replace(",f", ",g"));
    const log = logOf(...NODE_26, ...codes, ...ticks, ...others, ...ticks);
    const profile = await profileOf(log);
    expect(profile.frames.length).toBeGreaterThanOrEqual(99);
    expect(await withoutKernels(() => profileOf(log))).toEqual(profile);
  });

  it("sees code come, move and go between ticks that share their stacks", async () => {
    const random = createRandom(3);
    const slot = () => 0x10000 + 0x40 * random(12);
    const inCode = () => slot() + random(0x40);
    const codes: (() => string)[] = [
      () => `code-creation,JS,10,1,${hex(slot())},${40 + random(80)},f${random(50)} x.js:1:1,0x1,*`,
      () => `code-move,${hex(slot())},${hex(slot())}`,
      () => `code-delete,${hex(slot())}`,
    ];
    const rows: string[] = [];
    let stack: number[] = [];
    let time = 0;
    for (let i = 0; i < 6000; i++) {
      if (random(12) === 0) rows.push(codes[random(3)]!());
      const left = stack.slice(
        random(3) === 0 ? random(stack.length + 1) : Math.min(stack.length, random(3)),
      );
      stack = [...Array.from({ length: random(left.length > 20 ? 1 : 4) }, inCode), ...left];
      // Ticks at once, apart, at the longest step and past it, and back in time.
      time += [0, 7, 1000, 10_000, 10_001, random(3) ? 20_000 : -Math.min(time, 50)][random(6)]!;
      const head = ["tick", hex(inCode()), time, random(2), random(2) ? hex(inCode()) : "0x0", random(3)];
      rows.push([...head, ...stack.map(hex)].join(","));
    }
    const log = logOf(...NODE_26, ...rows);
    for (const options of [{}, { inlines: true }]) {
      const profile = await profileOf(log, options);
      expect(profile.frames.length).toBeGreaterThan(50);
      expect(await withoutKernels(() => profileOf(log, options))).toEqual(profile);
    }
  });
});

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

function kindBy(...names: readonly string[]) {
  const clues = new ThreadClues();
  for (const name of names) clues.see(name);
  return clues.kind;
}

describe("the kind of an isolate", () => {
  it.each([
    " node:internal/main/run_main_module:1:1",
    " node:internal/main/eval_string:1:1",
    " node:internal/main/test_runner:1:1",
    " internal/main/run_main_module.js:1:1",
    " internal/process/main_thread_only.js:1:1",
    " bootstrap_node.js:1:1",
    "bootstrap_node.js",
    "node.js",
  ])("is main after %s", (name) => expect(kindBy("f /srv/a.js:1:1", name)).toBe("main"));

  it.each([
    " node:internal/main/worker_thread:1:1",
    " internal/main/worker_thread.js:1:1",
    " internal/process/worker_thread_only.js:1:1",
  ])("is worker after %s", (name) => expect(kindBy(name, "f /srv/a.js:1:1")).toBe("worker"));

  it.each([
    // What a main isolate loads to start workers, and what both load.
    " node:internal/worker:1:1",
    " internal/bootstrap/node.js:1:1",
    // Files of a program.
    " /srv/node:internal/main/worker_thread:1:1",
    " file:///srv/internal/main/worker_thread.js:1:1",
    " /srv/node.js:1:1",
    "run node:internal/main/worker_thread:1:1",
    " node:internal/main/worker_thread:92:20",
  ])("is not known by %s", (name) => expect(kindBy(name)).toBeUndefined());

  it("is not known where a main isolate and a worker wrote one file", () => {
    const [main, worker] = [
      " node:internal/main/run_main_module:1:1",
      " node:internal/main/worker_thread:1:1",
    ];
    expect(kindBy(main, worker)).toBeUndefined();
    expect(kindBy(worker, main, worker)).toBeUndefined();
  });

  it("names the thread of a log", async () => {
    const start =
      "code-creation,Eval,10,25494,0x1000,5, node:internal/main/worker_thread:1:1,0x3d3005c26618,~";
    const log = logOf(...NODE_26, start, tickAt(0x1001));
    const origin = { pid: 12, isolate: "0x7f00" };
    const { info } = await profileOf(log, { name: "x.log", origin });
    expect(info.threads).toMatchObject([
      { name: "pid 12 worker 0x7f00", log: "x.log", ...origin, kind: "worker", ticks: 1, span: 0 },
    ]);
    // Of one file for all isolates V8 begins a new one with each: only the start of the last worker is in it.
    expect((await profileOf(log, { name: "v8.log" })).info.threads[0]!.kind).toBeUndefined();
  });
});
