import { describe, expect, it } from "vitest";
import { compareRuns } from "../../src/compare/diff.ts";
import type { Diff } from "../../src/compare/diff-model.ts";
import type { RunRow, RunSummary } from "../../src/compare/run-summary.ts";
import { markdownLines } from "../../src/render/markdown.ts";
import { plainly } from "../../src/render/spoken.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { DIFF, diffPage } from "../../src/reports/diff.ts";
import { nextCommands } from "../../src/reports/diff-steps.ts";
import { summaryOf } from "../../src/reports/diff-summary.ts";
import { runRow } from "../helpers/run-row.mjs";
import { diffOf } from "../helpers/side-page.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const NAME = "cpp:node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(int)";
const before = profileFromStacks(...new Array<string>(900).fill("js:main cpp:x"), "js:main js:other");
const before900 = before;
const after = profileFromStacks(...new Array<string>(900).fill(`js:main ${NAME}`), "js:main js:other");

/** Returns the head of the table, and its widest name. */
function tableAt(width: number): readonly [string, string] {
  const report = { diff: diffOf([[before], [after]]), by: "function", before: "a", after: "b" } as const;
  const lines = Array.from(
    textLines(diffPage({ ...report, order: "change", min: 0, limit: 9 }), { style: PLAIN, unit: {}, width }),
  );
  const head = lines.findIndex((line) => /^ +before +after/.test(line));
  return [lines[head]!, lines.slice(head).find((line) => /\bnode::/.test(line))!];
}

describe("what to record next", () => {
  const report = { diff: diffOf([[before], [after]]), by: "function", before: "a", after: "b" } as const;
  const words = { before: ["a"], after: ["b"] };
  const next = (command?: readonly string[]) =>
    nextCommands({ ...report, words, command, order: "change", min: 0, limit: 9 })[0]!.command;

  it("is the command that was recorded, or some command if it is not known or cannot be typed", () => {
    expect(next(["node", "my server.js"])).toBe("ticks record --runs 5 -- node 'my server.js'");
    expect(next()).toBe("ticks record --runs 5 -- node app.js");
    expect(next(["node", "\x1b[2J.js"])).toBe("ticks record --runs 5 -- node app.js");
  });
});

describe("the summary of ticks diff", () => {
  it("does not say that nothing changed of runs that did twice the work", () => {
    const run = (times: number) =>
      profileFromStacks(
        ...["a", "b", "c", "d", "e", "f"].flatMap((name, i) =>
          new Array<string>(times * (60 + 10 * i)).fill(`js:main js:${name}`),
        ),
      );
    const diff = diffOf([
      [run(1), run(1), run(1)],
      [run(2), run(2), run(2)],
    ]);
    expect(diff.judgedBy).toBe("share");
    const page = Array.from(textLines(diffPage(reportOf(diff)), { style: PLAIN, unit: {}, width: 200 })).join(
      "\n",
    );
    expect(page.replaceAll("\n", " ")).toContain(
      "Most code takes about 2.0 times as long after: the machine was busier, or the runs did more work. So functions are judged by their shares.",
    );
    expect(page).toContain("The share of no function changed: all ");
    expect(page).not.toContain("No function changed");
  });
});

const reportOf = (diff: Diff) =>
  ({ diff, by: "function", before: "a", after: "b", order: "change", min: 0, limit: 9 }) as const;

/** Three runs; `of` gets 0, 1 and 2. */
function threeRuns(of: (i: number) => readonly RunRow[], cpu?: number): RunSummary[] {
  return [0, 1, 2].map((i) => {
    const rows = of(i);
    const ticks = rows.reduce((sum, { self }) => sum + self, 0);
    const all = cpu === undefined ? {} : { cpu: { all: cpu * (100 + i), isWhole: true } };
    return {
      title: "run",
      logs: [],
      v8: [],
      ticks,
      samples: ticks,
      interval: 1000,
      rows,
      ...all,
    } as RunSummary;
  });
}

