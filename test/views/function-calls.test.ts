import { describe, expect, it } from "vitest";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { type Call, FunctionNodes, functionCalls } from "../../src/views/function-calls.ts";
import { FunctionNames } from "../../src/views/function-names.ts";
import { FunctionStacks } from "../../src/views/function-stacks.ts";
import { tierTimes } from "../../src/views/tier-times.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function look(title: string, ...words: readonly string[]) {
  const profile = profileFromStacks(...words);
  const stacks = new FunctionStacks(profile);
  const id = stacks.table.functions.findIndex((found) => found.title === title);
  const places = new FunctionNodes(profile.tree, stacks.table.ofFrame, id);
  const names = new FunctionNames(stacks.table.functions);
  const texts = (calls: readonly Call[]) =>
    calls.map(({ callable, ticks, inlined, inferred }) => {
      const name = callable === undefined ? "(no caller)" : names.callable(callable).title;
      return `${name} ${ticks}${inlined > 0 ? ` ${inlined} inlined` : ""}${inferred > 0 ? ` ${inferred} inferred` : ""}`;
    });
  const { self, total, inferred, callers, callees, tiers } = functionCalls(profile, stacks, places);
  return {
    self,
    total,
    inferred,
    callers: texts(callers),
    callees: texts(callees),
    tiers: tiers.map(({ tier, self, total }) => `${tier}${self}/${total}`),
    profile,
    places,
  };
}

describe("functionCalls", () => {
  it("shares the total out to callers, and what is not self to callees", () => {
    const f = look("f", "js:f", "js:a js:f", "js:a js:f js:x", "js:b inlined:f js:y js:x", "js:a js:x");
    expect([f.self, f.total]).toEqual([2, 4]);
    expect(f.callers).toEqual(["a 2", "(no caller) 1", "b 1 1 inlined"]);
    expect(f.callees).toEqual(["x 1", "y 1"]);
  });

  it("counts a stack once, its outermost call for callers, its innermost for callees and tiers", () => {
    const f = look("f", "js:a js:~f js:b js:+f js:*f js:c", "js:a js:~f js:b js:*f");
    expect([f.self, f.total]).toEqual([1, 2]);
    expect(f.callers).toEqual(["a 2"]);
    expect(f.callees).toEqual(["c 1"]);
    expect(f.tiers).toEqual(["*1/2"]);
  });

  it("says in how many ticks a caller, a callee, or the function itself is inferred", () => {
    const words = [
      "js:main js:f",
      "js:main inferred:f builtin:Add",
      "js:main inferred:~f builtin:Add",
    ] as const;
    expect(look("f", ...words)).toMatchObject({ self: 1, total: 3, inferred: 2, callers: ["main 3"] });
    expect(look("Builtin: Add", ...words)).toMatchObject({ inferred: 0, callers: ["f 2 2 inferred"] });
    expect(look("main", ...words).callees).toEqual(["f 3 2 inferred"]);
  });

  it("knows what V8 did where native code has no caller", () => {
    const mark = look("Mark", "gc:cpp:Mark", "js:f cpp:Mark", "gc:cpp:Mark cpp:Copy");
    expect(mark.callers).toEqual(["(garbage collection) 2", "f 1"]);
    expect(mark.callees).toEqual(["Copy 1"]);
    expect(mark.tiers).toEqual([]);
  });

  it("sums tiers up in the order in which V8 goes through them", () => {
    const f = look("f", "js:*f", "js:~f", "js:*f builtin:Add", "js:^f", "js:+f");
    expect(f.tiers).toEqual(["~1/1", "^1/1", "+1/1", "*1/2"]);
  });
});

describe("tierTimes", () => {
  it("counts the ticks of each tier by slices of the whole time", () => {
    const { profile, places } = look("f", "js:~f", "js:*f js:g", "js:other");
    const timeline = new TimelineBuilder();
    for (const [sample, time] of [
      [2, 100],
      [0, 200],
      [1, 300],
      [1, 450],
      [0, 500],
      [1, 500],
    ] as const) {
      timeline.add(sample, time);
    }
    expect(tierTimes(profile, places, 4)).toBeUndefined();
    expect(tierTimes({ ...profile, timeline }, places, 4)).toEqual({
      from: 100,
      to: 500,
      tiers: [
        { tier: "~", first: 200, last: 500, slices: [0, 1, 0, 1] },
        { tier: "*", first: 300, last: 500, slices: [0, 0, 1, 2] },
      ],
    });
  });
});
