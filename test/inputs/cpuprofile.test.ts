import { describe, expect, it } from "vitest";
import { cpuprofile } from "../../src/exports/cpuprofile.ts";
import { Analysis } from "../../src/facts/analysis.ts";
import { warningsOf } from "../../src/facts/doubts.ts";
import { originsOf } from "../../src/facts/origin.ts";
import { turnsOf } from "../../src/facts/profile-turns.ts";
import { threadTimelines } from "../../src/facts/thread-timelines.ts";
import type { ThreadTurns } from "../../src/facts/turns.ts";
import { checkRuns } from "../../src/library/runs.ts";
import { type AnalyzeOptions, analyze } from "../../src/load/analyze.ts";
import { stackOf } from "../../src/profile/call-tree.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { allSamples, allTicks } from "../../src/profile/sample-table.ts";
import { VM_STATES } from "../../src/profile/vm-state.ts";
import { stackLines, sumOf, timesOf } from "./stacks-of.ts";

const at = (functionName: string, url = "", lineNumber = -1, columnNumber = -1) => ({
  callFrame: { functionName, scriptId: "1", url, lineNumber, columnNumber },
});

async function* inPieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

function read(profile: unknown, options: Partial<AnalyzeOptions> = {}) {
  return analyze(inPieces(typeof profile === "string" ? profile : JSON.stringify(profile)), {
    name: "a.cpuprofile",
    ...options,
  });
}

const NODES = [
  { id: 1, ...at("(root)"), children: [2, 3, 6] },
  { id: 2, ...at("(idle)") },
  { id: 3, ...at("main", "/a.js", 0, 9), children: [4, 5] },
  { id: 4, ...at("work", "/a.js", 4, 13), hitCount: 3, positionTicks: [{ line: 6, ticks: 2 }] },
  { id: 5, ...at("write") },
  { id: 6, ...at("(garbage collector)") },
];
const BASIC = {
  nodes: NODES,
  startTime: 1000,
  endTime: 9000,
  samples: [4, 4, 2, 5, 4, 6],
  timeDeltas: [500, 1000, 1500, 1000, 1000, 1000],
};

