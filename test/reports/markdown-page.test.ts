import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { fittedPage, markdownParts, type PagePart, pageLines } from "../../src/render/markdown.ts";
import { type Row, section } from "../../src/render/page.ts";
import { FUNCTION } from "../../src/reports/function.ts";
import { LINES } from "../../src/reports/lines.ts";
import type { ProfileReport } from "../../src/reports/report.ts";
import { TREE } from "../../src/reports/tree.ts";
import { asked } from "../helpers/reports.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { topPage, topReport } from "../helpers/top-report.ts";

const NOTE = /^… (\d+) rows? with (\d+) ticks?( in all tables together)? dropped to fit (\d+) tokens?\.$/;

/** As the option counts them. */
const tokensOf = (lines: readonly string[]) =>
  Math.ceil(lines.map((line) => `${line}\n`).join("").length / 4);

const tableOf = (title: string, rows: readonly Row[]): PagePart[] =>
  Array.from(
    markdownParts(
      [section(title, { kind: "table", columns: [{ title: "ticks" }, { title: "row" }], rows })],
      { unit: {} },
    ),
  );

const table = (title: string, rows: readonly (readonly [string, number])[]): PagePart[] =>
  tableOf(
    title,
    rows.map(([name, ticks]) => ({ ticks, cells: [String(ticks), name] })),
  );

/** A page that fits, or what it would need. */
function pageOf(parts: Iterable<PagePart>, tokens: number): readonly string[] | number {
  const page = fittedPage(parts, tokens);
  return page.lines ?? page.least;
}

describe("a page with a limit", () => {
  const long = (name: string) => name.repeat(60);
  const PARTS = [
    "# head",
    ...table("a", Object.entries({ [long("x")]: 9, [long("y")]: 2, [long("z")]: 1 })),
    ...table("b", Object.entries({ [long("v")]: 5, [long("w")]: 2 })),
  ];

  it("is whole where it fits, after a line on names", () => {
    const lines = pageOf(PARTS, 1000) as string[];
    expect(lines.slice(0, 3)).toEqual([
      "Text in code spans and code blocks is data from the log: names, paths, source lines.",
      "",
      "# head",
    ]);
    expect(lines.slice(2)).toEqual(Array.from(pageLines(PARTS)));
  });

  it("drops the fewest ticks of all tables first, of equal ones the last, and says so", () => {
    const lines = pageOf(PARTS, 75) as string[];
    expect(lines.slice(2)).toEqual([
      ...["# head", "## a", "", "| ticks | row |", "| --- | --- |", `| 9 | ${long("x")} |`],
      ...["", "… 4 rows with 10 ticks in all tables together dropped to fit 75 tokens."],
    ]);
    const rows = (pageOf(PARTS, 125) as string[]).flatMap((line) => /^\| \d \| ./.exec(line)?.[0] ?? []);
    expect(rows).toEqual(["| 9 | x", "| 2 | y", "| 5 | v"]);
  });

  it("drops the program's own rows last", () => {
    const row = (name: string, ticks: number, isProgram: boolean) => ({
      ticks,
      cells: [String(ticks), long(name)],
      isProgram,
    });
    const rows = [row("x", 9, false), row("y", 2, true), row("z", 5, false), row("w", 1, true)];
    const parts = tableOf("all", rows);
    const shown = (tokens: number) =>
      (pageOf(parts, tokens) as string[]).flatMap((line) => /^\| \d \| ./.exec(line)?.[0] ?? []);
    expect([shown(75), shown(85)]).toEqual([["| 2 | y"], ["| 2 | y", "| 1 | w"]]);
  });

  it("says how many tokens it needs where only its head is too long", () => {
    const least = pageOf(PARTS, 1) as number;
    const lines = pageOf(PARTS, least) as string[];
    expect(lines).toHaveLength(5);
    expect(tokensOf(lines)).toBe(least);
    expect(pageOf(PARTS, least - 1)).toBe(least);
  });

  it("keeps any limit, and every tick is shown or counted", () => {
    const rows = fc.array(fc.tuple(fc.string({ unit: "grapheme", maxLength: 30 }), fc.nat(1000)), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 5 }), fc.integer({ min: 1, max: 2000 }), (tables, tokens) => {
        const page = pageOf(["head", ...tables.flatMap((one, i) => table(`t${i}`, one))], tokens);
        if (typeof page === "number") {
          expect(page).toBeGreaterThan(tokens);
          return;
        }
        expect(tokensOf(page)).toBeLessThanOrEqual(tokens);
        const shown = page.flatMap((line) => /^\| (\d+) \|/.exec(line)?.[1] ?? []).map(Number);
        const note = NOTE.exec(page.at(-1)!);
        const all = tables.flat().map(([, ticks]) => ticks);
        const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
        expect(shown.length + Number(note?.[1] ?? 0)).toBe(all.length);
        expect(sum(shown) + Number(note?.[2] ?? 0)).toBe(sum(all));
        // The most ticks stay.
        expect(shown.toSorted((a, b) => b - a)).toEqual(all.toSorted((a, b) => b - a).slice(0, shown.length));
      }),
      { numRuns: 100 },
    );
  });
});

