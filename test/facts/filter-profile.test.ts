import { describe, expect, it } from "vitest";
import { filterProfile, type ProfileFilter } from "../../src/facts/filter-profile.ts";
import { labelOf } from "../../src/facts/label.ts";
import { stackOf } from "../../src/profile/call-tree.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** Each stack, root first, with its ticks. */
function stacksOf({ frames, tree, samples }: Profile): Record<string, number> {
  const stacks: Record<string, number> = {};
  for (let i = 0; i < samples.length; i++) {
    const labels = Array.from(stackOf(tree, samples.node[i]!), (frame) => labelOf(frames[frame]!));
    const stack = labels.reverse().join(" > ");
    stacks[stack] = (stacks[stack] ?? 0) + samples.ticks[i]!;
  }
  return stacks;
}

function filtered(filter: ProfileFilter, ...stacks: string[]) {
  const profile = filterProfile(profileFromStacks(...stacks), filter);
  return { ...stacksOf(profile), excluded: profile.info.excluded };
}

describe("a filtered profile", () => {
  const stacks = ["js:a js:b cpp:f", "js:a js:c", "js:c", "gc:cpp:f", "js:b js:a js:b"];

  it("has only stacks with a frame that matches", () => {
    expect(filtered({ focus: [/^b$/] }, ...stacks)).toEqual({
      "JS: *a > JS: *b > f": 1,
      "JS: *b > JS: *a > JS: *b": 1,
      excluded: 3,
    });
    expect(filtered({ focus: [/^b$/, /^c$/] }, ...stacks)).toMatchObject({ excluded: 1 });
  });

  it("has no stacks with a frame that matches", () => {
    expect(filtered({ ignore: [/^b$/] }, ...stacks)).toEqual({
      "JS: *a > JS: *c": 1,
      "JS: *c": 1,
      f: 1,
      excluded: 2,
    });
  });

  it("gives the ticks of hidden frames to their callers", () => {
    expect(filtered({ hide: [/^[bf]$/] }, ...stacks)).toEqual({
      "JS: *a": 2,
      "JS: *a > JS: *c": 1,
      "JS: *c": 1,
      excluded: 1,
    });
  });

  it("has only ticks in the states wanted", () => {
    expect(filtered({ states: ["gc"] }, ...stacks)).toEqual({ f: 1, excluded: 4 });
    expect(filtered({ states: ["gc", "js"] }, ...stacks)).toMatchObject({ excluded: 0 });
    expect(filtered({ states: [] }, ...stacks)).toEqual({ excluded: 5 });
  });

  it("has only frames of the code wanted", () => {
    const mixed = [
      "js:main·/srv/main.js:1:1 js:get·/srv/node_modules/p/i.js:1:1 js:read·node:fs:1:1 cpp:read",
      "js:main·/srv/main.js:1:1 builtin:ArrayMap js:each·/srv/main.js:2:1",
      "cpp:start ?",
    ];
    const main = "JS: *main /srv/main.js:1:1";
    const each = "JS: *each /srv/main.js:2:1";
    expect(filtered({ only: ["app"] }, ...mixed)).toEqual({
      [main]: 1,
      [`${main} > ${each}`]: 1,
      excluded: 1,
    });
    expect(filtered({ only: ["deps"] }, ...mixed)).toEqual({
      "JS: *get /srv/node_modules/p/i.js:1:1": 1,
      excluded: 2,
    });
    expect(filtered({ only: ["node"] }, ...mixed)).toEqual({ "JS: *read node:fs:1:1": 1, excluded: 2 });
    expect(filtered({ only: ["native"] }, ...mixed)).toEqual({ read: 1, start: 1, excluded: 1 });
    expect(filtered({ only: ["js"] }, ...mixed)).toMatchObject({ [`${main} > ${each}`]: 1, excluded: 1 });
    expect(filtered({ only: ["app", "native"] }, ...mixed)).toEqual({
      [`${main} > read`]: 1,
      [`${main} > ${each}`]: 1,
      start: 1,
      excluded: 0,
    });
  });

  it("chooses stacks by frames that it then hides", () => {
    expect(filtered({ focus: [/^b$/], hide: [/^b$/] }, ...stacks)).toEqual({
      "JS: *a > f": 1,
      "JS: *a": 1,
      excluded: 3,
    });
  });

  it("is the same where nothing is asked for", () => {
    const profile = profileFromStacks(...stacks);
    expect(filterProfile(profile, {})).toBe(profile);
    expect(filterProfile(profile, { focus: [], hide: [] })).toBe(profile);
  });

  it("keeps no frames and nodes without ticks", () => {
    const profile = filterProfile(profileFromStacks(...stacks), { focus: [/^c$/] });
    expect(profile.frames.map(labelOf)).toEqual(["JS: *a", "JS: *c"]);
    expect(profile.tree.length).toBe(4);
  });

  it("makes code of its own of what was inlined into code that is hidden", () => {
    const inlinings = (hide: RegExp) => {
      const profile = profileFromStacks("js:a js:holder inlined:b inlined:c", "js:a js:b");
      const { frames, tree, samples } = filterProfile(profile, { hide: [hide] });
      return Array.from(stackOf(tree, samples.node[0]!), (number) => {
        const frame = frames[number]!;
        return frame.kind === "js" && frame.inlined ? `${frame.name}(inlined)` : labelOf(frame).slice(5);
      });
    };
    expect(inlinings(/^x$/)).toEqual(["c(inlined)", "b(inlined)", "holder", "a"]);
    expect(inlinings(/^holder$/)).toEqual(["c(inlined)", "b", "a"]);
    expect(inlinings(/^b$/)).toEqual(["c(inlined)", "holder", "a"]);
    expect(inlinings(/^(?:b|holder)$/)).toEqual(["c", "a"]);
    const { frames } = filterProfile(profileFromStacks("js:h inlined:b", "js:a js:b"), { hide: [/^h$/] });
    expect(frames.map(labelOf)).toEqual(["JS: *b", "JS: *a"]);
  });

  it("keeps the times and threads of what is left", () => {
    const times = new TimelineBuilder();
    const plain = profileFromStacks("js:a js:x", "js:a", "js:b", "js:a js:x");
    for (const [tick, sample] of [0, 1, 2, 0].entries()) times.add(sample, tick * 1000);
    const twice = mergeProfiles([
      { ...plain, timeline: times },
      { ...plain, timeline: times },
    ]);
    const { samples, timeline, info } = filterProfile(twice, { hide: [/^[xb]$/] });
    expect(Array.from({ length: samples.length }, (_, i) => [samples.thread[i], samples.ticks[i]])).toEqual([
      [0, 3],
      [1, 3],
    ]);
    expect(Array.from(timeline!.sample.subarray(0, timeline!.length))).toEqual([0, 0, 0, 1, 1, 1]);
    expect(Array.from(timeline!.timestamp.subarray(0, 3))).toEqual([0, 1000, 3000]);
    expect(info.threads.map(({ ticks }) => ticks)).toEqual([4, 4]);
    expect(info.excluded).toBe(2);
  });
});

