import { describe, expect, it } from "vitest";
import { turnsOf } from "../../../src/facts/profile-turns.ts";
import { filterStates } from "../../../src/profile/filter.ts";
import { mergeProfiles } from "../../../src/profile/merge.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { isWait } from "../../../src/profile/vm-state.ts";
import { fixtureProfile } from "../../helpers/fixtures.ts";
import { modelOf, timedProfile } from "../../helpers/flame.ts";

/** The rows of a thread: `start-end ticks`, in milliseconds. */
const rowsOf = (profile: Profile, limits = {}, whole?: Profile, thread = 0) => {
  const { start, end, ticks, length } = modelOf(profile, limits, whole).times!.threads[thread]!;
  return Array.from({ length }, (_, row) => `${start[row]! / 1000}-${end[row]! / 1000} ${ticks[row]}`);
};
const inLog = (log: string, ...stacks: readonly string[]): Profile => {
  const profile = timedProfile(...stacks);
  return { ...profile, info: { ...profile.info, threads: [{ ...profile.info.threads[0]!, log }] } };
};

describe("the times of a page", () => {
  it("has ticks in a row with one stack and category as one row", () => {
    expect(rowsOf(timedProfile("js:a", "js:a", "js:b", "gc:js:b", "js:b"))).toEqual([
      "0.5-2.5 2",
      "2.5-3.5 1",
      "3.5-4.5 1",
      "4.5-5.5 1",
    ]);
  });

  it("ends a tick where the next one begins, also one that a filter left out, and says when threads waited", () => {
    const whole = timedProfile("js:a", "idle:cpp:wait", "idle:cpp:wait", "js:a", "js:b");
    const busy = filterStates(whole, (state) => !isWait(state));
    expect(rowsOf(busy, {}, whole)).toEqual(["0.5-1.5 1", "3.5-4.5 1", "4.5-5.5 1"]);
    expect(Array.from(modelOf(busy, {}, whole).times!.threads[0]!.waits)).toEqual([1500, 3500]);
  });

  it("sorts the ticks of buckets by stack where there are too many rows", () => {
    const stacks = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? "js:a" : "js:b"));
    expect(modelOf(timedProfile(...stacks)).data.times!.width).toBe(0);
    const { width } = modelOf(timedProfile(...stacks), { rows: 8 }).data.times!;
    expect(width).toBe(4000);
    const rows = rowsOf(timedProfile(...stacks), { rows: 8 });
    expect(rows[0]).toBe("0.5-2.5 2");
    expect(rows.reduce((sum, row) => sum + Number(row.split(" ")[1]), 0)).toBe(16);
    const deep = timedProfile("js:a js:b js:c js:d", "js:e js:f js:g js:h", "js:a js:b js:c js:d");
    expect(modelOf(deep, { boxes: 12 }).data.times!.width).toBe(0);
    expect(modelOf(deep, { boxes: 11 }).data.times!.width).toBeGreaterThan(0);
  });

  it("begins each thread of a recording when its log was opened", () => {
    const name = (time: number) => `rec/isolate-0x1-7-t1700000000${time}-v8-7.log`;
    const both = mergeProfiles([inLog(name(100), "js:a"), inLog(name(250), "js:b")]);
    const { threads, from, to } = modelOf(both).times!;
    expect(threads.map(({ start }) => start[0])).toEqual([500, 150_500]);
    expect([from, to]).toEqual([500, 151_500]);
    expect(modelOf(both).data.times!.hasStarts).toBe(true);
    // Another recording begins at 0 too.
    const other = mergeProfiles([inLog(name(100), "js:a"), inLog(`other/${name(900)}`, "js:b")]);
    expect(modelOf(other).times!.threads.map(({ start }) => start[0])).toEqual([500, 500]);
    const unknown = mergeProfiles([inLog("a.log", "js:a"), inLog("b.log", "js:b")]);
    expect(modelOf(unknown).data.times!.hasStarts).toBe(false);
  });

  it("marks the first tick of a hot function in faster code, and deoptimizations", async () => {
    const slow = Array.from({ length: 20 }, () => "js:~hot·a.js:3:7@4");
    const { marks } = modelOf(timedProfile(...slow, "js:*hot·a.js:3:7@4", "js:~cold", "js:*cold")).times!
      .threads[0]!;
    expect(marks).toEqual([
      { at: 20_500, kind: "tier", text: "hot: first tick in TurboFan after Ignition, a.js:3" },
    ]);
    const deopts = modelOf(await fixtureProfile("node-26-ics", { timeline: true, deopts: "events" }));
    const texts = deopts.times!.threads[0]!.marks.filter(({ kind }) => kind === "deopt");
    expect(texts).toHaveLength(7);
    expect(texts[0]!.text).toMatch(/^[\w.<> ]+: deoptimized, \w.*, <.*:\d+:\d+>/);
  });

  it("has the turns of the event loop that ticks timeline lists", async () => {
    const profile = await fixtureProfile("node-26-guide", { timeline: true, inlines: true });
    const listed = turnsOf(profile, { least: 10_000, most: 9999, lines: 3 })!.flatMap(
      ({ longest }) => longest,
    );
    const model = modelOf(profile);
    const { turns } = model.times!.threads[0]!;
    expect(turns.length).toBe(listed.length);
    expect(turns.length).toBeGreaterThan(3);
    const longest = turns.reduce((most, turn) => (turn.length > most.length ? turn : most));
    expect([longest.length, longest.ticks]).toEqual([Math.round(listed[0]!.length), listed[0]!.ticks]);
    for (const { function: id, title } of turns)
      if (id >= 0) expect(model.functions.titles[id]).toContain(title.replace(/^<anonymous>.*/, ""));
  });
});
