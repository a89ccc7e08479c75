import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { PLAIN } from "../../src/render/style.ts";
import { DEOPTS } from "../../src/reports/deopts.ts";
import type { ShownFacts } from "../../src/reports/facts-report.ts";
import { ICS } from "../../src/reports/ics.ts";
import { type Format, reportLines, type Surroundings } from "../../src/reports/report.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";

const LAYOUT = { style: PLAIN, width: 100, pageWidth: 100 };

const profile = await fixtureProfile("node-26-ics", { deopts: true, ics: "if-logged" });
const around: Surroundings = {
  format: "text",
  limit: 3,
  width: 100,
  logs: [],
  turns: undefined,
  warn: () => undefined,
  readSource: () => undefined,
  recordings: () => [],
  command: () => undefined,
};
const shown = DEOPTS.of(Analysis.of(profile), {}, around)!;

function linesOf(of: ShownFacts<typeof shown.facts>, format: Format = "text"): string[] {
  return Array.from(reportLines(DEOPTS, of, { ...LAYOUT, format }));
}

describe("a report of facts", () => {
  it("makes its page from its document alone", () => {
    const facts = JSON.parse(JSON.stringify(shown.facts));
    expect(shown.facts.deopts.length).toBeGreaterThan(3);
    expect(linesOf({ ...shown, facts })).toEqual(linesOf(shown));
    expect(linesOf({ ...shown, facts }, "md")).toEqual(linesOf(shown, "md"));
  });

  it("cuts the lists of the document by the limit, but not its sums", () => {
    const data = JSON.parse(linesOf(shown, "json").join("\n"));
    expect(data.deopts).toHaveLength(3);
    expect(data.deopts).toEqual(shown.facts.deopts.slice(0, 3));
    expect(data.count).toBe(shown.facts.deopts.reduce((sum, { count }) => sum + count, 0));
    expect(linesOf(shown).join("\n")).toMatch(/… \d+ ticks? in \d+ more/);
  });

  it("has all that the page of inline caches shows", async () => {
    const withCaches = await fixtureProfile("node-26-ics", { ics: true, deopts: true, inlines: true });
    const report = ICS.of(Analysis.of(withCaches), {}, around)!;
    const facts = JSON.parse(JSON.stringify(report.facts));
    expect(report.facts.sites.length).toBeGreaterThan(3);
    for (const format of ["text", "md"] as const) {
      const lines = (of: typeof report) => Array.from(reportLines(ICS, of, { ...LAYOUT, format }));
      expect(lines({ ...report, facts })).toEqual(lines(report));
      expect(lines({ ...report, facts: { ...facts, sites: [] } })).not.toEqual(lines(report));
    }
  });
});
