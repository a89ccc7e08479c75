import { describe, expect, it } from "vitest";
import { bottomUp } from "../../src/facts/bottom-up.ts";
import { entryPoints } from "../../src/facts/entry-points.ts";
import { totaledRows } from "../../src/facts/flat.ts";
import { type SeparateOptions, StackLabels } from "../../src/facts/stack-labels.ts";
import { totals } from "../../src/facts/totals.ts";
import { filterStates } from "../../src/profile/filter.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { vmState } from "../../src/profile/vm-state.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

function flat(profile: Profile, separate: SeparateOptions = {}): string[] {
  return totaledRows(profile, new StackLabels(profile, separate)).map(
    ({ label, category, self, total }) => `${category} ${label} ${self}/${total}`,
  );
}

describe("totaledRows", () => {
  it("counts self at the leaf and total once a stack", () => {
    const profile = profileFromStacks("js:a js:b js:c", "js:a js:b", "js:a js:b js:a js:c");
    expect(flat(profile)).toEqual(["js JS: *c 2/2", "js JS: *b 1/3"]);
  });

  it("orders ties by label, descending", () => {
    expect(flat(profileFromStacks("js:a", "js:b", "js:B"))).toEqual([
      "js JS: *b 1/1",
      "js JS: *a 1/1",
      "js JS: *B 1/1",
    ]);
  });

  it("gives the ticks of hidden code to its callers, and none of them away", () => {
    const profile = profileFromStacks("js:a handler:Ldar", "js:a handler:Ldar", "handler:Star");
    expect(flat(profile)).toEqual(["js JS: *a 2/2", "js BytecodeHandler: Star 1/1"]);
    expect(flat(profile, { bytecodes: true })).toEqual([
      "js BytecodeHandler: Ldar 2/2",
      "js BytecodeHandler: Star 1/1",
    ]);
  });

  it("hides builtins, stubs and inline caches on demand, but no function named like one", () => {
    const profile = profileFromStacks(
      "js:a builtin:ArrayMap",
      "js:a builtin:LoadIC_Megamorphic",
      "js:a js:myLoadIC",
    );
    expect(flat(profile, { builtins: false })).toEqual(["js JS: *a 2/3", "js JS: *myLoadIC 1/1"]);
    expect(flat(profileFromStacks("js:a builtin:KeyedLoadICBaseline"), { ic: false })).toEqual([
      "js JS: *a 1/1",
    ]);
    expect(flat(profile, { ic: false })).toEqual([
      "js JS: *myLoadIC 1/1",
      "js JS: *a 1/3",
      "js Builtin: ArrayMap 1/1",
    ]);
  });

  it("has unknown leaves as one row and unknown callers not at all", () => {
    const profile = profileFromStacks("js:a ?", "js:a ? js:b");
    expect(flat(profile)).toEqual(["unknown UNKNOWN 1/1", "js JS: *b 1/1"]);
  });
});

describe("totals", () => {
  it("share out every tick that is not excluded", () => {
    const profile = profileFromStacks("js:a", "js:a cpp:f", "lib:/x", "?", "gc:js:a");
    const labels = new StackLabels(profile);
    expect(totals(profile, labels, totaledRows(profile, labels))).toEqual({
      ticks: 5,
      excluded: 0,
      unaccounted: 1,
      js: 2,
      native: 1,
      library: 1,
      gc: 1,
    });
  });
});

describe("bottomUp", () => {
  const tree = (profile: Profile, depth?: number) =>
    JSON.parse(
      JSON.stringify(
        bottomUp(profile, new StackLabels(profile), { total: profile.info.ticks, depth }),
        (key, value) => (key === "callers" && value.length === 0 ? undefined : value),
      ),
    );

  it("puts callers under callees, in percent of the callee", () => {
    expect(tree(profileFromStacks("js:a js:c", "js:b js:c", "js:b js:c", "js:b"))).toEqual([
      {
        label: "JS: *c",
        ticks: 3,
        parentPercent: 75,
        callers: [
          { label: "JS: *b", ticks: 2, parentPercent: expect.closeTo(66.67, 1) },
          { label: "JS: *a", ticks: 1, parentPercent: expect.closeTo(33.33, 1) },
        ],
      },
      { label: "JS: *b", ticks: 1, parentPercent: 25 },
    ]);
  });

  it("is as deep as asked for", () => {
    const profile = profileFromStacks("js:a js:b js:c");
    expect(tree(profile, 0)).toEqual([{ label: "JS: *c", ticks: 1, parentPercent: 100 }]);
    expect(tree(profile, 1)[0].callers).toEqual([{ label: "JS: *b", ticks: 1, parentPercent: 100 }]);
  });

  it("leaves out callers under one percent", () => {
    const stacks = [...Array.from({ length: 100 }, () => "js:a js:c"), "js:b js:c"];
    expect(tree(profileFromStacks(...stacks))[0].callers).toHaveLength(1);
  });
});

describe("entryPoints", () => {
  it("are the last C++ functions before the first frame of another kind", () => {
    const profile = profileFromStacks(
      "js:a cpp:entry cpp:leaf",
      "js:a cpp:entry lib:/x",
      "js:a ? cpp:leaf",
      "cpp:nothing cpp:below",
      "js:a cpp:callee js:b",
    );
    expect(entryPoints(profile)).toEqual([
      { label: "entry", ticks: 2 },
      { label: "leaf", ticks: 1 },
    ]);
  });
});

describe("filterStates", () => {
  it("excludes what is not wanted and keeps the sums", () => {
    const profile = profileFromStacks("js:a", "gc:js:a", "gc:js:a");
    const filtered = filterStates(profile, (state) => state === vmState("gc"));
    expect(flat(filtered)).toEqual(["js JS: *a 2/2"]);
    expect(filtered.info).toMatchObject({ ticks: 3, excluded: 1 });
  });
});

describe("mergeProfiles", () => {
  it("of a profile with itself doubles every number", () => {
    const profile = profileFromStacks("js:a js:b", "js:a ?", "lib:/x", "gc:cpp:f");
    const twice = mergeProfiles([profile, profile]);
    const doubled = flat(profile).map((row) => row.replace(/\d+/g, (n) => String(2 * Number(n))));
    expect(flat(twice)).toEqual(doubled);
    expect(twice.info.ticks).toBe(2 * profile.info.ticks);
    expect(twice.tree.length).toBe(profile.tree.length);
  });

  it("makes equal frames of several logs one", () => {
    const merged = mergeProfiles([profileFromStacks("js:a"), profileFromStacks("js:b", "js:a")]);
    expect(flat(merged)).toEqual(["js JS: *a 2/2", "js JS: *b 1/1"]);
  });
});