describe("what a pattern matches", () => {
  const matches = (pattern: RegExp, stack: string) => filtered({ focus: [pattern] }, stack).excluded === 0;

  it("is a label, a name alone, or a file", () => {
    const frame = "js:~parse·/srv/lib/parse.js:3:4";
    for (const pattern of [/^JS: ~parse/, /^parse$/, /^\/srv\/lib/, /lib\/parse\.js:3$/, /parse\.js$/]) {
      expect(matches(pattern, frame), String(pattern)).toBe(true);
    }
    expect(matches(/PARSE/, frame)).toBe(false);
    expect(matches(/PARSE/i, frame)).toBe(true);
    expect(matches(/^<anonymous>$/, "js:·/srv/a.js:1:1")).toBe(true);
  });

  it("is the library of native code, and the name of V8's", () => {
    expect(matches(/^\/bin\/node$/, "cpp:f")).toBe(true);
    expect(matches(/libc/, "lib:/lib/libc.so.6")).toBe(true);
    expect(matches(/^ArrayMap$/, "builtin:ArrayMap")).toBe(true);
    expect(matches(/^UNKNOWN$/, "?")).toBe(true);
  });

  it("is a Windows path, with either separator", () => {
    const frame = "js:f·C:\\app\\lib\\a.js:1:1";
    expect(matches(/lib\\a/, frame)).toBe(true);
    expect(matches(/lib\/a\.js/, frame)).toBe(true);
  });
});
