import { describe, expect, it } from "vitest";
import type { Ticks } from "../src/base/units.ts";
import { Analysis } from "../src/facts/analysis.ts";
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
function expectClosed(top: Top, limit: number, ticks: Ticks): void {
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
  expectRanges(top, limit);
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

/** Fails where a share is not in its interval, or one of the first rows of a list has none. */
function expectRanges({ ticks, ...top }: Top, limit: number): void {
  const { functions, packages } = top;
  const shares: readonly (readonly (readonly [Ticks, ShareRange | undefined])[])[] = [
    top.breakdown.slice(0, limit).map((row) => [row.ticks, row.range]),
    top.stacks.stacks.map((row) => [row.ticks, row.range]),
    functions.bySelf.map((row) => [row.self, row.selfRange]),
    functions.byTotal.map((row) => [row.total, row.totalRange]),
    top.chains.map((row) => [row.total, row.totalRange]),
    ...[top.app, top.lines, top.packageLines].map((hot) =>
      hot.lines.map((row) => [row.ticks, row.range] as const),
    ),
    packages.rows.map((row) => [row.ticks, row.range]),
    packages.rows.map((row) => [row.self, row.selfRange]),
    packages.rows.map((row) => [row.throughNative, row.throughNativeRange]),
    packages.rows.map((row) => [row.total, row.totalRange]),
    top.deopts.map((row) => [row.cost, row.costRange]),
  ];
  for (const rows of shares) {
    for (const [part, { low, high } = { low: 100, high: 0 }] of rows.slice(0, limit)) {
      const percent = ticks === 0 ? 0 : (part * 100) / ticks;
      expect(low).toBeLessThanOrEqual(percent);
      expect(high).toBeGreaterThanOrEqual(percent);
    }
  }
}

describe.each(fixturesByTurns(FILTERS))("what to look at in %s", (name, filters) => {
  let filtered: Promise<readonly Analysis[]> | undefined;
  const loading = () =>
    (filtered ??= fixtureProfile(name, WHOLE).then((whole) =>
      filters.map((filter) => Analysis.of(filterProfile(whole, filter))),
    ));

  it("adds up to all ticks, whatever is filtered", async () => {
    for (const profile of await loading()) {
      for (const limit of [10, 1])
        expectClosed(topOf(profile, limit), limit, profile.info.ticks - profile.info.excluded);
    }
  });

  it("is shown without a line too wide or a number that is none", async () => {
    for (const profile of await loading()) expectShown(profile);
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