function saidOf(
  before: readonly RunSummary[],
  after: readonly RunSummary[],
  changed: (diff: Diff) => Diff = (diff) => diff,
): string {
  const diff = changed(compareRuns(before, after, { scale: { name: "share" } })!);
  return summaryOf(reportOf(diff))
    .map((sentence) => plainly(sentence, {}))
    .join(" ");
}

describe("the sentence on what changed", () => {
  const row = (file: string, title: string, self: number, sourceHash: string, rest = {}) => ({
    ...runRow(`${file} ${title}`, self),
    ...{ family: `${file} ${title}`, file, title, sourceHash, ...rest },
  });

  it("says whose source changed, and what is new and gone", () => {
    const marked = { origin: "deps", package: "marked" } as const;
    const rest = (i: number) => row("x.js", "rest", 500 + i, "3");
    const said = saidOf(
      threeRuns((i) => [
        row("marked/a.js", "f", 500 + i, "1", marked),
        row("old.js", "old", 300, "2"),
        rest(i),
      ]),
      threeRuns((i) => [
        row("marked/a.js", "f", 100 + i, "9", marked),
        row("new.js", "made", 200, "5"),
        rest(i),
      ]),
    );
    expect(said).toContain(
      "The source of 1 function of the package marked changed: f 501 → 101 ticks. 1 function is new: made 0 → 200 ticks. 1 function is gone: old 300 → 0 ticks.",
    );
  });

  it("says of which package functions are new and gone, and where they are if two have one name", () => {
    const of = (name: string) => ({ origin: "deps", package: name }) as const;
    const said = saidOf(
      threeRuns((i) => [
        row("moment/m.js", "format", 300, "1", of("moment")),
        row("x.js", "rest", 500 + i, "3"),
      ]),
      threeRuns((i) => [
        row("dayjs/d.js", "format", 200, "5", of("dayjs")),
        row("dayjs/e.js", "format", 100, "6", of("dayjs")),
        row("x.js", "rest", 500 + i, "3"),
      ]),
    );
    expect(said).toContain(
      "2 functions of the package dayjs are new: format d.js 0 → 200 ticks, format e.js 0 → 100 ticks. 1 function of the package moment is gone: format 300 → 0 ticks.",
    );
  });

  it("names the innermost function where V8's code is what changed", () => {
    const run = (engine: number) =>
      threeRuns((i) => [
        row("a.js", "main", 20, "1", { total: engine + i + 30 }),
        row("a.js", "test", 10, "2", { total: engine + i + 10, callers: [0, engine + i + 10] }),
        row("", "engine", engine + i, "", { origin: "v8", package: undefined, callers: [1, engine + i] }),
        row("a.js", "rest", 500 - i, "3"),
      ]);
    expect(saidOf(run(900), run(50))).toContain(
      "2 functions changed only through what they call, the innermost of them: test 911 → 61 ticks.",
    );
  });

  it("says whose source changed, where other functions alone have a verdict", () => {
    const run = (engine: number, hash: string, own: number) =>
      threeRuns((i) => [
        row("a.js", "main", 20, "1", { total: engine + i + 20, callers: [] }),
        row("", "engine", engine + i, "", { origin: "v8", package: undefined, callers: [0, engine + i] }),
        row("a.js", "odd", own + 60 * i, hash),
        row("a.js", "rest", 500 - i, "3"),
      ]);
    const said = saidOf(run(900, "6", 40), run(50, "7", 60));
    expect(said).toContain("The source of 1 function of the program changed: odd 100 → 120 ticks.");
    expect(said).not.toContain("the innermost");
  });

  it("says that most code takes longer, where no function does beside the others", () => {
    const run = (times: number) =>
      threeRuns(
        (i) =>
          ["a", "b", "c", "d", "e", "f"].map((name, n) =>
            row("x.js", name, times * (100 + 3 * i + 9 * n), "1"),
          ),
        times * 10_000,
      );
    const asWhole = (diff: Diff): Diff => ({
      ...diff,
      judgedBy: "run",
      rows: diff.rows.map((one) => ({ ...one, unsettled: "whole" })),
    });
    expect(saidOf(run(1), run(2), asWhole)).toContain(
      "No function changed beside the others: most take longer, as with more work or on a busier machine.",
    );
  });

  it("has times of three digits, as many decimals as the larger of them", () => {
    const said = (before: number, after: number) => {
      const cpu = { before, after, change: after - before, low: -0.0378, high: 4321, isSure: false };
      const diff = diffOf([
        [before900, before900],
        [before900, before900],
      ]);
      return plainly(summaryOf(reportOf({ ...diff, perRun: { ...diff.perRun, cpu } }))[0]!, {});
    };
    expect(said(1360, 808)).toContain("1.36 → 0.81 s, 95 %: +0.00 to +4.32;");
    expect(said(10_500, 1100)).toContain("10.5 → 1.1 s,");
    expect(said(54.8, 0)).toContain("54.8 → 0.0 ms, 95 %: +0.0 to +4321.0;");
    expect(said(0.771, 0.5)).toContain("0.771 → 0.500 ms,");
  });
});

