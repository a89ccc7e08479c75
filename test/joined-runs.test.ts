import { describe, expect, it } from "vitest";
import { cpuprofile } from "../src/exports/cpuprofile.ts";
import { coverageOf } from "../src/facts/coverage.ts";
import { warningsOf } from "../src/facts/doubts.ts";
import { threadTimelines } from "../src/facts/thread-timelines.ts";
import { LiveLogs } from "../src/live/live-logs.ts";
import { analyze } from "../src/load/analyze.ts";
import type { Profile } from "../src/profile/profile.ts";
import { LibraryLoader } from "../src/replay/libraries.ts";
import { adviceFor } from "../src/reports/doctor.ts";
import { chunksOf, leavesOf, logOf } from "./helpers/logs.ts";

const VERSION = "v8-version,11,3,244,8,-node.38,0";
const LIBRARY = "shared-library,/usr/bin/prog,0x400000,0x4ff7000,0";
const BEGIN = "profiler,begin,1000";
const END = "profiler,end";

function code(name: string, time = 10): string {
  return `code-creation,JS,10,${time},0x3a0000001000,100,${name} /srv/${name}.js:1:1,0x2a0b1c2d3e0,~`;
}

/** Ticks in the function at the same address, the first at `from` ms. */
function ticks(count: number, from = 6): string[] {
  return Array.from({ length: count }, (_, i) => {
    return `tick,0x3a0000001010,${1000 * (from + i)},0,0x0,0,0x3a0000001010`;
  });
}

function run(name: string, count: number): string[] {
  return [VERSION, "v8-platform,linux,linux", LIBRARY, BEGIN, code(name), ...ticks(count), END];
}

function faults({ info }: Profile): string[] {
  return info.diagnostics.map((one) => `${one.code}×${one.count}@${one.line}`);
}

/** What a log says, however it is cut and read. */
async function read(rows: readonly string[], tail = "") {
  const log = Buffer.concat([logOf(...rows), Buffer.from(tail)]);
  const profile = await analyze(chunksOf(log), { timeline: true, inlines: true });
  for (const size of [97, 1 << 12]) {
    const cut = await analyze(chunksOf(log, size), { timeline: true, inlines: true });
    expect([leavesOf(cut), faults(cut), cut.info.sampling]).toEqual([
      leavesOf(profile),
      faults(profile),
      profile.info.sampling,
    ]);
  }
  // No tick can be outside of the time of its thread.
  const { samples, timeDeltas } = JSON.parse(Array.from(cpuprofile(profile)).join("")) as {
    samples: number[];
    timeDeltas: number[];
  };
  expect(samples).toHaveLength(timeDeltas.length);
  expect(timeDeltas.every((delta) => delta >= 0)).toBe(true);
  const slices = threadTimelines(profile, { most: 10 });
  const drawn = slices.flatMap(({ lanes }) => Object.values(lanes).flat());
  expect(drawn.every((count) => count >= 0)).toBe(true);
  return profile;
}

const warningsIn = (profile: Profile) =>
  warningsOf(profile).flatMap((warning) => (warning.kind === "shared-file" ? [warning] : []));

