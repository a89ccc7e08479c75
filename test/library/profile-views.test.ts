import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  callTree,
  coverageOf,
  deoptsOf,
  filterProfile,
  flamePage,
  flatRows,
  hotLines,
  openSymbolCache,
  timelineOf,
  topOf,
  totals,
} from "../../src/index.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const sum = (numbers: Iterable<number>) => Array.from(numbers).reduce((all, one) => all + one, 0);
const profile = await fixtureProfile("node-26-inlining", { inlines: true, timeline: true, deopts: true });
const { ticks } = profile.info;

describe("the views of the library", () => {
  it("have self and total of each function, and its sums", () => {
    const rows = flatRows(profile);
    expect(sum(rows.map((row) => row.self))).toBe(ticks);
    expect(rows.every((row) => row.total >= row.self)).toBe(true);
    expect(rows[0]!.self).toBe(Math.max(...rows.map((row) => row.self)));
    const { js, native, library, unaccounted } = totals(profile);
    expect(js + native + library + unaccounted).toBe(ticks);
  });

  it("give the ticks of code without rows of its own to its callers", () => {
    const stacks = profileFromStacks("js:main builtin:ArrayMap", "js:main");
    expect(flatRows(stacks).map((row) => row.self)).toEqual([1, 1]);
    expect(flatRows(stacks, { builtins: false }).map((row) => row.self)).toEqual([2]);
    expect(totals(stacks, { builtins: false }).js).toBe(2);
  });

  it("have a tree, both ways, as small as asked for", () => {
    const stacks = profileFromStacks("js:main ? js:deep cpp:x", "js:main js:other");
    const shown = (options: Parameters<typeof callTree>[1]) =>
      callTree(stacks, options).rows.map(({ depth, callable, ticks: own }) => {
        const title = callable.kind === "function" ? callable.function.title : callable.state;
        return `${" ".repeat(depth)}${title} ${own}`;
      });
    expect(shown({})).toEqual(["main 2", " other 1", " deep 1", "  x 1"]);
    expect(shown({ depth: 1 })).toEqual(["main 2"]);
    expect(shown({ minPercent: 60 })).toEqual(["main 2"]);
    expect(shown({ heavy: true, depth: 2 })).toEqual(["other 1", " main 1", "x 1", " deep 1"]);
    expect(callTree(profile).ticks).toBe(ticks);
  });

  it("have the lines", () => {
    const lines = hotLines(profile);
    const js = profile.samples.length > 0 ? lines.filter(({ line }) => line > 0) : [];
    expect(js.length).toBeGreaterThan(5);
    expect(js[0]).toMatchObject({ file: expect.stringContaining("inlining.js"), function: { kind: "js" } });
  });

  it("have the page of `ticks top`", () => {
    const top = topOf(profile, { limit: 2 });
    expect(top.ticks).toBe(ticks);
    expect(top.stacks.stacks.length).toBeLessThanOrEqual(2);
    expect(topOf(profile).stacks.stacks.length).toBeGreaterThan(2);
    expect(sum(top.functions.bySelf.map(({ self }) => self))).toBe(ticks);
  });

  it("have the coverage, with what is wrong and what to do", () => {
    expect(coverageOf(profile)).toMatchObject({ ticks, warnings: expect.any(Array) });
    const { unknown, warnings, advice } = coverageOf(profileFromStacks("js:main"));
    expect([unknown, warnings, advice]).toEqual([0, [{ kind: "few-ticks", ticks: 1 }], []]);
    const { info, ...none } = profileFromStacks();
    const sampled = { ...none, info: { ...info, sampling: { ...info.sampling, asked: 1000 } } };
    expect(coverageOf(sampled).advice).toEqual(["No samples. Run longer, or under load."]);
  });

  it("have the time of each thread, in slices", () => {
    const [thread, ...others] = timelineOf(profile, { slices: 7 });
    expect(others).toEqual([]);
    expect(thread).toMatchObject({ thread: 0, count: 7, ticks });
    expect(sum(Array.from(thread!.lanes.values()).flatMap((lane) => Array.from(lane)))).toBe(ticks);
    expect(sum(thread!.sliceTicks)).toBe(ticks);
    expect(thread!.gapTime).toHaveLength(7);
    expect(timelineOf(profile)[0]!.count).toBeLessThanOrEqual(100);
    expect(timelineOf(profile)[0]!.count).toBeGreaterThan(7);
    expect(timelineOf({ ...profile, timeline: undefined })).toEqual([]);
  });

  it("have the deoptimizations", async () => {
    const { rows, cost, whyNone } = deoptsOf(await fixtureProfile("node-14-scripts", { deopts: true }));
    expect(rows.length).toBeGreaterThan(0);
    expect(cost).toBe(sum(rows.map((row) => row.cost)));
    expect(whyNone).toBeUndefined();
  });

  it("see what a filter left", () => {
    const left = filterProfile(profile, { states: ["gc"] });
    const { ticks: gc } = callTree(left);
    expect(gc).toBe(ticks - left.info.excluded);
    expect(gc).toBeLessThan(ticks);
    expect(sum(flatRows(left).map(({ self }) => self))).toBe(gc);
  });

  it("have the page of `ticks flame`", () => {
    const page = flamePage(profile);
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain("inlining.js");
  });
});

describe("the symbol cache of the library", () => {
  it("is written to the folder that is given", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ticks-cache-"));
    try {
      const cache = openSymbolCache(folder);
      cache.keepTexts("topic", [["key", "text"]]);
      await cache.settled();
      expect(readdirSync(folder).length).toBe(1);
      expect(openSymbolCache(folder).texts("topic").get("key")).toBe("text");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
