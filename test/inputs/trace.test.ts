import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chromeTrace } from "../../src/exports/chrome-trace.ts";
import { analyze, analyzeRuns } from "../../src/load/analyze.ts";
import { stackLines, sumOf, timesOf } from "./stacks-of.ts";

const FIXTURE = fileURLToPath(
  new URL("../../fixtures/cpuprofile/CPU.20260101.120000.100.0.001.cpuprofile", import.meta.url),
);

async function* bytesOf(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
}

function read(trace: unknown) {
  return analyzeRuns(bytesOf(trace), { name: "trace.json", timeline: true });
}

const frame = (functionName: string, url?: string, lineNumber?: number, columnNumber?: number) => ({
  functionName,
  scriptId: 0,
  url,
  lineNumber,
  columnNumber,
});

function chunk(id: string, tid: number, data: object, name = "ProfileChunk") {
  return { ph: "P", cat: "disabled-by-default-v8.cpu_profiler", name, id, pid: 7, tid, args: { data } };
}

/** The trace in chunks of one memory, each valid until the next one. */
async function* inChunks(trace: unknown, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(JSON.stringify(trace));
  const chunk = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    yield chunk.subarray(0, bytes.copy(chunk, 0, at, at + size));
}

const EVENTS = [
  { ph: "M", name: "thread_name", pid: 7, tid: 70, args: { name: "CrRendererMain" } },
  { ph: "M", name: "thread_name", pid: 7, tid: 71, args: { name: "DedicatedWorker thread" } },
  { ph: "X", cat: "toplevel", name: "RunTask", pid: 7, tid: 70, ts: 1, dur: 2, args: {} },
  chunk("0x1", 70, { startTime: 100 }, "Profile"),
  // V8 sends the parts of a profile from a thread of its own.
  chunk("0x1", 99, {
    cpuProfile: {
      nodes: [
        { id: 1, callFrame: frame("(root)") },
        { id: 2, callFrame: frame("main", "/a.js", 0, 9), parent: 1 },
        { id: 3, callFrame: frame("(idle)"), parent: 1 },
      ],
      samples: [2, 2, 3],
    },
    timeDeltas: [10, 20, 30],
    lines: [4, 5, 0],
  }),
  chunk("0x2", 71, { startTime: 110 }, "Profile"),
  chunk("0x1", 99, {
    cpuProfile: { nodes: [{ id: 4, callFrame: frame("work", "/a.js", 7, 4), parent: 2 }], samples: [4] },
    timeDeltas: [40],
    lines: [9],
    endTime: 250,
  }),
  chunk("0x2", 99, {
    cpuProfile: {
      nodes: [
        { id: 1, callFrame: frame("(root)") },
        { id: 2, callFrame: frame("run", "/w.js", 0, 0), parent: 1 },
      ],
      samples: [2],
    },
    timeDeltas: [5],
    lines: [1],
  }),
];