describe("the sentence on renamed files", () => {
  const said = (files: readonly (readonly [string, string])[], by: "function" | "file" = "function") => {
    const renamedFiles = files.map(([before, after]) => ({ before, after, rows: 2 }));
    const diff = { ...diffOf([[before], [after]]), renamedFiles };
    return summaryOf({ ...reportOf(diff), by })
      .map((sentence) => plainly(sentence, {}))
      .filter((sentence) => / after[:.]/.test(sentence) || sentence.includes("another name"));
  };

  it("names one file, and no functions where files are compared", () => {
    const one = [["lib/a.js", "lib/b.js"]] as const;
    expect(said(one)).toEqual(["lib/a.js is called lib/b.js after: 2 functions of it are compared."]);
    expect(said(one, "file")).toEqual(["lib/a.js is called lib/b.js after."]);
  });

  it("says nothing of files that kept their names, where one folder has another name", () => {
    const moved = [
      ["shop/v1/app.js", "shop/v2/app.js"],
      ["shop/v1/lib/a.js", "shop/v2/lib/a.js"],
    ] as const;
    expect(said(moved)).toEqual([]);
    expect(said([...moved, ["shop/v1/lib/old.js", "shop/v2/lib/new.js"]])).toEqual([
      "shop/v1/lib/old.js is called shop/v2/lib/new.js after: 2 functions of it are compared.",
    ]);
    // Two folders: files were moved.
    expect(said([["src/a.js", "lib/a.js"], ...moved])[0]).toContain("3 files have another name after: ");
  });
});