describe("a file with several runs", () => {
  it("has a thread for each, with its own functions, times and duration", async () => {
    const profile = await read([...run("first", 100), ...run("second", 50)]);
    expect(leavesOf(profile)).toEqual({
      "JS: ~first /srv/first.js:1:1": 100,
      "JS: ~second /srv/second.js:1:1": 50,
    });
    expect(profile.info).toMatchObject({ title: "log", logs: ["log"], ticks: 150 });
    expect(profile.info.threads.map(({ name, ticks, span }) => [name, ticks, span])).toEqual([
      ["log", 100, 99_000],
      ["log (2)", 50, 49_000],
    ]);
    expect(profile.info.sampling).toMatchObject({ span: 148_000, got: 1000, gaps: 0 });
    expect(faults(profile)).toEqual(["another-run×1@107"]);
    expect(warningsIn(profile)).toEqual([{ kind: "shared-file", fault: "another-run", line: 107, count: 1 }]);
    const advice = adviceFor(profile, coverageOf(profile)).join("\n");
    expect(advice).toContain(
      "Line 107: another run begins: several runs are in one file (each is read as a thread of its own).",
    );
    expect(advice).toContain("ticks record does, and --logfile=v8-%p.log");
    expect(advice).not.toContain("Record it again");
  });

  it("counts three, and those that a kill ended", async () => {
    const killed = run("first", 20).slice(0, -1);
    const profile = await read([...killed, ...run("second", 30), ...run("third", 40)]);
    expect(Object.values(leavesOf(profile))).toEqual([20, 30, 40]);
    expect(faults(profile)).toEqual(["another-run×2@26"]);
    // The end of the first row is lost, and with it the version of the second run.
    const torn = await read([...killed, `tick,0x3a00${VERSION}`, ...run("second", 30).slice(1)]);
    expect(Object.values(leavesOf(torn))).toEqual([20, 30]);
    expect(faults(torn)).toContain("another-run×1@27");
  });

  it("leaves out runs without ticks", async () => {
    const profile = await read([VERSION, LIBRARY, BEGIN, code("none"), END, ...run("only", 30)]);
    expect(leavesOf(profile)).toEqual({ "JS: ~only /srv/only.js:1:1": 30 });
    expect(profile.info.threads).toHaveLength(1);
    expect((await read([...run("only", 30), VERSION, LIBRARY, BEGIN])).info.threads).toHaveLength(1);
  });

  it("is one of old versions of Node, whose code has no times", async () => {
    const old = (name: string) => [
      "v8-version,5,1,281,111,0",
      'shared-library,"/usr/bin/node",0x400000,0x4ff7000',
      'profiler,"begin",1',
      `code-creation,LazyCompile,0,0x3a0000001000,100,"${name} /srv/${name}.js:1:1",0x2a0b1c2d3e0,~`,
      ...ticks(25),
    ];
    const profile = await read([...old("first"), ...old("second")]);
    expect(Object.values(leavesOf(profile))).toEqual([25, 25]);
    expect(faults(profile)).toEqual(["another-run×1@30"]);
  });

  it("is one of Node 0.x, which states no version, with and without times", async () => {
    const old = (name: string, tick: (i: number) => string, end: string[] = []) => [
      'shared-library,"/usr/bin/node",0x00400000,0x00cff000',
      'profiler,"begin",1',
      `code-creation,LazyCompile,0x3a001000,100,"${name} /srv/${name}.js:1",0x2a0b1c2d,~`,
      ...Array.from({ length: 25 }, (_, i) => tick(i)),
      ...end,
    ];
    const untimed = () => "tick,0x3a001010,0x7fff0000,0,0x0,0,0x3a001010";
    const rows = [...old("first", untimed), ...old("second", untimed)];
    const profile = await read(rows);
    expect(Object.values(leavesOf(profile))).toEqual([25, 25]);
    expect(faults(profile)).toEqual(["another-run×1@29"]);
  });

  it("is no file whose profiler was stopped and started again", async () => {
    const again = [END, LIBRARY, BEGIN, code("other", 60_000), ...ticks(20, 70), END];
    const profile = await read([...run("first", 30).slice(0, -1), ...again]);
    expect(faults(profile)).toEqual([]);
    expect(profile.info.threads).toHaveLength(1);
    expect(leavesOf(profile)).toEqual({
      "JS: ~first /srv/first.js:1:1": 30,
      "JS: ~other /srv/other.js:1:1": 20,
    });
    const resumed = [...run("first", 30), "profiler,resume", ...ticks(20, 70), "profiler,pause"];
    expect(faults(await read(resumed))).toEqual([]);
  });

  it("takes bounded memory and time, however many there are", async () => {
    const runs = Array.from({ length: 300 }, (_, i) => run(`run${i}`, 3)).flat();
    const profile = await analyze(chunksOf(logOf(...runs)));
    expect(profile.info.ticks).toBe(900);
    expect(profile.info.threads).toHaveLength(64);
  });

  it("is read live, with times that go on", async () => {
    const live = new LiveLogs();
    const log = live.add({
      name: "a.log",
      origin: { pid: undefined, isolate: undefined },
      sources: { openLoader: () => new LibraryLoader({ sources: [] }), readNames: async () => [] },
    });
    await log.read(logOf(...run("first", 100), ...run("second", 50)));
    expect(log.counts.ticks).toBe(150);
    expect(log.time).toBe(105_000 + 55_000);
  });
});

describe("a file that several processes wrote at once", () => {
  /** Ticks of two processes in turn, the second 40 ms behind. */
  const mixed = Array.from({ length: 100 }, (_, i) => [ticks(1, 46 + i)[0]!, ticks(1, 6 + i)[0]!]).flat();

  it("is said to be so, with durations that can be", async () => {
    const profile = await read([...run("first", 40).slice(0, -1), ...mixed]);
    expect(faults(profile)).toEqual(["mixed-writers×1@47"]);
    expect(warningsIn(profile)).toMatchObject([{ fault: "mixed-writers", line: 47 }]);
    expect(profile.info.sampling).toMatchObject({ span: 139_000, gaps: 0, gapTime: 0 });
    expect(warningsOf(profile).map(({ kind }) => kind)).not.toContain("no-cpu");
  });

  it("keeps the functions of the first where the other's first rows come between its ticks", async () => {
    const other = [VERSION, LIBRARY, BEGIN, code("second", 30).replace("3a00", "4a00")];
    const rows = [...run("first", 100).slice(0, -1), ...other, ...ticks(40, 106), ...mixed];
    const profile = await read(rows);
    expect(leavesOf(profile)).toEqual({ "JS: ~first /srv/first.js:1:1": 340 });
    expect(profile.info.threads).toHaveLength(1);
    expect(faults(profile).map((fault) => fault.split("×")[0])).toEqual(["mixed-writers"]);
  });

  it("is told from one with a part of another run", async () => {
    const profile = await read([...run("first", 100).slice(0, -1), ...ticks(100)]);
    expect(faults(profile)).toEqual(["time-back×1@106"]);
    expect(profile.info.sampling).toMatchObject({ span: 198_000, got: 1000 });
  });
});