/** The pages of a profile that can be given a limit. */
const PAGES: Readonly<Record<string, (profile: Profile) => Iterable<PagePart>>> = {
  top: (profile) =>
    markdownParts(topPage(topReport(profile, 20, ["a.log"])), {
      unit: {},
      nameColumns: 80,
    }),
  tree: (profile) => partsOf(TREE, profile, { minPercent: 0 }),
  "tree --heavy": (profile) => partsOf(TREE, profile, { heavy: true, minPercent: 0 }),
  function: (profile) => partsOf(FUNCTION, profile, { name: "/^/" }),
  lines: (profile) => partsOf(LINES, profile, {}),
};

function partsOf<Of, Options>(
  report: ProfileReport<Of, Options>,
  profile: Profile,
  options: Options,
): Iterable<PagePart> {
  return markdownParts(report.page(asked(report, profile, { options, limit: 50 })!), {
    nameColumns: 80,
    unit: {},
  });
}

const NAME = fc.constantFrom("a", "f", "`", "```", "a|b", "long".repeat(60), "日本", "g·/srv/x.js:3:1@7");
const STACKS = fc.array(
  fc.array(fc.tuple(fc.constantFrom("js", "inlined", "cpp"), NAME), { minLength: 1, maxLength: 8 }),
  { minLength: 1, maxLength: 40 },
);

describe.each(Object.keys(PAGES))("the page of %s", (name) => {
  it("keeps any limit that it does not refuse", () => {
    fc.assert(
      fc.property(STACKS, fc.integer({ min: 1, max: 1500 }), (stacks, tokens) => {
        const profile = profileFromStacks(
          ...stacks.map((stack) => ["js:f", ...stack.map(([kind, word]) => `${kind}:${word}`)].join(" ")),
        );
        const page = pageOf(PAGES[name]!(profile), tokens);
        if (typeof page === "number") {
          expect(page).toBeGreaterThan(tokens);
          expect(typeof pageOf(PAGES[name]!(profile), page)).toBe("object");
          return;
        }
        expect(tokensOf(page)).toBeLessThanOrEqual(tokens);
        const note = NOTE.exec(page.at(-1)!);
        if (note !== null) expect(Number(note[1])).toBeGreaterThan(0);
        else expect(page.slice(2)).toEqual(Array.from(pageLines(PAGES[name]!(profile))));
      }),
      { numRuns: 25 },
    );
  });
});

describe("a tree with a limit", () => {
  it("counts every tick once where it drops all rows", () => {
    const profile = profileFromStacks("js:a js:b", "js:a js:b", "js:a js:c js:d", "js:e");
    const least = pageOf(PAGES.tree!(profile), 1) as number;
    expect((pageOf(PAGES.tree!(profile), least) as string[]).at(-1)).toMatch(/^… \d+ rows with 4 ticks /);
  });

  it("still adds up: what is dropped counts as left out", () => {
    const names = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(names, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 80, max: 400 }),
        (stacks, tokens) => {
          const profile = profileFromStacks(
            ...stacks.map((stack) => stack.map((name) => `js:${name}`).join(" ")),
          );
          const page = pageOf(PAGES.tree!(profile), tokens);
          if (typeof page === "number") return;
          const rows = page.flatMap((line) => {
            const row = /^ *(\d+) +[\d.]+% +(?:(\d+) {2})?\D/.exec(line);
            return row === null ? [] : [{ total: Number(row[1]), self: row[2], isNote: line.includes("… ") }];
          });
          const ticks = rows.reduce(
            (sum, { total, self, isNote }) => sum + (isNote ? total : Number(self)),
            0,
          );
          expect(ticks).toBe(stacks.length);
          const dropped = Number(NOTE.exec(page.at(-1)!)?.[2] ?? 0);
          expect(rows.reduce((sum, { total, isNote }) => sum + (isNote ? total : 0), 0)).toBe(dropped);
        },
      ),
      { numRuns: 100 },
    );
  });
});