describe("the table of ticks diff", () => {
  it("says how many intervals leave out 0 by chance, where one does and no other", () => {
    const run = (ticks: number) =>
      profileFromStacks(
        ...Array.from({ length: 40 }, (_, i) => new Array<string>(60).fill(`js:main js:f${i}`)).flat(),
        ...new Array<string>(ticks).fill("js:main js:odd"),
      );
    const page = (after: readonly number[]) => {
      const diff = diffOf([[60, 62, 61].map(run), after.map(run)]);
      const report = reportOf(diff);
      return Array.from(textLines(diffPage(report), { style: PLAIN, unit: {}, width: 200 })).join("\n");
    };
    const odd = page([78, 80, 77]);
    expect(odd).toMatch(/\n {2}~ many tests +61 +78 .* odd\n/);
    expect(odd).toContain(
      "many tests: one 95 % interval in 20 leaves out 0 by chance, about 2 of the 42 that were looked at",
    );
    expect(page([61, 60, 62])).not.toContain("many tests");
  });

  it("leaves out intervals where they would leave no room for names", () => {
    const [wide, whole] = tableAt(160);
    expect(wide).toMatch(/change +95 % +share/);
    expect(whole).toContain("node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run");
    const [narrow, cut] = tableAt(70);
    expect(narrow).toMatch(/before +after +change /);
    expect(narrow).not.toContain("95 %");
    expect(cut.length).toBeLessThanOrEqual(70);
    expect(/\bnode::.*$/.exec(cut)![0].length).toBeGreaterThanOrEqual(24);
  });

  it("has one change of each row: with all that it calls where only that changed, and blanks for zeros", () => {
    const run = (calls: number, name: string) =>
      profileFromStacks(
        ...new Array<string>(calls).fill(`js:main js:work cpp:${name}()`),
        ...new Array<string>(1000).fill("js:main js:rest"),
        "js:main js:rare",
        `js:main cpp:v8::internal::Builtin_HandleApiCall(int) cpp:${name}()`,
      );
    const sides = [3000, 3010, 3020].map((calls) => run(calls, "slow"));
    const fast = [300, 301, 302].map((calls) => run(calls, "fast"));
    const report = { diff: diffOf([sides, fast]), by: "function", before: "a", after: "b" } as const;
    const page = (limit: number) =>
      Array.from(
        textLines(diffPage({ ...report, order: "change", min: 0, limit }), {
          style: PLAIN,
          unit: {},
          width: 160,
        }),
      ).join("\n");
    expect(page(10)).toMatch(/\n {2}faster in total +3010 +301 +-90% .* work\n/);
    expect(page(10)).toMatch(/\n {2}gone +3011 {2,}-100% .* slow {2}/);
    expect(page(10)).toMatch(/\n {2}new +302 +\+302 .* fast {2}/);
    expect(page(10)).not.toMatch(/HandleApiCall|\brare\b/);
    expect(page(11)).toContain("rare");
  });

  it("calls a function without a name by the call that it is passed to, and matches it as before", () => {
    const run = (ticks: number, line: number) => {
      const stacks = [
        ...new Array<string>(ticks).fill(`js:·/app.js:${line}:1`),
        ...new Array<string>(1000).fill("js:rest"),
      ];
      const profile = profileFromStacks(...stacks);
      const frames = profile.frames.map((frame) =>
        frame.kind === "js" && frame.name.startsWith(" ")
          ? { ...frame, role: "app.get('/auth') handler" }
          : frame,
      );
      return { ...profile, frames };
    };
    const side = (ticks: number, line: number) => [0, 1, 2].map((i) => run(ticks + i, line));
    const report = reportOf(diffOf([side(300, 4), side(900, 9)]));
    const rendered = [
      textLines(diffPage(report), { style: PLAIN, unit: {}, width: 160 }),
      markdownLines(diffPage(report), { unit: {} }),
    ];
    for (const lines of rendered)
      expect(Array.from(lines).join("\n")).toMatch(/slower .*<app\.get\('\/auth'\) handler>`? .*app\.js:9/);
    const { rows } = DIFF.data(report) as { readonly rows: readonly { readonly role?: string }[] };
    const row = rows.find(({ role }) => role !== undefined);
    expect(row).toMatchObject({
      name: "<anonymous>",
      role: "app.get('/auth') handler",
      line: 9,
      matchedBy: "key",
    });
  });

  it("joins functions that changed alike since each calls the next", () => {
    const run = (ticks: number) => {
      const leaves = Array.from(
        { length: 400 },
        (_, i) => `js:outer·node:a:1:1 js:inner·node:b:2:1 cpp:part${i}()`,
      );
      return profileFromStacks(
        ...leaves.flatMap((stack) => new Array<string>(ticks).fill(stack)),
        ...new Array<string>(3000).fill("js:main js:rest"),
      );
    };
    const [before, after] = [
      [3, 3, 4],
      [1, 1, 1],
    ].map((side) => side.map(run));
    const report = { diff: diffOf([before!, after!]), by: "function", before: "a", after: "b" } as const;
    const lines = Array.from(
      textLines(diffPage({ ...report, order: "change", min: 0, limit: 10 }), {
        style: PLAIN,
        unit: {},
        width: 160,
      }),
    );
    expect(lines.join("\n")).toMatch(/\n {2}faster in total .* outer → inner\n/);
  });
});
