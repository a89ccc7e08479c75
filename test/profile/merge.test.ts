import { describe, expect, it } from "vitest";
import type { Deopts } from "../../src/profile/deopt.ts";
import { mergeInfos, mergeProfiles, ProfileMerger } from "../../src/profile/merge.ts";
import type { Profile, ThreadInfo } from "../../src/profile/profile.ts";
import { arrangeThreads, nameThreads, threadOrder } from "../../src/profile/threads.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { joinTitles } from "../../src/profile/titles.ts";
import { versionText } from "../../src/profile/v8-version.ts";
import { leavesOf } from "../helpers/logs.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** What a profile says, without the room at the end of its columns. */
function contents({ frames, tree, samples, timeline, deopts, sources, info }: Profile) {
  const used = (column: ArrayLike<number>, { length }: { length: number }) =>
    Array.from(column).slice(0, length);
  return {
    frames,
    tree: [used(tree.parent, tree), used(tree.frame, tree)],
    samples: [samples.node, samples.vmState, samples.thread, samples.ticks].map((c) => used(c, samples)),
    timeline: timeline && [used(timeline.sample, timeline), used(timeline.timestamp, timeline)],
    deopts,
    sources,
    info,
  };
}

/** A profile whose log has this name, with a time for each sample and the text of a script. */
function profileOf(log: string, ...stacks: readonly string[]): Profile {
  const profile = profileFromStacks(...stacks);
  const timeline = new TimelineBuilder();
  for (let i = 0; i < profile.samples.length; i++) timeline.add(i, 1000 * i);
  const threads = profile.info.threads.map((thread) => ({ ...thread, log, name: log }));
  const sources = [
    { file: "shared.js", text: log },
    { file: `${log}.js`, text: "" },
  ];
  const info = { ...profile.info, title: log, logs: [log], threads };
  return { ...profile, timeline, deopts: deoptOf(log), sources, info };
}

/** A deoptimization of a function with the name of the log that cost a tick of its first sample. */
function deoptOf(log: string): Deopts {
  const names = {
    function: `${log} x.js:1:1`,
    tier: "*",
    kind: "eager",
    reason: "wrong map",
    position: "",
  } as const;
  return {
    entries: [{ thread: 0, ...names, count: 1, isOpen: true }],
    charges: [{ deopt: 0, tier: "~", sample: 0, ticks: 1 }],
    demoted: [{ thread: 0, function: names.function, ticks: 1, optimizedAgain: 0 }],
  };
}

const a = profileOf("a", "js:f js:g", "js:f js:g", "gc:js:f");
const b = profileOf("b", "js:f js:h", "gc:js:f cpp:x");
const c = profileOf("c", "lib:/x", "js:f js:g");

