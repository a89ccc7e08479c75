import { describe, expect, it } from "vitest";
import { Analysis } from "../src/facts/analysis.ts";
import { filterProfile, type ProfileFilter } from "../src/facts/filter-profile.ts";
import { functionDetails } from "../src/facts/function-details.ts";
import { FunctionStacks } from "../src/facts/function-stacks.ts";
import { heavy, topDown } from "../src/facts/function-tree.ts";
import { lineTicks } from "../src/facts/line-ticks.ts";
import { SourceTexts } from "../src/facts/source-texts.ts";
import { type TreeRow, type TreeRows, treeRows } from "../src/facts/tree-rows.ts";
import type { Profile } from "../src/profile/profile.ts";
import { FUNCTION } from "../src/reports/function.ts";
import { LINES } from "../src/reports/lines.ts";
import { listing } from "../src/reports/listing.ts";
import { TREE } from "../src/reports/tree.ts";
import { fixtureProfile, fixturesByTurns, WHOLE } from "./helpers/fixtures.ts";
import { jsonOf } from "./helpers/reports.ts";
import { expectValid } from "./helpers/schema.ts";

const FILTERS: Record<string, ProfileFilter> = {
  "no filter": {},
  "--focus e": { focus: [/e/] },
  "--hide": { hide: [/a/] },
  "--only js": { only: ["js"] },
  "--state gc": { states: ["gc"] },
};
const ALL = { depth: Number.POSITIVE_INFINITY, least: 0 };
/** Looking at every function of every fixture would take minutes. */
const FUNCTIONS = 25;

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Every level of a tree adds up to the level above it, the top to the ticks. */
function expectSums({ rows, omitted, ticks }: TreeRows, profile: Profile): void {
  const below = rows.map(({ self, withoutCaller, omitted }) => self + withoutCaller + omitted.ticks);
  for (const { parent, ticks } of rows) if (parent >= 0) below[parent]! += ticks;
  expect(below).toEqual(rows.map((row) => row.ticks));
  expect(sum(rows.filter(({ depth }) => depth === 0).map((row) => row.ticks)) + omitted.ticks).toBe(ticks);
  expect(ticks).toBe(profile.info.ticks - profile.info.excluded);
  expect(rows.every(({ inlined, ticks }) => inlined >= 0 && inlined <= ticks)).toBe(true);
}

/** By title and place: what rows say of each function. */
function byFunction(rows: readonly TreeRow[], number: (row: TreeRow) => number): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const row of rows) {
    if (row.callable.kind === "state") continue;
    const { title, file, line, column } = row.callable.function;
    const key = [title, file, line, column].join();
    numbers.set(key, (numbers.get(key) ?? 0) + number(row));
  }
  return new Map(Array.from(numbers).filter(([, number]) => number > 0));
}

describe.each(fixturesByTurns(Object.entries(FILTERS)))("%s", (name, filters) => {
  describe.each(filters)("with %s", (_, filter) => {
    let loaded: Promise<Analysis> | undefined;
    const loading = () =>
      (loaded ??= fixtureProfile(name, WHOLE).then((whole) => Analysis.of(filterProfile(whole, filter))));

    it("has trees whose levels add up", async () => {
      const profile = await loading();
      const stacks = new FunctionStacks(profile);
      const ticks = profile.functionTicks;
      const key = (id: number) => {
        const { title, file, line, column } = stacks.table.functions[id]!;
        return [title, file, line, column].join();
      };
      const self = new Map<string, number>();
      for (const [id, own] of ticks.self.entries()) {
        if (own > 0) self.set(key(id), (self.get(key(id)) ?? 0) + own);
      }
      const down = treeRows(topDown(profile, stacks), stacks, ALL);
      const up = treeRows(heavy(profile, stacks, ALL), stacks, ALL);
      expectSums(down, profile);
      expectSums(up, profile);
      expect(byFunction(down.rows, (row) => row.self)).toEqual(self);
      expect(byFunction(up.rows, (row) => (row.depth === 0 ? row.ticks : 0))).toEqual(self);
      expect(sum(down.rows.map(({ inlined, depth }) => (depth === 0 ? inlined : 0)))).toBe(0);
      const limits = { depth: 4, least: down.ticks / 50 };
      for (const isHeavy of [false, true]) {
        const whole = isHeavy ? heavy(profile, stacks, limits) : topDown(profile, stacks);
        const tree = treeRows(whole, stacks, limits);
        expectSums(tree, profile);
        const options = { heavy: isHeavy, depth: 4, minPercent: 2 };
        expectValid("tree", jsonOf(TREE, profile, { options }));
      }
    });

    it("has functions whose callers, callees, tiers, times and lines add up", async () => {
      const profile = await loading();
      const stacks = new FunctionStacks(profile);
      const { table } = stacks;
      const sources = new SourceTexts(profile.sources, () => undefined);
      const ticks = profile.functionTicks;
      const ids = Array.from(table.functions.keys())
        .filter((id) => ticks.total[id]! > 0)
        .sort((a, b) => ticks.total[b]! - ticks.total[a]! || a - b);
      const details = ids.slice(0, FUNCTIONS).map((id) => {
        const one = functionDetails(profile, id, { stacks, sources });
        expect([one.self, one.total]).toEqual([ticks.self[id], ticks.total[id]]);
        expect(sum(one.callers.map((call) => call.ticks))).toBe(one.total);
        expect(sum(one.callees.map((call) => call.ticks))).toBe(one.total - one.self);
        if (one.function.frame.kind !== "js") return one;
        expect(sum(one.tiers.map(({ self }) => self))).toBe(one.self);
        expect(sum(one.tiers.map(({ total }) => total))).toBe(one.total);
        expect(one.times?.tiers.map(({ slices }) => sum(slices))).toEqual(
          one.tiers.map(({ total }) => total),
        );
        expect(sum(one.lines.map(({ self }) => self))).toBe(one.self);
        expect(one.lines.every(({ total }) => total <= one.total)).toBe(true);
        return one;
      });
      // Of all, which are as many as have ticks.
      const document = jsonOf(FUNCTION, profile, { options: { name: "/^/" } });
      expectValid("function", document);
      expect(document.matches).toHaveLength(ids.length);
      expect(details.length).toBeGreaterThan(0);
    });

    it("has lines that sum to the ticks of JavaScript functions", async () => {
      const profile = await loading();
      const { table } = new FunctionStacks(profile);
      const { self } = profile.functionTicks;
      const lines = lineTicks(profile);
      const own = sum(self.filter((_, id) => table.functions[id]!.frame.kind === "js"));
      expect(sum(lines.map((line) => line.self))).toBe(own);
      expect(lines.every((line) => line.total >= line.self && line.total <= profile.info.ticks)).toBe(true);
      const sources = new SourceTexts(profile.sources, () => undefined);
      for (const file of new Set(lines.flatMap((line) => line.file ?? []))) {
        const ofFile = jsonOf(LINES, profile, { options: { file } });
        const { rows, isPastEnd } = listing(ofFile.lines, sources.linesOf(file), { context: 2 });
        expect(sum(rows.map((row) => (row.kind === "gap" || row.kind === "place" ? 0 : row.self)))).toBe(
          ofFile.self,
        );
        expect(isPastEnd).toBe(false);
      }
      expectValid("lines", jsonOf(LINES, profile));
    });
  });
});
