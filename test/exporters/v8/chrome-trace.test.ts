import { describe, expect, it } from "vitest";
import { chromeTrace } from "../../../src/exporters/v8/chrome-trace.ts";
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
    const [, , whole, profile, chunk, ...others] = eventsOf(
      profileOverTime([5000, "js:a@3 js:b@9"], [6000, "gc:js:a@4"], [7500, "js:a@4"]),
    );
    expect(whole).toMatchObject({ ph: "X", ts: 4000, dur: 4500 });
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
      [77, 1, "pid 77 main"],
      [77, 2, "pid 77 worker"],
      [3, 3, "other.log"],
    ]);
    const profiles = events.filter(({ name }) => name === "Profile");
    expect(new Set(profiles.map(({ id }) => id)).size).toBe(3);
  });
});
