import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/facts/analysis.ts";
import { PLAIN } from "../../src/render/style.ts";
import { DEOPTS } from "../../src/reports/deopts.ts";
import { DOCTOR } from "../../src/reports/doctor.ts";
import type { ShownFacts } from "../../src/reports/facts-report.ts";
import { FUNCTION } from "../../src/reports/function.ts";
import { ICS } from "../../src/reports/ics.ts";
import { jsonFunction, shownFunction } from "../../src/reports/json.ts";
import { LINES } from "../../src/reports/lines.ts";
import { type ProfileReport, reportLines } from "../../src/reports/report.ts";
import { STARTUP } from "../../src/reports/startup.ts";
import { THREADS } from "../../src/reports/threads.ts";
import { TIMELINE } from "../../src/reports/timeline.ts";
import { TOP } from "../../src/reports/top.ts";
import { TREE } from "../../src/reports/tree.ts";
import { fixtureProfile } from "../helpers/fixtures.ts";
import { asked, jsonOf, linesOf } from "../helpers/reports.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const LAYOUT = { style: PLAIN, width: 100, pageWidth: 100 };

const profile = await fixtureProfile("node-26-ics", {
  ...{ deopts: true, ics: true, inlines: true, timeline: true, startup: true },
});

// biome-ignore lint/suspicious/noExplicitAny: of any document.
type FactsReport = ProfileReport<ShownFacts<any>, any>;

/** Reports, what they are asked, and a list of their document that the page shows. */
const REPORTS: readonly (readonly [name: string, report: FactsReport, options: object, list: string])[] = [
  ["deopts", DEOPTS, {}, "deopts"],
  ["ics", ICS, {}, "sites"],
  ["threads", THREADS, {}, "threads"],
  ["lines", LINES, {}, "lines"],
  ["lines FILE", LINES, { file: "ics.js" }, "lines"],
  ["startup", STARTUP, { until: { kind: "stop" } }, "modules"],
  ["startup --each", STARTUP, { each: true, until: { kind: "stop" } }, "modules"],
  ["doctor", DOCTOR, {}, "categories"],
  ["function", FUNCTION, { name: "/./", all: true }, "functions"],
  ["threads --by state", THREADS, { by: "state" }, "threads"],
  ["timeline", TIMELINE, {}, "threads"],
  ["top", TOP, {}, "stacks"],
  ["timeline --by state", TIMELINE, { by: "state", slices: 30 }, "threads"],
  ["tree", TREE, {}, "rows"],
  ["tree --heavy", TREE, { heavy: true }, "rows"],
];

describe("a report of facts", () => {
  it.each(REPORTS)("makes the page of %s from its document alone", (_, report, options, list) => {
    const shown = asked(report, profile, { options, limit: 3 })!;
    const facts = JSON.parse(JSON.stringify(shown.facts));
    expect(facts[list].length).toBeGreaterThan(0);
    for (const format of ["text", "md"] as const) {
      const lines = (of: typeof shown) => Array.from(reportLines(report, of, { ...LAYOUT, format }));
      expect(lines({ ...shown, facts })).toEqual(lines(shown));
      expect(lines({ ...shown, facts: { ...facts, [list]: [] } })).not.toEqual(lines(shown));
    }
  });

  it("cuts the lists of the document by the limit, but not its sums", () => {
    const { facts } = asked(DEOPTS, profile)!;
    const data = jsonOf(DEOPTS, profile, { limit: 3 });
    expect(facts.deopts.length).toBeGreaterThan(3);
    expect(data.deopts).toEqual(facts.deopts.slice(0, 3));
    expect(data.count).toBe(facts.deopts.reduce((sum, { count }) => sum + count, 0));
    expect(linesOf(DEOPTS, profile, { limit: 3 }).join("\n")).toMatch(/… \d+ ticks? in \d+ more/);
  });
});

describe("functions of documents", () => {
  it("have the titles of those of the profile", () => {
    const stacks = [
      "js:f·/a.js:1:2",
      "js:·/a.js:1:9",
      "builtin:Add",
      "handler:Ldar",
      "regexp:a|b",
      "cpp:f()",
      "lib:/x.so",
      "?",
    ];
    const { functions } = Analysis.of(profileFromStacks(...stacks)).table;
    const types = ["LoadIC", "KeyedStoreIC", "JSToWasm", "js", "unknown"];
    const first = functions.find(({ frame }) => frame.kind === "code")!;
    const code = types.map((type) => ({ ...first, title: `${type}: Add`, frame: { ...first.frame, type } }));
    for (const one of [...functions, ...code]) {
      const { title, kind, file, line, column } = one as typeof first;
      const data = JSON.parse(JSON.stringify(jsonFunction(one as typeof first)));
      expect(shownFunction(data)).toEqual({ title, kind, file, line, column });
    }
  });
});
