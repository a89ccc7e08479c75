import { describe, expect, it } from "vitest";
import { markdownLines } from "../../src/render/markdown.ts";
import { plainly } from "../../src/render/spoken.ts";
import { PLAIN } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { DIFF, type DiffReport, diffPage, nextCommands, summaryOf } from "../../src/reports/diff.ts";
import { diffOf } from "../helpers/side-page.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const NAME = "cpp:node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(int)";
const before = profileFromStacks(...new Array<string>(900).fill("js:main cpp:x"), "js:main js:other");
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
    const report = {
      diff,
      by: "function",
      before: "a",
      after: "b",
      order: "change",
      min: 0,
      limit: 9,
    } as const;
    const page = Array.from(textLines(diffPage(report), { style: PLAIN, unit: {}, width: 200 })).join("\n");
    expect(page.replaceAll("\n", " ")).toContain(
      "Most code takes about 2.0 times as long after: the machine was busier, or the runs did more work. So functions are judged by their shares.",
    );
    expect(page).toContain("The share of no function changed: all ");
    expect(page).not.toContain("No function changed");
  });
});

describe("the sentence on renamed files", () => {
  const said = (files: readonly (readonly [string, string])[], by: "function" | "file" = "function") => {
    const renamedFiles = files.map(([before, after]) => ({ before, after, rows: 2 }));
    const diff = { ...diffOf([[before], [after]]), renamedFiles };
    const report = { diff, before: "a", after: "b", order: "change", min: 0, limit: 9 } as const;
    return summaryOf({ ...report, by })
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
      const report = {
        diff,
        by: "function",
        before: "a",
        after: "b",
        order: "change",
        min: 0,
        limit: 9,
      } as const;
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
    expect(page(10)).toMatch(/\n {2}faster in total +3,010 +301 +-90% .* work\n/);
    expect(page(10)).toMatch(/\n {2}gone +3,011 {2,}-100% .* slow {2}/);
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
    const report: DiffReport = {
      diff: diffOf([side(300, 4), side(900, 9)]),
      by: "function",
      before: "a",
      after: "b",
      order: "change",
      min: 0,
      limit: 9,
    };
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
