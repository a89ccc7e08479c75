import { describe, expect, it } from "vitest";
import { threadTotals } from "../../src/facts/thread-totals.ts";
import { keepSamples } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import { vmState } from "../../src/profile/vm-state.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const profile = mergeProfiles([
  profileFromStacks("js:f js:~g", "js:f js:*g", "gc:js:f", "js:f js:h"),
  profileFromStacks("cpp:x", "gc:cpp:x cpp:y"),
  profileFromStacks(),
]);

describe("the totals of threads", () => {
  it("are those of their samples, by state", () => {
    const rows = threadTotals(profile).map(({ name, ticks, excluded, states }) => ({
      name,
      ticks,
      excluded,
      js: states[vmState("js")],
      gc: states[vmState("gc")],
    }));
    expect(rows).toEqual([
      { name: "log", ticks: 4, excluded: 0, js: 3, gc: 1 },
      { name: "log (2)", ticks: 2, excluded: 0, js: 1, gc: 1 },
      { name: "log (3)", ticks: 0, excluded: 0, js: 0, gc: 0 },
    ]);
  });

  it("name the function with most ticks in all its tiers, of equals the first by name", () => {
    const hottest = threadTotals(profile).map((thread) => thread.hottest);
    expect(hottest.map((hot) => hot && [hot.function.title, hot.self])).toEqual([
      ["g", 2],
      ["x", 1],
      undefined,
    ]);
  });

  it("name no function for ticks in which the thread waited", () => {
    const waiting = mergeProfiles([
      profileFromStacks("js:f", "js:f", "js:g", ...new Array<string>(5).fill("idle:js:g cpp:epoll_pwait")),
      profileFromStacks("js:f", "idle:js:f", "idle:js:f", "js:g", "js:g"),
      profileFromStacks("idle:cpp:epoll_pwait"),
    ]);
    const totals = threadTotals(waiting).map(({ waited, hottest: hot }) => [
      waited,
      hot && [hot.function.title, hot.self],
    ]);
    expect(totals).toEqual([
      [5, ["f", 2]],
      [2, ["g", 2]],
      [1, undefined],
    ]);
  });

  it("sum up to the whole, and with what a filter leaves out to all ticks", () => {
    const { samples } = profile;
    for (const isKept of [() => true, (i: number) => samples.vmState[i] === vmState("gc"), () => false]) {
      const kept = keepSamples(profile, isKept);
      const threads = threadTotals(kept);
      const sum = (pick: (thread: (typeof threads)[number]) => number) =>
        threads.reduce((total, thread) => total + pick(thread), 0);
      expect(sum(({ ticks }) => ticks)).toBe(kept.info.ticks - kept.info.excluded);
      expect(sum(({ excluded }) => excluded)).toBe(kept.info.excluded);
      expect(sum(({ states }) => states.reduce((a, b) => a + b))).toBe(sum(({ ticks }) => ticks));
      expect(threads.map(({ ticks, excluded }) => ticks + excluded)).toEqual([4, 2, 0]);
    }
  });
});