describe("a CPU profile", () => {
  it("counts each sample at its stack, line and state", async () => {
    const profile = await read(BASIC);
    expect(stackLines(profile)).toEqual(
      [
        "gc: (garbage collector) 1",
        "external: main /a.js:1:10 > write 1",
        "idle: (idle) 1",
        "js: main /a.js:1:10 > work /a.js:5:14 1",
        "js: main /a.js:1:10 > work /a.js:5:14 @6 2",
      ].sort(),
    );
    expect(profile.info.input).toBe("cpuprofile");
    expect(profile.info.ticksByState[VM_STATES.indexOf("idle")]).toBeCloseTo(1000 / 1250, 5);
  });

  it("gives a sample the time to the next one, and the last one that to the end", async () => {
    const profile = await read(BASIC, { timeline: true });
    const { info, timeline } = profile;
    expect(sumOf(timesOf(profile))).toBe(9000 - 1500);
    const weights = Array.from(timeline!.ticks!.slice(0, 6), (ticks) => Math.round(ticks * info.tickTime!));
    expect(weights).toEqual([1000, 1500, 1000, 1000, 1000, 2000]);
    expect(info.threads[0]!.recorded).toEqual({ start: 1000, end: 8000 });
    expect(Array.from(timeline!.timestamp.slice(0, 6))).toEqual([500, 1500, 3000, 4000, 5000, 6000]);
    expect(info.sampling.got).toBe(7500 / 6);
  });

  it("counts samples that all have one time", async () => {
    const { info, samples } = await read({ nodes: NODES, samples: [4, 5, 5], timeDeltas: [0, 0, 0] });
    expect([allTicks(samples), info.ticks, info.tickTime]).toEqual([3, 3, undefined]);
  });

  it("has no times where all samples have one time, or none that can be", async () => {
    for (const delta of [0, 1e-9, null, 1e300]) {
      const timeDeltas = Array(6).fill(delta);
      const profile = await read({ ...BASIC, timeDeltas }, { timeline: true });
      expect(profile.timeline).toBeUndefined();
      expect(profile.info.sampling.hasTimes).toBe(false);
      // They share the time of the profile.
      expect(profile.info.tickTime).toBe(8000 / 6);
      expect(profile.info.ticksByState[VM_STATES.indexOf("idle")]).toBe(1);
    }
  });

  it("begins with its earliest sample, wherever the file has that", async () => {
    const times = async (given: object) => {
      const { timeline, info } = await read({ ...BASIC, ...given }, { timeline: true });
      expect(info.threads[0]!.recorded!.end).toBeGreaterThanOrEqual(timeline!.timestamp[5]!);
      return { times: Array.from(timeline!.timestamp.slice(0, 6)), start: info.threads[0]!.recorded!.start };
    };
    const even = [0, 1000, 2000, 3000, 4000, 5000];
    const back = Array(6).fill(-1000);
    expect(await times({ timeDeltas: back, endTime: undefined })).toEqual({ times: even, start: -5000 });
    const late = [-3000, 1000, 1000, 1000, 1000, 1000];
    expect(await times({ timeDeltas: late })).toEqual({ times: even, start: -2000 });
    const timestamps = [9000, 8000, 7000, 6000, 5000, 4000];
    const given = { timeDeltas: undefined, startTime: 4000 };
    expect(await times({ ...given, timestamps })).toEqual({ times: even, start: 4000 });
    for (const first of [null, 1e300]) {
      const odd = [first, 1000, 2000, 3000, 4000, 5000];
      const times0 = [0, 0, 1000, 2000, 3000, 4000];
      expect(await times({ ...given, timestamps: odd })).toEqual({ times: times0, start: 1000 });
    }
  });

  it("shares the time of a function among its lines by how many samples they have", async () => {
    const profile = await read(BASIC);
    // 2 of the 3 samples of work are at line 6: which ones is not known.
    expect(timesOf(profile).sort((a, b) => a - b)).toEqual([1000, 1000, 1167, 2000, 2333]);
  });

  it("can be cut by time", async () => {
    const profile = await read(BASIC, { range: { from: 1.5, to: 4 } });
    expect(allSamples(profile.samples)).toBe(3);
    expect(sumOf(timesOf(profile))).toBe(3500);
  });

  it("is read from an answer of the inspector, with its keys in any order", async () => {
    const { nodes, ...rest } = BASIC;
    const profile = await read({ id: 3, result: { profile: { ...rest, nodes } } });
    expect(stackLines(profile)).toEqual(stackLines(await read(BASIC)));
  });

  it("of old Node versions has nested nodes, hits, and times in seconds", async () => {
    const head = {
      ...NODES[0]!.callFrame,
      id: 1,
      hitCount: 0,
      children: [
        {
          ...at("main", "/a.js", 0, 9).callFrame,
          id: 2,
          hitCount: 2,
          children: [
            {
              ...at("work", "/a.js", 4, 13).callFrame,
              id: 3,
              hitCount: 3,
              children: [],
              positionTicks: [{ line: 6, ticks: 1 }],
            },
          ],
        },
      ],
    };
    const profile = await read({ typeId: "CPU", head, startTime: 100.5, endTime: 100.505 });
    expect(stackLines(profile)).toEqual([
      "js: main /a.js:1:10 2",
      "js: main /a.js:1:10 > work /a.js:5:14 2",
      "js: main /a.js:1:10 > work /a.js:5:14 @6 1",
    ]);
    expect(Math.round(profile.info.sampling.got!)).toBe(1000);
    expect(profile.info.sampling.hasTimes).toBe(false);
  });

  it.each([
    ["a head, as old Chromes wrote it", -1, 1, false],
    ["a head that a program made of what the inspector says", -1, 0, false],
    ["nodes that a program made of what V8 says to it", -1, 1, true],
  ])("has positions from 0 or 1: %s", async (_, roots, first, hasCallFrames) => {
    const place = (name: string, url: string, line: number, column: number, more = {}) => {
      const frame = { functionName: name, url, lineNumber: line, columnNumber: column, ...more };
      return hasCallFrames ? { callFrame: frame } : frame;
    };
    const root = { id: 1, hitCount: 0, ...place("(root)", "", roots + first, roots + first) };
    const lines = { lineTicks: [{ line: 6, hitCount: 1 }] };
    const main = { id: 2, hitCount: 1, ...place("main", "/a.js", 3 + first, 8 + first, lines) };
    const program = { id: 3, hitCount: 1, ...place("(program)", "", roots + first, 0) };
    const profile = await read(
      hasCallFrames
        ? { nodes: [{ ...root, children: [2, 3] }, main, program], samples: [2, 3], timeDeltas: [1, 1] }
        : { head: { ...root, children: [main, program] } },
    );
    expect(stackLines(profile)).toEqual(["external: (program) 1", "js: main /a.js:4:9 @6 1"]);
  });

  it("with timestamps has them from the first sample on", async () => {
    const { timeDeltas: _, ...rest } = BASIC;
    const profile = await read(
      { ...rest, timestamps: [1500, 2500, 4000, 5000, 6000, 7000] },
      { timeline: true },
    );
    expect(sumOf(timesOf(profile))).toBe(7500);
  });

  it("comes back the same from an export", async () => {
    const options = { timeline: true } as const;
    // Paths are URLs in what is exported.
    const first = await read(JSON.stringify(BASIC).replaceAll('"/a.js"', '"file:///a.js"'), options);
    const text = Array.from(cpuprofile(first)).join("");
    const again = await read(text, options);
    expect(stackLines(again)).toEqual(stackLines(first));
    expect(timesOf(again).sort()).toEqual(timesOf(first).sort());
    expect(again.info.threads[0]!.recorded).toEqual(first.info.threads[0]!.recorded);
  });

  it.each([
    ["late-sample", { ...BASIC, timeDeltas: [500, 1000, -700, 1000, 1000, 1000] }, 6],
    ["time-order", { ...BASIC, timeDeltas: [500, 1000, 1000, -700_000, 1000, 1000] }, 6],
    ["missing-time", { ...BASIC, timeDeltas: [500, 1000] }, 6],
    ["odd-time", { ...BASIC, timeDeltas: [500, 1e300, 1, 1, 1, null] }, 6],
    ["unknown-sample", { ...BASIC, samples: [4, 4, 99, 5, -1, 2 ** 40] }, 6],
    ["unknown-node", { ...BASIC, nodes: [...NODES, { id: 7, ...at("f"), children: [77] }] }, 6],
    ["duplicate-node", { ...BASIC, nodes: [...NODES, { id: 4, ...at("f") }] }, 6],
    ["second-caller", { ...BASIC, nodes: [...NODES, { id: 7, ...at("f"), children: [4] }] }, 6],
    [
      "node-cycle",
      {
        ...BASIC,
        samples: [4, 4, 7, 5, 4, 8],
        nodes: [...NODES, { id: 7, ...at("f"), children: [8] }, { id: 8, ...at("g"), children: [7] }],
      },
      6,
    ],
    ["damaged-value", { ...BASIC, nodes: [...NODES, 5, "x", null] }, 6],
    ["cut-json", JSON.stringify(BASIC).slice(0, -25), 6],
    ["damaged-value", JSON.stringify(BASIC).replace('"id":6,', '"id":06,'), 6],
  ])("with a fault (%s) is told and read to its end", async (code, profile, ticks) => {
    const { info, samples } = await read(profile);
    expect(info.ticks).toBe(allTicks(samples));
    expect(info.diagnostics.map((one) => one.code)).toContain(code);
    expect(allSamples(samples)).toBe(ticks);
    expect(allTicks(samples)).toBeCloseTo(ticks, 5);
    for (const weight of samples.ticks) expect(weight).toBeGreaterThanOrEqual(0);
  });

  it("has no errors for samples that were written a little late", async () => {
    const kinds = async (back: number) =>
      warningsOf(await read({ ...BASIC, timeDeltas: [500, 1000, 1000, back, 1000, 1000] })).map(
        (one) => one.kind,
      );
    expect(await kinds(-700)).not.toContain("diagnostics");
    expect(await kinds(-700_000)).toContain("diagnostics");
  });

  it("tells 49,152 lines apart, and counts samples of more for their functions", async () => {
    const lines = 49_152 + 3;
    const positionTicks = Array.from({ length: lines }, (_, i) => ({ line: i + 1, ticks: 1 }));
    const node = { ...NODES[3]!, hitCount: lines, positionTicks };
    const nodes = NODES.map((one) => (one.id === 4 ? node : one));
    // Without samples: lines and hits are all that is read.
    const profile = await read({ nodes, startTime: 0, endTime: 1e6 }, {});
    expect(profile.frames.filter((frame) => frame.kind === "js" && frame.line > 0)).toHaveLength(49_152);
    expect(stackLines(profile)).toContain("js: main /a.js:1:10 > work /a.js:5:14 3");
    expect(profile.info.diagnostics).toMatchObject([{ code: "many-lines", count: 3 }]);
    expect(profile.info.ticks).toBe(lines);
  });

  /** A chain of calls, each sampled once: work0 calls work1 and so on. */
  const chain = (length: number) => ({
    nodes: [
      { id: 1, ...at("(root)"), children: [2] },
      ...Array.from({ length }, (_, i) => ({
        ...{ id: i + 2, ...at(`f${i}`, "/a.js", i, 0) },
        children: i < length - 1 ? [i + 3] : [],
      })),
    ],
    startTime: 0,
    endTime: length * 1000,
    samples: Array.from({ length }, (_, i) => i + 2),
    timeDeltas: Array(length).fill(1000),
  });

  it("has the outermost and innermost frames of a deep stack, and one that says how many are left out", async () => {
    const stackNames = async (length: number) => {
      const { frames, tree, samples, info } = await read(chain(length));
      expect(allSamples(samples)).toBe(length);
      const names = Array.from({ length: samples.length }, (_, row) =>
        Array.from(stackOf(tree, samples.node[row]!), (number) => {
          const frame = frames[number]!;
          return frame.kind === "js" ? frame.name.replace(/ .*/, "") : (frame as { symbol: string }).symbol;
        }).reverse(),
      );
      return { names, diagnostics: info.diagnostics, nodes: tree.length };
    };
    const whole = await stackNames(1024);
    expect(whole.names.at(-1)).toEqual(Array.from({ length: 1024 }, (_, i) => `f${i}`));
    expect(whole.diagnostics).toEqual([]);
    const { names, diagnostics, nodes } = await stackNames(3000);
    const outermost = Array.from({ length: 512 }, (_, i) => `f${i}`);
    expect(names[1024]).toEqual([...outermost, "(512 frames left out)", "f1024"]);
    expect(names[1534]!.slice(512)).toEqual([
      "(512 frames left out)",
      ...Array.from({ length: 511 }, (_, i) => `f${1024 + i}`),
    ]);
    expect(names[1535]!.slice(512)).toEqual(["(1023 frames left out)", "f1535"]);
    // Every leaf is there, every call is one node, and no stack is deeper.
    expect(names.map((stack) => stack.at(-1))).toEqual(Array.from({ length: 3000 }, (_, i) => `f${i}`));
    expect(Math.max(...names.map((stack) => stack.length))).toBe(1024);
    expect(nodes).toBe(1 + 3000 + 4);
    expect(diagnostics).toMatchObject([{ code: "deep-calls", count: 3000 - 1024 }]);
  });

  /** A profile of a program that works, waits 700 ms and works again; of V8 if `waits` is a node of it. */
  const paused = (waits?: string, more: object = {}) => ({
    nodes: [
      { id: 1, ...at("(root)"), children: [2, 3, 4] },
      { id: 2, ...at("work", "/a.js", 0, 9) },
      { id: 3, ...at("other", "/a.js", 4, 9) },
      ...(waits === undefined ? [] : [{ id: 4, ...at(waits) }]),
    ],
    startTime: 0,
    endTime: 100_000 + 700_000 + 50_000,
    samples: [...Array(99).fill(2), waits === undefined ? 2 : 4, ...Array(50).fill(3)],
    timeDeltas: [0, ...Array(99).fill(1000), 701_000, ...Array(49).fill(1000)],
    ...more,
  });

  it("counts no gap between samples as work, and tells of it", async () => {
    const { info, samples } = await read(paused(), { timeline: true });
    expect(timesOf({ info, samples } as Profile)).toEqual([100_000, 50_000]);
    expect(info.sampling).toMatchObject({ gaps: 1, gapTime: 700_000, longestGap: 700_000, span: 850_000 });
    const [, other] = turnsOf(await read(paused(), { timeline: true }))![0]!.longest;
    expect([other!.callback!.name, Math.round(other!.length / 1000)]).toEqual(["other", 50]);
    const [thread] = threadTimelines(await read(paused(), { timeline: true }), { most: 10 });
    expect([thread!.gaps, Math.round(sumOf(Array.from(thread!.gapTime!)))]).toEqual([1, 700_000]);
  });

  it("counts no gap as work where the sampler had so little CPU that most samples were late", async () => {
    const late = [1000, 1000, 9000, 9500, 1000, 2500, 9000, 1000, 3000, 8500];
    const { timeDeltas } = paused();
    const steps = timeDeltas.map((step, i) => (step === 1000 ? late[i % late.length]! : step));
    const endTime = sumOf(steps) + 1000;
    const { info } = await read({ ...paused(), timeDeltas: steps, endTime });
    expect(info.sampling).toMatchObject({ gaps: 1, gapTime: 700_000, longestGap: 700_000 });
    // V8 samples a thread that waits, too.
    const program = await read({ ...paused("(program)"), timeDeltas: steps, endTime });
    expect(program.info.sampling).toMatchObject({ gaps: 0, gapTime: 0 });
  });

  it("counts a late sample as no work where the sampler is punctual and takes none of waits, and in a turn", async () => {
    const late = (waits?: string) => {
      const { timeDeltas, endTime, ...rest } = paused(waits);
      const steps = timeDeltas.map((step, i) => (i === 30 ? 4000 : step));
      return read({ ...rest, timeDeltas: steps, endTime: endTime + 3000 }, { timeline: true });
    };
    const profile = await late();
    expect(timesOf(profile)).toEqual([100_000, 50_000]);
    expect(profile.info.sampling).toMatchObject({ gaps: 2, gapTime: 703_000 });
    const [{ longest }] = turnsOf(profile)! as [ThreadTurns];
    expect(longest.map(({ length }) => Math.round(length / 1000))).toEqual([103, 50]);
    expect(timesOf(await late("(program)"))[0]).toBe(102_000);
  });

  it("counts a gap after a sample that waits as waiting", async () => {
    const { info } = await read(paused("(idle)"));
    expect(info.ticksByState[VM_STATES.indexOf("idle")]! * info.tickTime!).toBeCloseTo(701_000, 0);
    expect(info.sampling).toMatchObject({ gaps: 0, gapTime: 0 });
  });

  it("counts a short gap in work as work where waiting is sampled", async () => {
    const gap = (time: number) => {
      const { timeDeltas } = paused("(idle)");
      return paused("(idle)", {
        timeDeltas: timeDeltas.map((step, i) => (i === 50 ? time : step)),
        endTime: 849_000 + time,
      });
    };
    expect((await read(gap(60_000))).info.sampling.gapTime).toBe(0);
    expect((await read(gap(400_000))).info.sampling.gapTime).toBe(399_000);
  });

  it("counts gaps as no work where hardly any waiting is sampled, as in workerd", async () => {
    const callback = [2, ...Array(29).fill(2)];
    const steps = [43_000, ...Array(29).fill(1000)];
    const [before, after] = [3, 15];
    const awake = {
      ...paused("(idle)"),
      samples: [4, ...Array(before).fill(callback).flat(), 4, ...Array(after).fill(callback).flat()],
      timeDeltas: [0, ...Array(before).fill(steps).flat(), 1000, ...Array(after).fill(steps).flat()],
      endTime: (before + after) * 72_000 + 2000,
    };
    const profile = await read(awake, { timeline: true });
    expect(Math.round(timesOf(profile)[0]! / 1000)).toBe(18 * 30);
    expect(profile.info.sampling).toMatchObject({ gaps: 16, gapTime: 16 * 42_000 });
    const [{ longest }] = turnsOf(profile)! as [ThreadTurns];
    expect(longest.map(({ length }) => Math.round(length / 1000))).toEqual([30, 30, 30, 30, 30]);
    // A request that came before the recording: then no sample waits at all.
    const busy = await read({ ...awake, nodes: paused("(program)").nodes }, { timeline: true });
    expect(busy.info.sampling).toMatchObject({ gaps: 18, gapTime: 18 * 42_000 });
    expect(warningsOf(busy).map(({ kind }) => kind)).not.toContain("possible-waits");
    expect(turnsOf(busy)![0]!.longest.map(({ length }) => Math.round(length / 1000))).toEqual([
      ...[30, 30, 30, 30, 30],
    ]);
  });

  it("of JavaScriptCore has bodies of modules as V8 has, each part of which is a turn", async () => {
    const nodes = paused().nodes.map((node) =>
      node.id === 2 ? { ...node, ...at("(module)", "file:///srv/a.mjs", 3, 0) } : node,
    );
    const again = { samples: [...Array(100).fill(2), ...Array(50).fill(2)] };
    const profile = await read({ ...paused(), nodes, ...again }, { timeline: true });
    expect(stackLines(profile)).toEqual(["js:  file:///srv/a.mjs:1:1 150"]);
    const [{ longest }] = turnsOf(profile)! as [ThreadTurns];
    expect(longest.map(({ kind, length }) => [kind, Math.round(length / 1000)])).toEqual([
      ["load", 100],
      ["load", 50],
    ]);
    // V8 has functions of such names, too.
    const other = await read({
      ...paused("(program)"),
      nodes: [...nodes, ...paused("(program)").nodes.slice(3)],
    });
    expect(stackLines(other).join()).toContain("(module) file:///srv/a.mjs:4:1");
  });

  it("holds the event loop for no longer than it lasts", async () => {
    const samples = Array(40).fill(2);
    const timeDeltas = samples.map((_, i) => (i === 0 ? 0 : 10_000));
    const times = { timeDeltas, endTime: 400_000 };
    const profile = await read({ ...paused("(program)"), samples, ...times }, { timeline: true });
    const [{ bounds, longest }] = turnsOf(profile)! as [ThreadTurns];
    expect([bounds.most, ...longest.map(({ most }) => most)]).toEqual([400_000, 400_000]);
  });

  it("gives the last sample no more than samples usually take, unless its end is told", async () => {
    const late = await read(paused("(idle)", { endTime: 2_000_000 }));
    expect(sumOf(timesOf(late))).toBe(850_000);
    expect(late.info.sampling.gapTime).toBe(2_000_000 - 850_000);
    const { samples, timeDeltas, ...rest } = paused("(idle)");
    const told = await read({ ...rest, samples, timeDeltas: [...timeDeltas, 4000] });
    expect(sumOf(timesOf(told))).toBe(849_000 + 4000);
  });

  it("may have times that are no sampler's: how long each stack went on", async () => {
    const steps = Array.from({ length: 40 }, (_, i) => 2 ** (i % 20));
    const whole = await read({
      ...paused(),
      samples: steps.map(() => 2),
      timeDeltas: [0, ...steps.slice(1)],
    });
    expect(whole.info.sampling).toMatchObject({ gaps: 0, gapTime: 0 });
  });

  describe("without a sample in (idle)", () => {
    /** 200 ms of work, 600 ms of which nobody knows whether it waited, 100 ms of work; with a function of `url` above the work. */
    const program = (url: string, waits = "(program)") => ({
      nodes: [
        { id: 1, ...at("(root)"), children: [2, 4] },
        { id: 2, ...at("run", url, 0, 9), children: [3] },
        { id: 3, ...at("work", "/a.js", 0, 9) },
        { id: 4, ...at(waits) },
      ],
      startTime: 0,
      endTime: 900_000,
      samples: Array.from({ length: 900 }, (_, i) => (i >= 200 && i < 800 ? 4 : 3)),
      timeDeltas: Array.from({ length: 900 }, (_, i) => (i === 0 ? 0 : 1000)),
    });
    const doubtsIn = async (profile: object) => {
      const read_ = await read(profile, { timeline: true });
      return warningsOf(read_).filter(({ kind }) => kind === "possible-waits");
    };

    it("says that (program) includes waiting, in profiles of Node 8 to 12", async () => {
      const [doubt, ...others] = await doubtsIn(program("internal/timers.js"));
      expect(doubt).toMatchObject({ kind: "possible-waits", percent: expect.closeTo(66.7, 1) });
      expect(others).toEqual([]);
      expect(await doubtsIn(program("internal/timers.js", "(idle)"))).toEqual([]);
      // Node 16 and later tells V8 when it waits, and so does Chrome.
      expect(await doubtsIn(program("node:internal/timers"))).toEqual([]);
      expect(await doubtsIn(program("https://a.example/a.js"))).toEqual([]);
    });

    it("is sure of no turn, and of no budget", async () => {
      const profile = await read(program("internal/timers.js"), { timeline: true });
      const [{ longest, bounds }] = turnsOf(profile) as [ThreadTurns];
      expect(longest.map(({ length }) => Math.round(length / 1000))).toEqual([200, 101]);
      expect(bounds.most).toBeGreaterThanOrEqual(600_000);
      const budget = { selector: { kind: "function", name: "work" }, max: 5 } as const;
      expect(checkRuns([budget], { runs: [profile] })[0]).toMatchObject({ verdict: "inconclusive" });
      const sure = await read(program("node:internal/timers"), { timeline: true });
      expect(checkRuns([budget], { runs: [sure] })[0]).toMatchObject({ verdict: "broken" });
    });
  });

  it("has JavaScript in a file without a position, but not in a library", async () => {
    const profile = await read({
      nodes: [
        { id: 1, ...at("(root)"), children: [2, 3, 4] },
        { id: 2, ...at("", "srv/app.js"), hitCount: 2, positionTicks: [{ line: 8, ticks: 1 }] },
        { id: 3, ...at("malloc", "file:///lib/libc.so.6"), hitCount: 1 },
        { id: 4, ...at("(program)"), hitCount: 0 },
      ],
      samples: [2, 2, 3],
      timeDeltas: [0, 1000, 1000],
    });
    expect(stackLines(profile)).toEqual([
      "external: malloc 1",
      "js:  srv/app.js:1:1 1",
      "js:  srv/app.js:1:1 @8 1",
    ]);
  });

  it("of JavaScriptCore has its own functions, which have no file", async () => {
    const nodes = (more: readonly object[]) => [
      { id: 1, ...at("(root)"), children: [2, 3, 4] },
      { id: 2, ...at("map", "", 0, 10) },
      { id: 3, ...at("anonymous", "", 0, 10) },
      ...more,
    ];
    const times = { samples: [2, 3], timeDeltas: [0, 1000] };
    const names = async (more: readonly object[]) =>
      originsOf((await read({ nodes: nodes(more), ...times })).frames)
        .slice(1, 3)
        .map(({ name }) => name);
    expect(await names([])).toEqual(["jsc", "app"]);
    expect(await names([{ id: 4, ...at("(program)") }])).toEqual(["app", "app"]);
  });

  it("may have its nodes after many samples", async () => {
    const [samples, timeDeltas] = [Array(30_000).fill(4), Array(30_000).fill(1000)];
    const { info } = await read(
      JSON.stringify({ samples, timeDeltas, startTime: 0, endTime: 3e7, nodes: NODES }),
    );
    expect([info.input, Math.round(info.ticks)]).toEqual(["cpuprofile", 30_000]);
  });

  it("that has no nodes is refused", async () => {
    await expect(read('{"nodes":[],"samples":[]}')).rejects.toThrow("it has no nodes");
    await expect(read('{"nodes":[')).rejects.toThrow("it has no nodes");
  });

  it("is an analysis like any other", async () => {
    const { functionTicks, table } = Analysis.of(await read(BASIC));
    const number = table.functions.findIndex(({ name }) => name === "work");
    // Its 3 samples take 1000, 1500 and 1000 µs, and the mean is 1250.
    for (const ticks of [functionTicks.self[number]!, functionTicks.total[number]!])
      expect(ticks).toBeCloseTo(3500 / 1250, 5);
  });
});

