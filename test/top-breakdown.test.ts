import { describe, expect, it } from "vitest";
import type { Profile } from "../src/profile/profile.ts";
import { PLAIN } from "../src/reporters/layout/style.ts";
import { widthOf } from "../src/reporters/layout/width.ts";
import { topJson } from "../src/reporters/top/json.ts";
import { topMarkdown } from "../src/reporters/top/markdown.ts";
import { topText } from "../src/reporters/top/text.ts";
import { filterProfile, type ProfileFilter } from "../src/views/filter-profile.ts";
import { type Top, topOf } from "../src/views/top.ts";
import { FIXTURE_NAMES, fixtureProfile } from "./helpers/fixtures.ts";
import { expectValid } from "./helpers/schema.ts";

const FILTERS: readonly ProfileFilter[] = [
  {},
  { only: ["js"] },
  { only: ["app"] },
  { states: ["gc"] },
  { states: ["idle"] },
  { hide: [/e/] },
];

const sum = <Row>(rows: readonly Row[], ticksOf: (row: Row) => number) =>
  rows.reduce((total, row) => total + ticksOf(row), 0);

/** Fails where two numbers of the page that must be the same are not. */
function expectClosed(top: Top, ticks: number): void {
  const { breakdown, stacks, functions, lines, packages } = top;
  const { bySelf, byTotal } = functions;
  expect(top.ticks).toBe(ticks);
  expect(sum(breakdown, (row) => row.ticks)).toBe(ticks);
  expect(Math.round(sum(breakdown, (row) => row.percent * 10))).toBe(ticks === 0 ? 0 : 1000);
  expect(sum(stacks.stacks, (row) => row.ticks) + stacks.rest).toBe(ticks);
  expect(sum(bySelf, (row) => row.self)).toBe(ticks);
  expect(sum(packages, (row) => row.self)).toBe(ticks);
  expect(sum(lines.lines, (row) => row.ticks) + lines.withoutLine + lines.withoutProgram).toBe(ticks);
  const javascript = breakdown.find(({ category }) => category === "js")!;
  expect(sum(javascript.tiers, (row) => row.ticks)).toBe(javascript.ticks);
  for (const { function: fn, self, total, tiers } of [...bySelf, ...byTotal]) {
    expect(total).toBeGreaterThanOrEqual(self);
    expect(total).toBeLessThanOrEqual(ticks);
    expect(sum(tiers, (row) => row.ticks)).toBe(fn.frame.kind === "js" ? self : 0);
  }
  for (const { origin, self, total } of packages) {
    const own = bySelf.filter(({ function: fn }) => {
      return fn.origin.name === origin.name && fn.origin.kind === origin.kind;
    });
    expect(sum(own, (row) => row.self)).toBe(self);
    expect(total).toBeGreaterThanOrEqual(self);
  }
  expect(sum(top.deopts, (row) => row.cost)).toBeLessThanOrEqual(ticks);
  const ofProgram = bySelf.filter(({ function: fn }) => /^(?:app|deps)$/.test(fn.origin.kind));
  expect(sum(lines.lines, (row) => row.self)).toBeLessThanOrEqual(sum(ofProgram, (row) => row.self));
  expect(sum(stacks.stacks, (row) => row.ticks)).toBeLessThanOrEqual(ticks);
  for (const row of stacks.stacks) {
    // The outermost function of a stack has no fewer ticks than the stack.
    const [outermost] = row.path;
    if (outermost?.kind !== "function") continue;
    const found = [...bySelf, ...byTotal].find(({ function: fn }) => fn === outermost.function);
    if (found !== undefined) expect(found.total).toBeGreaterThanOrEqual(row.ticks);
  }
}

describe.each(FIXTURE_NAMES)("what to look at in %s", (name) => {
  it("adds up to all ticks, whatever is filtered", async () => {
    const whole = await fixtureProfile(name, { inlines: true, deopts: true });
    for (const filter of FILTERS) {
      const profile = filterProfile(whole, filter);
      expectClosed(topOf(profile, 10), profile.info.ticks - profile.info.excluded);
      expectClosed(topOf(profile, 1), profile.info.ticks - profile.info.excluded);
    }
  });

  it("is shown without a line too wide or a number that is none", async () => {
    const whole = await fixtureProfile(name, { inlines: true, deopts: true });
    for (const filter of FILTERS) expectShown(filterProfile(whole, filter));
  });
});

function expectShown(profile: Profile): void {
  const report = { profile, top: topOf(profile, 10), limit: 10, logs: profile.info.logs };
  for (const width of [80, 140]) {
    for (const line of topText(report, { style: PLAIN, width })) {
      // What is to be typed is never cut.
      if (!line.startsWith("Next: ")) expect(widthOf(line), line).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/NaN|undefined|Infinity/);
    }
  }
  expect(Array.from(topMarkdown(report)).join("\n")).not.toMatch(/NaN|undefined|Infinity/);
  expectValid("top", JSON.parse(Array.from(topJson(report)).join("\n")));
}
