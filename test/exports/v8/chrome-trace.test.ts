import { describe, expect, it } from "vitest";
import { VERSION } from "../../../src/base/version.ts";
import { chromeTrace } from "../../../src/exports/chrome-trace.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { onThread, profileOverTime } from "../../helpers/timed-stacks.ts";

interface Event {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  ts: number;
  id?: string;
  dur?: number;
  args: {
    name?: string;
    data?: {
      cpuProfile: {
        nodes?: { id: number; parent?: number; callFrame: { functionName: string } }[];
        samples: number[];
      };
      timeDeltas: number[];
      lines: number[];
    };
  };
}

function eventsOf(profile: Profile): Event[] {
  return JSON.parse(Array.from(chromeTrace(profile)).join("")).traceEvents;
}

describe("chromeTrace", () => {
  it("has a profile a thread, and its ticks in chunks", () => {
    const [started, , , whole, profile, gc, chunk, ...others] = eventsOf(
      profileOverTime([5000, "js:a@3 js:b@9"], [6000, "gc:js:a@4"], [7500, "js:a@4"]),
    );
    expect(started).toMatchObject({ name: "TracingStartedInBrowser", ts: 4000 });
    expect(whole).toMatchObject({ ph: "X", ts: 4000, dur: 4500 });
    expect(gc).toMatchObject({ ph: "X", name: "GCEvent", ts: 5000, dur: 1000 });
    expect(profile).toMatchObject({
      ph: "P",
      name: "Profile",
      ts: 4000,
      args: { data: { startTime: 4000 } },
    });
    expect(chunk).toMatchObject({ ph: "P", name: "ProfileChunk", ts: 7500, id: profile!.id });
    const { cpuProfile, timeDeltas, lines } = chunk!.args.data!;
    expect(
      cpuProfile.nodes!.map(({ id, parent, callFrame }) => [id, parent, callFrame.functionName]),
    ).toEqual([
      [1, undefined, "(root)"],
      [2, 1, "a"],
      [3, 2, "b"],
      [4, 2, "(garbage collector)"],
    ]);
    expect(cpuProfile.samples).toEqual([3, 4, 2]);
    expect(timeDeltas).toEqual([1000, 1000, 1500]);
    expect(lines).toEqual([9, 0, 4]);
    expect(others).toEqual([]);
  });

  it("says a node once", () => {
    const ticks = Array.from({ length: 2500 }, (_, i) => [i * 1000, "js:a"] as const);
    const chunks = eventsOf(profileOverTime(...ticks)).filter(({ name }) => name === "ProfileChunk");
    const data = chunks.map(({ args }) => args.data!);
    expect(data.map(({ cpuProfile: { samples } }) => samples.length)).toEqual([1000, 1000, 500]);
    expect(data.map(({ cpuProfile: { nodes } }) => nodes?.length)).toEqual([2, undefined, undefined]);
  });

  it("marks gaps as idle", () => {
    const events = eventsOf(profileOverTime([5000, "js:a"], [95_000, "js:a"]));
    const { cpuProfile, timeDeltas } = events.at(-1)!.args.data!;
    expect(timeDeltas).toEqual([1000, 1000, 88_000, 1000]);
    const idle = cpuProfile.nodes!.find(({ callFrame }) => callFrame.functionName === "(idle)");
    expect(idle?.parent).toBe(1);
    expect(cpuProfile.samples).toEqual([2, idle?.id, idle?.id, 2]);
  });

  it("names threads and their processes", () => {
    const main = onThread(profileOverTime([5000, "js:a"]), { kind: "main", pid: 77 });
    const worker = onThread(profileOverTime([100, "js:a"]), {
      name: "pid 77 worker",
      log: "/x/w.log",
      pid: 77,
      kind: "worker",
    });
    const other = onThread(profileOverTime([100, "js:a"]), { log: "/x/other.log" });
    const events = eventsOf(mergeProfiles([main, worker, other]));
    const names = events.filter(({ ph, name }) => ph === "M" && name === "thread_name");
    expect(names.map(({ pid, tid, args }) => [pid, tid, args.name])).toEqual([
      [77, 1, "CrRendererMain"],
      [77, 2, "DedicatedWorker thread"],
      [3, 3, "CrRendererMain"],
    ]);
    const [started] = events;
    expect(started).toMatchObject({
      args: {
        data: {
          frames: expect.arrayContaining([
            expect.objectContaining({ processId: 77, isOutermostMainFrame: true }),
            expect.objectContaining({ processId: 3, isOutermostMainFrame: false, url: "file:///other.log" }),
          ]),
        },
      },
    });
    expect(events.filter(({ name }) => name === "TracingSessionIdForWorker")).toMatchObject([
      { pid: 77, tid: 2, args: { data: { workerThreadId: 2, url: "file:///pid%2077%20worker" } } },
    ]);
    const profiles = events.filter(({ name }) => name === "Profile");
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(3);
  });

  it("has deoptimizations as marks, and the date and the labels of the profile", () => {
    const profile = profileOverTime([5000, "js:a"], [6000, "js:a"]);
    const deopt = {
      ...{ thread: 0, function: "f /a.js:1:1", tier: "*" as const, kind: "eager", reason: "wrong map" },
      ...{ position: "</a.js:2:3>", count: 2, isOpen: false, times: [5200, 5100] },
    } as const;
    const start = new Date("2026-11-22T10:00:00Z");
    const known = { ...profile, deopts: { entries: [deopt], charges: [], demoted: [] } };
    const file = JSON.parse(Array.from(chromeTrace(known, { labels: { env: "prod" }, start })).join(""));
    const marks = file.traceEvents.filter(({ cat }: { cat: string }) => cat === "blink.user_timing");
    expect(marks).toMatchObject([
      { name: "Deopt: f", ts: 5100, args: { data: { reason: "wrong map" } } },
      { name: "Deopt: f", ts: 5200 },
    ]);
    expect(file.metadata.startTime).toBe(start.toISOString());
    expect(file.otherData).toMatchObject({ env: "prod", ticksVersion: VERSION });
  });

  it("puts the threads of a process on one clock", () => {
    const main = onThread(profileOverTime([5000, "js:a"]), {
      log: "/x/m.log",
      kind: "main",
      pid: 7,
      start: 1_700_000_000_000,
    });
    const worker = onThread(profileOverTime([5000, "js:a"]), {
      ...{ name: "w", log: "/x/w.log", pid: 7, kind: "worker", start: 1_700_000_000_086 },
    });
    const elsewhere = onThread(profileOverTime([5000, "js:a"]), {
      name: "e",
      log: "/x/e.log",
      pid: 8,
      start: 1_800_000_000_000,
    });
    const { traceEvents, metadata } = JSON.parse(
      Array.from(chromeTrace(mergeProfiles([main, worker, elsewhere]))).join(""),
    );
    const starts = traceEvents.filter(({ name }: Event) => name === "JSRoot").map(({ ts }: Event) => ts);
    expect(starts).toHaveLength(3);
    expect(metadata.startTime).toBe("2023-11-14T22:13:20.000Z");
    expect(starts.map((ts: number) => ts - starts[0])).toEqual([0, 86_000, 0]);
  });

  it("puts CPU profiles of one folder on the clock of their machine, unless they began far apart", () => {
    const recorded = (log: string, start: number, pid?: number) =>
      onThread(profileOverTime([5000, "js:a"]), { name: log, log, pid, recorded: { start, end: 9000 } });
    const profiles = [
      recorded("/x/a.cpuprofile", 2_000_000, 7),
      recorded("/x/b.cpuprofile", 2_030_000, 7),
      recorded("/x/c.cpuprofile", 2_040_000, 8),
      recorded("/x/far.cpuprofile", 9_000_000_000, 9),
      recorded("/y/other.cpuprofile", 2_050_000, 7),
      recorded("/x/none.cpuprofile", 0, 10),
    ];
    const { traceEvents } = JSON.parse(Array.from(chromeTrace(mergeProfiles(profiles))).join(""));
    const starts = traceEvents.filter(({ name }: Event) => name === "JSRoot").map(({ ts }: Event) => ts);
    expect(starts.map((ts: number) => ts - starts[0])).toEqual([0, 30_000, 40_000, 0, 0, 0]);
  });
});