describe("ids of nodes", () => {
  /** Nodes without callers, each with one sample. */
  const sampled = (ids: readonly number[]) => ({
    nodes: ids.map((id) => ({ id, ...at(`f${id}`, "/a.js", 1, 1) })),
    startTime: 0,
    endTime: ids.length * 1000,
    samples: ids,
    timeDeltas: ids.map(() => 1000),
  });

  it("take memory by the number of nodes, even if each is twice the last", async () => {
    const ids = [1, 2, 3, ...Array.from({ length: 21 }, (_, i) => 64 * 2 ** i)];
    const before = process.memoryUsage().arrayBuffers;
    const profile = await read(sampled(ids));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20);
    expect(allSamples(profile.samples)).toBe(ids.length);
    expect(profile.info.diagnostics).toEqual([]);
  });

  it.each([
    ["that fall", Array.from({ length: 300 }, (_, i) => 300 - i)],
    ["that are spread, then near", [...Array.from({ length: 200 }, (_, i) => 7 * i + 1), 2, 3, 4, 5]],
    ["that are negative, huge or fractions", [-5, 2 ** 40, 2 ** 31, 1.5, 64, 127, 128, 0]],
  ])("%s find their nodes", async (_, ids) => {
    const profile = await read(sampled(ids));
    expect(allSamples(profile.samples)).toBe(ids.length);
    expect(profile.info.diagnostics).toEqual([]);
    expect(new Set(profile.samples.node.subarray(0, profile.samples.length)).size).toBe(ids.length);
  });
});
