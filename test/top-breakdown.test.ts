import { describe, expect, it } from "vitest";
import type { ShareRange } from "../src/facts/confidence.ts";
import { filterProfile, type ProfileFilter } from "../src/facts/filter-profile.ts";
import { type Top, topOf } from "../src/facts/top.ts";
import type { Profile } from "../src/profile/profile.ts";
import { markdownLines } from "../src/render/markdown.ts";
import { PLAIN } from "../src/render/style.ts";
import { textLines } from "../src/render/text.ts";
import { widthOf } from "../src/render/width.ts";
import { jsonLines } from "../src/reports/json.ts";
import { fixtureProfile, fixturesByTurns, WHOLE } from "./helpers/fixtures.ts";
import { expectValid } from "./helpers/schema.ts";
import { topData, topPage, topReport } from "./helpers/top-report.ts";

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
  expect(sum(packages.rows, (row) => row.ticks)).toBe(ticks);
  expect(Math.round(sum(packages.rows, (row) => row.percent * 10))).toBe(ticks === 0 ? 0 : 1000);
  for (const hot of [lines, top.app]) {
    expect(sum(hot.lines, (row) => row.ticks) + hot.outside).toBe(ticks);
    const withoutLine = hot.lines.filter(({ line }) => line === 0);
    expect(sum(withoutLine, (row) => row.ticks)).toBe(sum(Array.from(hot.withoutLine), ([, count]) => count));
  }
  expect(top.app.outside).toBeGreaterThanOrEqual(lines.outside);
  const javascript = breakdown.find(({ category }) => category === "js")!;
  expect(sum(javascript.tiers, (row) => row.ticks)).toBe(javascript.ticks);
  const isWrong = ({ function: fn, self, total, tiers }: (typeof bySelf)[number]) =>
    total < self || total > ticks || sum(tiers, (row) => row.ticks) !== (fn.frame.kind === "js" ? self : 0);
  expect([...bySelf, ...byTotal].filter(isWrong)).toEqual([]);
  for (const { origin, ticks: whole, self, throughNative, total } of packages.rows) {
    expect(self + throughNative).toBe(whole);
    if (origin === undefined) continue;
    const own = bySelf.filter(({ function: fn }) => {
      return fn.frame.kind === "js" && fn.origin.name === origin.name && fn.origin.kind === origin.kind;
    });
    // What Node's module loader runs belongs to others.
    const all = sum(own, (row) => row.self);
    if (origin.kind === "node") expect(all).toBeGreaterThanOrEqual(self);
    else expect(all).toBe(self);
    expect(total).toBeGreaterThanOrEqual(whole);
  }
  expectRanges(top);
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

/** Fails where a share is not in its interval. */
function expectRanges({ ticks, ranges, ...top }: Top): void {
  const shares: readonly (readonly [readonly number[], readonly ShareRange[]])[] = [
    [top.breakdown.map((row) => row.ticks), ranges.breakdown],
    [top.stacks.stacks.map((row) => row.ticks), ranges.stacks],
    [top.functions.bySelf.map((row) => row.self), ranges.bySelf.map((row) => row.self)],
    [top.functions.byTotal.map((row) => row.total), ranges.byTotal.map((row) => row.total)],
    [top.chains.map((row) => row.total), ranges.chains],
    [top.app.lines.map((row) => row.ticks), ranges.app],
    [top.lines.lines.map((row) => row.ticks), ranges.lines],
    [top.packages.rows.map((row) => row.ticks), ranges.packages.map((row) => row.ticks)],
    [top.packages.rows.map((row) => row.self), ranges.packages.map((row) => row.self)],
    [top.packages.rows.map((row) => row.total), ranges.packages.map((row) => row.total)],
    [top.deopts.map((row) => row.cost), ranges.deopts],
  ];
  for (const [parts, found] of shares) {
    const percents = parts.map((part) => (ticks === 0 ? 0 : (part * 100) / ticks));
    expect(found.filter(({ low, high }, i) => !(low <= percents[i]! && high >= percents[i]!))).toEqual([]);
  }
}

describe.each(fixturesByTurns(FILTERS))("what to look at in %s", (name, filters) => {
  it("adds up to all ticks, whatever is filtered", async () => {
    const whole = await fixtureProfile(name, WHOLE);
    for (const filter of filters) {
      const profile = filterProfile(whole, filter);
      expectClosed(topOf(profile, 10), profile.info.ticks - profile.info.excluded);
      expectClosed(topOf(profile, 1), profile.info.ticks - profile.info.excluded);
    }
  });

  it("is shown without a line too wide or a number that is none", async () => {
    const whole = await fixtureProfile(name, WHOLE);
    for (const filter of filters) expectShown(filterProfile(whole, filter));
  });
});

function expectShown(profile: Profile): void {
  const report = topReport(profile);
  for (const width of [80, 140]) {
    const shown = Array.from(textLines(topPage(report), { style: PLAIN, unit: {}, width }));
    // What is to be typed is never cut.
    const isTyped = (line: string) => /^ {2}(?:ticks|node) /.test(line);
    expect(shown.filter((line) => !isTyped(line) && widthOf(line) > width)).toEqual([]);
    expect(shown.join("\n")).not.toMatch(/NaN|undefined|Infinity/);
  }
  expect(Array.from(markdownLines(topPage(report), { unit: {} })).join("\n")).not.toMatch(
    /NaN|undefined|Infinity/,
  );
  expectValid("top", JSON.parse(Array.from(jsonLines(topData(report))).join("\n")));
}