describe("a Chrome trace", () => {
  it("has a profile for each thread, with its name", async () => {
    for (const trace of [
      EVENTS,
      { traceEvents: EVENTS },
      { metadata: { source: "DevTools" }, traceEvents: EVENTS },
    ]) {
      const [main, worker] = await read(trace);
      expect(stackLines(main!)).toEqual([
        "idle: (idle) 1",
        "js: main /a.js:1:10 > work /a.js:8:5 @9 1",
        "js: main /a.js:1:10 @4 1",
        "js: main /a.js:1:10 @5 1",
      ]);
      expect(stackLines(worker!)).toEqual(["js: run /w.js:1:1 @1 1"]);
      expect(main!.info.threads[0]).toMatchObject({
        name: "pid 7 CrRendererMain",
        kind: "main",
        isolate: "70",
      });
      expect(worker!.info.threads[0]).toMatchObject({ name: "pid 7 DedicatedWorker thread", kind: "worker" });
      expect(sumOf(timesOf(main!))).toBe(140);
      expect(main!.info.diagnostics).toEqual([]);
    }
  });

  it("is known by its first 16 KB, in chunks of any size", async () => {
    const trace = { stackFrames: {}, note: "x".repeat(5000), traceEvents: EVENTS };
    for (const size of [100, 1 << 16]) {
      const found = await analyzeRuns(inChunks(trace, size), { name: "trace.json" });
      expect(found.map(({ info }) => info.ticks)).toEqual([4, 1]);
    }
  });

  it("may have its parts in any order, and no end", async () => {
    const all = await read(EVENTS.toReversed());
    expect(all.map(({ info }) => [info.threads[0]!.isolate, info.ticks])).toEqual([
      ["71", 1],
      ["70", 4],
    ]);
    const text = JSON.stringify(EVENTS);
    expect((await read(text.slice(0, -1))).map(({ info }) => info.ticks)).toEqual([4, 1]);
  });

  it("may be a list alone, whose events have their keys in the order of the alphabet", async () => {
    const sorted = EVENTS.map((event) => Object.fromEntries(Object.entries(event).sort()));
    const found = await read(sorted);
    expect(found.map(stackLines)).toEqual((await read({ traceEvents: EVENTS })).map(stackLines));
  });

  it("comes back the same from an export", async () => {
    const first = await analyze(bytesOf(readFileSync(FIXTURE, "utf8")), { name: "a", timeline: true });
    const text = Array.from(chromeTrace(first)).join("");
    const [again] = await read(text);
    expect(stackLines(again!).sort()).toEqual(stackLines(first).sort());
  });

  it("may have a profile in one event, whose lines are at its nodes", async () => {
    const nodes = [
      { id: 1, callFrame: frame("(root)", "", -1, -1), children: [2] },
      {
        id: 2,
        callFrame: frame("work", "http://localhost/app.js", 2, 1),
        hitCount: 3,
        positionTicks: [
          { line: 4, ticks: 2 },
          { line: 6, ticks: 1 },
        ],
      },
    ];
    const cpuProfile = {
      nodes,
      samples: [2, 2, 2],
      timeDeltas: [0, 1000, 1000],
      startTime: 0,
      endTime: 3000,
    };
    const [profile] = await read([chunk("1", 70, { cpuProfile }, "CpuProfile")]);
    expect(stackLines(profile!)).toEqual([
      "js: work http://localhost/app.js:3:2 @4 2",
      "js: work http://localhost/app.js:3:2 @6 1",
    ]);
  });

  it("tells of samples whose functions are missing, and where it was cut", async () => {
    const lost = chunk("0x9", 99, { cpuProfile: { samples: [2, 2] }, timeDeltas: [10, 10] });
    const [profile] = await read([...EVENTS, lost]);
    expect(profile!.info.diagnostics).toMatchObject([{ code: "lost-nodes", count: 2 }]);
    await expect(read([lost])).rejects.toThrow("the parts with the functions of its profiles are missing");
    await expect(read(JSON.stringify(EVENTS).slice(0, 150))).rejects.toThrow("it was cut after 1 events");
  });

  it("that lacks its last bracket is told to be cut, unless all its profiles have ended", async () => {
    const codes = async (events: readonly object[]) =>
      (await read(`[${events.map((event) => JSON.stringify(event)).join(",")}`))[0]!.info.diagnostics.map(
        ({ code }) => code,
      );
    expect(await codes([...EVENTS, chunk("0x2", 99, { endTime: 300 })])).toEqual([]);
    expect(await codes(EVENTS)).toEqual(["cut-json"]);
  });

  it("of Hermes has its samples and stacks beside its events", async () => {
    const sample = (ts: number, sf: number) => ({
      cpu: "-1",
      ts: String(ts),
      pid: 1,
      tid: "9",
      weight: "1",
      sf,
    });
    const at = (name: string, parent?: number, line?: number) => ({
      name,
      category: "JavaScript",
      parent,
      line,
    });
    const [profile] = await read({
      traceEvents: EVENTS.slice(0, 1),
      samples: [sample(1e9, 3), sample(1e9 + 10_000, 3), sample(1e9 + 20_000, 4), sample(1e9 + 30_000, 5)],
      stackFrames: {
        1: at("[root]"),
        2: at("global(/srv/index.bundle:1:1)", 1, 1),
        3: at("draw(/srv/index.bundle:7:3)", 2, 9),
        4: at("[HostFunction] log", 2),
        5: at("[GC Young Gen]", 2),
      },
    });
    expect(stackLines(profile!)).toEqual([
      "external: global /srv/index.bundle:1:1 > [HostFunction] log 1",
      "gc: global /srv/index.bundle:1:1 > (garbage collector) 1",
      "js: global /srv/index.bundle:1:1 > draw /srv/index.bundle:7:3 @9 2",
    ]);
    expect(sumOf(timesOf(profile!))).toBe(40_000);
  });

  describe("of Hermes", () => {
    const sample = (ts: number, sf: number, tid = "9") => ({ ts: String(ts), pid: 7, tid, weight: "1", sf });
    /** As Hermes names a frame: where it was; where its function begins is beside it. */
    const at = (name: string, begins: number, line: number, parent?: number) => ({
      ...{ name: `${name}(http://localhost:8081/index.bundle?dev=true:${line}:5)`, category: "JavaScript" },
      ...{ line: String(line), column: "5", funcLine: String(begins), funcColumn: "3", parent },
    });

    it("has one function for all its lines", async () => {
      const [profile] = await read({
        stackFrames: { 1: at("draw", 40, 41), 2: at("draw", 40, 47), 3: at("list", 90, 93, 2) },
        samples: [sample(1000, 1), sample(11_000, 2), sample(21_000, 2), sample(31_000, 3)],
        traceEvents: [],
      });
      const file = "http://localhost:8081/index.bundle?dev=true";
      expect(stackLines(profile!)).toEqual([
        `js: draw ${file}:40:3 > list ${file}:90:3 @93 1`,
        `js: draw ${file}:40:3 @41 1`,
        `js: draw ${file}:40:3 @47 2`,
      ]);
    });

    it("has a profile for each thread, with its name", async () => {
      const thread = { ph: "M", name: "thread_name", pid: 7, tid: "9", args: { name: "mqt_js" } };
      const found = await read({
        traceEvents: [thread],
        samples: [0, 1, 2, 3].flatMap((i) => [
          sample(1000 + i * 10_000, 1),
          sample(1200 + i * 10_000, 2, "10"),
        ]),
        stackFrames: { 1: at("draw", 40, 41), 2: at("load", 7, 8) },
      });
      expect(found.map((profile) => [stackLines(profile).length, sumOf(timesOf(profile))])).toEqual([
        [1, 40_000],
        [1, 40_000],
      ]);
      expect(found.map(({ info }) => info.threads[0]!.label)).toEqual(["mqt_js", undefined]);
    });

    it("is JavaScript where the bundle has no debug info, and waits where it has no samples", async () => {
      const bytecode = { name: "draw", category: "JavaScript", funcVirtAddr: "4711", offset: "12" };
      const [profile] = await read({
        traceEvents: [],
        samples: [...Array(20).keys()].map((i) => sample(i * 10_000 + (i < 10 ? 0 : 1e6), i === 3 ? 2 : 1)),
        stackFrames: { 1: bytecode, 2: { name: "[GC Young Gen]", category: "Metadata", parent: 1 } },
      });
      expect(stackLines(profile!)).toEqual([
        "gc: draw bytecode.hbc:1:4712 > (garbage collector) 1",
        "js: draw bytecode.hbc:1:4712 19",
      ]);
      expect(profile!.info.sampling).toMatchObject({ gaps: 1, gapTime: 1e6 });
    });

    it("is told as such where its samples became events", async () => {
      const args = { line: 90, funcLine: "80", url: "/srv/App.js" };
      const calls = ["B", "E"].map((ph) => ({ pid: 7, tid: "9", ph, name: "draw", ts: "1", args }));
      await expect(read(calls)).rejects.toMatchObject({
        message: expect.stringContaining("a Hermes profile that can be read: it was converted to events"),
        hint: expect.stringContaining("--raw"),
      });
    });
  });

  it("without a profile is refused, with what to record", async () => {
    const error = await read(EVENTS.slice(0, 3)).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "NOT_A_LOG",
      message: expect.stringContaining(
        "no profile is in it, since the category disabled-by-default-v8.cpu_profiler",
      ),
      hint: expect.stringContaining("node --cpu-prof app.js"),
    });
  });
});
