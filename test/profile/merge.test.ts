import { describe, expect, it } from "vitest";
import type { Deopts } from "../../src/profile/deopt.ts";
import { mergeProfiles, ProfileMerger } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { joinTitles } from "../../src/profile/titles.ts";
import { versionText } from "../../src/profile/v8-version.ts";
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
