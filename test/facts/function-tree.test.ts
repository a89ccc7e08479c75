import { describe, expect, it } from "vitest";
import { type Call, FunctionNodes, functionCalls } from "../../src/facts/function-calls.ts";
import { FunctionNames } from "../../src/facts/function-names.ts";
import { FunctionStacks } from "../../src/facts/function-stacks.ts";
import { heavy, topDown } from "../../src/facts/function-tree.ts";
import { heaviestRows } from "../../src/facts/heaviest-rows.ts";
import { tierTimes } from "../../src/facts/tier-times.ts";
import { type TreeLimits, type TreeRows, treeRows } from "../../src/facts/tree-rows.ts";
import { filterStates } from "../../src/profile/filter.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { GC } from "../../src/profile/vm-state.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const ALL: TreeLimits = { depth: Number.POSITIVE_INFINITY, least: 0 };

function down(profile: Profile, limits = ALL): string[] {
  const stacks = new FunctionStacks(profile);
  return shown(treeRows(topDown(profile, stacks), stacks, limits), stacks);
}

function up(profile: Profile, limits = ALL): string[] {
  const stacks = new FunctionStacks(profile);
  return shown(treeRows(heavy(profile, stacks, limits), stacks, limits), stacks);
}

/** Each row as `  name ticks/(self or without caller)`, with what is marked, and what is left out below it. */
function shown({ rows, omitted }: TreeRows, stacks: FunctionStacks): string[] {
  const names = new FunctionNames(stacks.table.functions);
  const rest = (omitted: TreeRows["omitted"]) =>
    omitted.functions === 0 ? "" : ` … ${omitted.functions} more ${omitted.ticks}`;
  const lines = rows.map(
    ({ depth, callable, ticks, self, withoutCaller, inlined, inferred, recursion, omitted }) => {
      const marks = `${inferred > 0 ? ` ${inferred} inferred` : ""}${recursion > 1 ? ` ×${recursion}` : ""}${inlined > 0 ? ` ${inlined} inlined` : ""}`;
      return `${"  ".repeat(depth)}${names.callable(callable).title} ${ticks}/${self + withoutCaller}${marks}${rest(omitted)}`;
    },
  );
  return omitted.functions === 0 ? lines : [...lines, rest(omitted).trim()];
}

describe("topDown", () => {
  it("merges a function's tiers and lines under one caller, not under several", () => {
    const profile = profileFromStacks(
      "js:~main@1 js:~f@3",
      "js:*main@2 js:*f@4 builtin:Add",
      "js:*main@2 js:g js:f",
    );
    expect(down(profile)).toEqual(["main 3/0", "  f 2/1", "    Builtin: Add 1/1", "  g 1/0", "    f 1/1"]);
  });

  it("marks what is inlined, with the ticks", () => {
    const profile = profileFromStacks("js:f inlined:g", "js:f inlined:g inlined:h", "js:~f js:~g", "js:f");
    expect(down(profile)).toEqual(["f 4/1", "  g 3/2 2 inlined", "    h 1/1 1 inlined"]);
  });

  it("marks what is inferred, with the ticks", () => {
    const profile = profileFromStacks("js:f js:g", "js:f inferred:g builtin:Add", "js:f inferred:g js:g");
    expect(down(profile)).toEqual(["f 3/0", "  g 3/2 2 inferred ×2", "    Builtin: Add 1/1"]);
  });

  it("makes one row of a function that calls itself, but not of one that others call again", () => {
    const profile = profileFromStacks("js:f js:f inlined:f js:g", "js:f js:f", "js:f js:g js:f");
    expect(down(profile)).toEqual(["f 3/1 ×3", "  g 2/1", "    f 1/1"]);
  });

  it("puts native code without a caller under what V8 did", () => {
    const profile = profileFromStacks("gc:cpp:Mark", "gc:cpp:Mark", "gc:?", "cpp:epoll", "js:f cpp:Mark");
    expect(down(profile)).toEqual([
      "(garbage collection) 3/0",
      "  Mark 2/2",
      "  UNKNOWN 1/1",
      "f 1/0",
      "  Mark 1/1",
      "(no stack) 1/0",
      "  epoll 1/1",
    ]);
  });

  it("says what it leaves out at each level", () => {
    const profile = profileFromStacks(
      ...Array.from({ length: 6 }, () => "js:main js:f js:a"),
      "js:main js:f js:b",
      "js:main js:f js:c",
      "js:main js:g",
      "js:other",
    );
    expect(down(profile, { depth: 2, least: 0 })).toEqual([
      "main 9/0",
      "  f 8/0 … 3 more 8",
      "  g 1/1",
      "other 1/1",
    ]);
    expect(down(profile, { depth: 9, least: 2 })).toEqual([
      "main 9/0 … 1 more 1",
      "  f 8/0 … 2 more 2",
      "    a 6/6",
      "… 1 more 1",
    ]);
  });

  it("orders equal rows by self, then by name", () => {
    const profile = profileFromStacks("js:b", "js:a", "js:c js:d");
    expect(down(profile)).toEqual(["a 1/1", "b 1/1", "c 1/0", "  d 1/1"]);
  });

  it("has no row for what a filter left no ticks", () => {
    const profile = profileFromStacks("js:f js:g", "gc:cpp:Mark");
    expect(down(filterStates(profile, (state) => state === GC))).toEqual([
      "(garbage collection) 1/0",
      "  Mark 1/1",
    ]);
  });

  it("takes stacks of any depth", () => {
    const deep = Array.from({ length: 20_000 }, (_, i) => `js:${i % 2 === 0 ? "even" : "odd"}`).join(" ");
    const profile = profileFromStacks(deep, `${deep} js:odd js:odd`);
    const rows = down(profile);
    expect(rows).toHaveLength(20_000);
    expect(rows.at(-1)?.trim()).toBe("odd 2/2 ×3");
    expect(up(profile, { ...ALL, depth: 20_000 })).toHaveLength(20_000);
  });
});