describe("merging profiles as they come", () => {
  it("gives one thread a log, with its own ticks, and one text a file", () => {
    const { samples, info, sources } = mergeProfiles([a, b, c]);
    const ticks = [0, 0, 0];
    for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
    expect(ticks).toEqual([3, 2, 2]);
    expect(info.threads.map(({ name, ticks }) => [name, ticks])).toEqual([
      ["a", 3],
      ["b", 2],
      ["c", 2],
    ]);
    expect([info.title, info.logs, info.ticks]).toEqual(["a, b, c", ["a", "b", "c"], 7]);
    expect(sources.map(({ file, text }) => `${file} ${text}`)).toEqual([
      "shared.js a",
      "a.js ",
      "b.js ",
      "c.js ",
    ]);
  });

  it("keeps the deoptimizations of each log, with its thread and its samples", () => {
    const { deopts, samples } = mergeProfiles([a, b, c]);
    expect(deopts!.entries.map((entry) => [entry.thread, entry.function])).toEqual([
      [0, "a x.js:1:1"],
      [1, "b x.js:1:1"],
      [2, "c x.js:1:1"],
    ]);
    expect(deopts!.demoted.map(({ thread }) => thread)).toEqual([0, 1, 2]);
    expect(deopts!.charges.map(({ deopt, sample }) => [deopt, samples.thread[sample]])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it("lists each version of V8 once", () => {
    const of = (log: string, ...majors: number[]) => {
      const v8 = majors.map((major) => ({ major, minor: 1, build: 2, patch: 3, embedder: "-node.4" }));
      const profile = profileOf(log, "js:f");
      return { ...profile, info: { ...profile.info, v8 } };
    };
    const merged = mergeProfiles([of("a"), of("b", 11), of("c", 14), of("d", 11)]);
    expect(merged.info.v8.map(versionText)).toEqual(["11.1.2.3-node.4", "14.1.2.3-node.4"]);
  });

  it("does not depend on how the profiles are grouped", () => {
    const whole = contents(mergeProfiles([a, b, c]));
    expect(contents(mergeProfiles([mergeProfiles([a, b]), c]))).toEqual(whole);
    expect(contents(mergeProfiles([a, mergeProfiles([b, c])]))).toEqual(whole);
  });

  it("leaves a profile that is alone as it is", () => {
    const merger = new ProfileMerger();
    merger.add(a);
    expect(merger.finish()).toBe(a);
  });

  it("can merge nothing", () => {
    expect(mergeProfiles([]).info).toMatchObject({ title: "", ticks: 0, threads: [] });
  });
});

it("names at most ten titles", () => {
  const titles = Array.from({ length: 11 }, (_, i) => `${i}.log`);
  expect(joinTitles(titles.slice(0, 10))).toBe(
    "0.log, 1.log, 2.log, 3.log, 4.log, 5.log, 6.log, 7.log, 8.log, 9.log",
  );
  expect(joinTitles(titles)).toBe("0.log, 1.log, 2.log and 8 more");
});

function thread(log: string, facts: Partial<ThreadInfo> = {}): ThreadInfo {
  return {
    name: "",
    log,
    pid: undefined,
    isolate: undefined,
    kind: undefined,
    ticks: 0,
    span: 0,
    ...facts,
  };
}

const names = (...threads: readonly ThreadInfo[]) => nameThreads(threads).map(({ name }) => name);

describe("the names of threads", () => {
  it("have what is known, the isolate where it tells apart", () => {
    expect(
      names(
        thread("a", { pid: 7, isolate: "0x1", kind: "main" }),
        thread("b", { pid: 7, isolate: "0x2", kind: "worker" }),
        thread("c", { pid: 7, isolate: "0x3" }),
        thread("d", { pid: 8 }),
        thread("e", { isolate: "0x4", kind: "main" }),
        thread("f", { isolate: "0x5", kind: "worker" }),
        thread("g", { isolate: "0x6" }),
        thread("logs/h.log", { kind: "main" }),
      ),
    ).toEqual([
      "pid 7 main",
      "pid 7 worker 0x2",
      "pid 7 0x3",
      "pid 8",
      "main 0x4",
      "worker 0x5",
      "isolate 0x6",
      "h.log",
    ]);
  });

  it("are no two the same, though processes of two machines have one number", () => {
    const main = { pid: 7, kind: "main" } as const;
    expect(
      names(
        thread("one/a", { ...main, isolate: "0x1" }),
        thread("two/a", { ...main, isolate: "0x2" }),
        thread("two/b", { ...main, isolate: "0x2" }),
        thread("three/c", { pid: 9, isolate: "0x1", kind: "worker" }),
        thread("four/c", { pid: 9, isolate: "0x1", kind: "worker" }),
        thread("five/d (2)"),
        thread("five/d"),
        thread("six/d"),
        thread("seven/d"),
      ),
    ).toEqual([
      "pid 7 main 0x1",
      "pid 7 main 0x2",
      "pid 7 main 0x2 (2)",
      "pid 9 worker 0x1",
      "pid 9 worker 0x1 (2)",
      "d (2)",
      "d",
      "d (3)",
      "d (4)",
    ]);
  });
});

it("orders threads by folder as given, process, main before worker, address", () => {
  const threads = [
    thread("b/w2", { pid: 5, kind: "worker", isolate: "0x10" }),
    thread("b/w1", { pid: 5, kind: "worker", isolate: "0x9" }),
    thread("b/u", { pid: 5, isolate: "0x1" }),
    thread("b/m", { pid: 5, kind: "main", isolate: "0xffff" }),
    thread("b/parent", { kind: "main" }),
    thread("b/child", { pid: 40, kind: "main" }),
    thread("a/y", { pid: 1 }),
    thread("a/x", { pid: 1 }),
  ];
  expect(threadOrder(threads).map((i) => threads[i]!.log)).toEqual([
    "b/parent",
    "b/m",
    "b/u",
    "b/w1",
    "b/w2",
    "b/child",
    "a/x",
    "a/y",
  ]);
});

it("keeps some threads as if the others had not been read, in another order", () => {
  const parts = [
    profileFromStacks("js:f", "js:g"),
    profileFromStacks("js:f", "js:f", "gc:js:h"),
    profileFromStacks("js:k"),
  ];
  const all = mergeProfiles(parts);
  const info = mergeInfos([parts[2]!.info, parts[0]!.info]);
  const { samples, info: kept, ...rest } = arrangeThreads(all, [2, 0], info);
  expect(leavesOf({ ...rest, samples, info: kept })).toEqual({ "JS: *f": 1, "JS: *g": 1, "JS: *k": 1 });
  expect([kept.ticks, kept.excluded]).toEqual([3, 0]);
  const ticks = [0, 0];
  for (let i = 0; i < samples.length; i++) ticks[samples.thread[i]!]! += samples.ticks[i]!;
  expect(ticks).toEqual([1, 2]);
});