describe("heavy", () => {
  it("puts callers under the functions with ticks of their own", () => {
    const profile = profileFromStacks("js:main js:f js:h", "js:main js:g js:h", "js:g js:h", "js:main");
    expect(up(profile)).toEqual(["h 3/0", "  g 2/1", "    main 1/1", "  f 1/0", "    main 1/1", "main 1/1"]);
  });

  it("marks inferred callers", () => {
    const profile = profileFromStacks("js:f inferred:g builtin:Add", "js:f js:g builtin:Add");
    expect(up(profile)).toEqual(["Builtin: Add 2/0", "  g 2/0 1 inferred", "    f 2/2"]);
  });

  it("counts a function that calls itself, and what is inlined, as the other tree does", () => {
    const profile = profileFromStacks("js:main js:f inlined:f inlined:g", "js:main js:f js:g", "gc:cpp:Mark");
    expect(up(profile)).toEqual([
      "g 2/0 1 inlined",
      "  f 2/0 ×2",
      "    main 2/2",
      "Mark 1/0",
      "  (garbage collection) 1/1",
    ]);
  });

  it("says what it leaves out at each level", () => {
    const profile = profileFromStacks("js:a js:f", "js:b js:f", "js:b js:f", "js:f", "js:g");
    expect(up(profile, { depth: 1, least: 0 })).toEqual(["f 4/1 … 2 more 3", "g 1/1"]);
    expect(up(profile, { depth: 9, least: 2 })).toEqual(["f 4/1 … 1 more 1", "  b 2/2", "… 1 more 1"]);
  });

  it("hides light callers if it has too many nodes, and counts them", () => {
    const callers = Array.from({ length: 30 }, (_, i) => `js:*f${i} js:*hot`);
    const profile = profileFromStacks(...callers, ...Array.from({ length: 20 }, () => "js:*f0 js:*hot"));
    const stacks = new FunctionStacks(profile);
    const rows = (nodes: number) => {
      const tree = heavy(profile, stacks, ALL, nodes);
      return {
        least: tree.least,
        rows: shown(treeRows(tree, stacks, { ...ALL, least: tree.least }), stacks),
      };
    };
    expect(rows(31)).toEqual({ least: 0, rows: up(profile) });
    expect(rows(31).rows.length).toBe(31);
    const deep = profileFromStacks(...Array.from({ length: 30 }, (_, i) => `js:*g js:*f${i} js:*hot`));
    const deepStacks = new FunctionStacks(deep);
    const cut = heavy(deep, deepStacks, ALL, 31);
    expect(cut.least).toBe(4);
    expect(shown(treeRows(cut, deepStacks, { ...ALL, least: cut.least }), deepStacks)).toEqual([
      "hot 30/0 … 30 more 30",
    ]);
  });
});

const profile = profileFromStacks("js:a js:b js:c", "js:a js:b js:d", "js:a js:e", "js:f", "js:f js:g");
const stacks = new FunctionStacks(profile);
const names = new FunctionNames(stacks.table.functions);
const tree = treeRows(topDown(profile, stacks), stacks, { depth: 9, least: 0 });

it("a tree keeps the rows with the most ticks, and counts the others", () => {
  const shown = (limit: number) => {
    const { rows, omitted, ticks } = heaviestRows(tree, limit);
    // Every level adds up.
    const below = (at: number) => rows.filter(({ parent }) => parent === at);
    const sum = (at: number) => below(at).reduce((total, row) => total + row.ticks, 0);
    expect(sum(-1) + omitted.ticks).toBe(ticks);
    for (const [i, row] of rows.entries()) {
      expect(row.self + sum(i) + row.omitted.ticks).toBe(row.ticks);
      expect(below(i).length).toBe(row.children);
    }
    const rest = omitted.functions;
    return [
      ...rows.map((row) => `${names.callable(row.callable).title}${row.omitted.functions || ""}`),
      rest,
    ];
  };
  expect(shown(1)).toEqual(["a2", 1]);
  expect(shown(3)).toEqual(["a1", "b2", "f1", 0]);
  expect(shown(4)).toEqual(["a1", "b1", "c", "f1", 0]);
  expect(shown(7)).toEqual(["a", "b", "c", "d", "e", "f", "g", 0]);
});

it("a tree that is small enough stays as it is", () => {
  expect(heaviestRows(tree, 7)).toBe(tree);
  expect(heaviestRows(tree, Number.POSITIVE_INFINITY)).toBe(tree);
});

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
