import { describe, expect, it } from "vitest";
import { FunctionNames } from "../../src/facts/function-names.ts";
import { FunctionStacks } from "../../src/facts/function-stacks.ts";
import { heavy, topDown } from "../../src/facts/function-tree.ts";
import { type TreeLimits, treeRows } from "../../src/facts/tree-rows.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { markdownLines } from "../../src/render/markdown.ts";
import { PLAIN, type Style } from "../../src/render/style.ts";
import { textLines } from "../../src/render/text.ts";
import { jsonLines } from "../../src/reports/json.ts";
import { type TreeReport, treeData, treePage } from "../../src/reports/tree.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";
import { expectValid } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const ALL: TreeLimits = { depth: Number.POSITIVE_INFINITY, least: 0 };

function report(profile: Profile, { isHeavy = false, limits = ALL } = {}): TreeReport {
  const stacks = new FunctionStacks(profile);
  const tree = treeRows(isHeavy ? heavy(profile, stacks, limits) : topDown(profile, stacks), stacks, limits);
  return { profile, isHeavy, tree, names: new FunctionNames(stacks.table.functions) };
}

const text = (tree: TreeReport, { style = PLAIN, width = 80 } = {}) =>
  Array.from(textLines(treePage(tree), { style, width, unit: {} }));

const SERVER = profileFromStacks(
  "js:main·/srv/app.js:1:1 js:load·/srv/app.js:5:1",
  "js:main·/srv/app.js:1:1 js:serve·/srv/app.js:9:1 js:read·/srv/io.js:2:3 cpp:node::Read",
  "js:main·/srv/app.js:1:1 js:serve·/srv/app.js:9:1 js:read·/srv/io.js:2:3 cpp:node::Read",
  "js:main·/srv/app.js:1:1 js:serve·/srv/app.js:9:1 js:write·/srv/io.js:8:3",
  "js:main·/srv/app.js:1:1 js:serve·/srv/app.js:9:1 inlined:write·/srv/io.js:8:3 inlined:write·/srv/io.js:8:3",
  "gc:cpp:v8::Sweep",
);

describe("a tree in text", () => {
  it("is indented where it branches, and goes on below where it does not", () => {
    expect(text(report(SERVER))).toEqual([
      "log: 6 ticks, top-down: callees below",
      "",
      "total   share   self  function",
      "    5   83.3%      0  main  app.js:1",
      "    4   66.7%      0  ├ serve  app.js:9",
      "    2   33.3%      2  │ ├ write ×2 [1 inlined]  io.js:8",
      "    2   33.3%      0  │ └ read  io.js:2",
      "    2   33.3%      2  │   → node::Read  node",
      "    1   16.7%      1  └ load  app.js:5",
      "    1   16.7%      0  (garbage collection)",
      "    1   16.7%      1  → v8::Sweep  node",
    ]);
  });

  it("marks what is inferred, in text and in JSON", () => {
    const profile = profileFromStacks(
      "js:main js:f",
      "js:main inferred:f builtin:Add",
      "js:main inferred:g builtin:Add",
    );
    expect(text(report(profile)).slice(3)).toEqual([
      "    3  100.0%      0  main",
      "    2   66.7%      1  ├ f [1 ≈]",
      "    1   33.3%      1  │ → Builtin: Add",
      "    1   33.3%      0  └ g [≈]",
      "    1   33.3%      1    → Builtin: Add",
    ]);
    const document = JSON.parse(Array.from(jsonLines(treeData(report(profile)))).join("\n"));
    expectValid("tree", document);
    expect(document.rows.map((row: { inferred?: number }) => row.inferred)).toEqual([
      undefined,
      1,
      undefined,
      1,
      undefined,
    ]);
  });

  it("says what is left out: after the rows of a level, once for those joined by arrows", () => {
    const limits = { depth: 9, least: 2 };
    expect(text(report(SERVER, { limits })).slice(3)).toEqual([
      "    5   83.3%      0  main  app.js:1",
      "    4   66.7%      0  → serve  app.js:9",
      "    2   33.3%      2    ├ write ×2 [1 inlined]  io.js:8",
      "    2   33.3%      0    └ read  io.js:2",
      "    2   33.3%      2      → node::Read  node",
      "    1   16.7%         … 1 more on the way",
      "    1   16.7%         … 1 more",
    ]);
    const shallow = text(report(SERVER, { limits: { depth: 1, least: 0 } })).slice(3);
    expect(shallow).toEqual([
      "    5   83.3%      0  main  app.js:1",
      "    5   83.3%         └ … 2 more",
      "    1   16.7%      0  (garbage collection)",
      "    1   16.7%         └ … 1 more",
    ]);
  });

  it("has callers below where it is heavy, and says which stacks had none", () => {
    const profile = profileFromStacks("js:a js:c js:f", "js:b js:f", "js:b js:f", "js:f", "js:g");
    expect(text(report(profile, { isHeavy: true }))).toEqual([
      "log: 5 ticks, heavy: callers below",
      "",
      "ticks   share  function",
      "    4   80.0%  f",
      "    2   40.0%  ├ b",
      "    1   20.0%  ├ c",
      "    1   20.0%  │ ← a",
      "    1   20.0%  └ (no caller)",
      "",
      "    1   20.0%  g",
    ]);
  });

  it("keeps lines in the width, guides too", () => {
    const long = "x".repeat(300);
    const branch = Array.from({ length: 60 }, (_, i) => `js:f${i}`);
    const stacks = branch.flatMap((_, i) => [
      branch.slice(0, i + 1).join(" "),
      `${branch.slice(0, i + 1).join(" ")} js:${long}`,
    ]);
    const lines = text(report(profileFromStacks(...stacks, `cpp:${long}`)));
    expect(lines.length).toBeGreaterThan(120);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.some((line) => /^.{22}…[ │]+[├└] /.test(line))).toBe(true);
  });

  it("shows no control character of a log, and marks what is hot", () => {
    const style: Style = {
      heading: (shown) => `H(${shown})`,
      hot: (shown) => `!(${shown})`,
      faint: (shown) => shown,
    };
    const profile = profileFromStacks("js:a\x1b[31m·/srv/\x07b.js:1:1");
    const lines = text(report(profile), { style });
    expect(lines[0]).toBe("H(log: 1 tick, top-down: callees below)");
    expect(lines.at(-1)).toBe("!(    1  100.0%      1  )!(a\\x1b[31m)  \\x07b.js:1");
  });

  it("is but a heading without ticks", () => {
    expect(text(report(profileFromStacks()))).toEqual(["log: 0 ticks, top-down: callees below"]);
  });

  it("is the same in Markdown, in a fence that no name ends", () => {
    const page = treePage(report(profileFromStacks("js:a```b")));
    const lines = Array.from(markdownLines(page, { unit: {} }));
    expect([lines[2], lines.at(-2), lines.at(-1)]).toEqual(["````", "    1  100.0%      1  a```b", "````"]);
  });
});

describe("a tree in JSON", () => {
  it("is a list of rows that name the row that they are under", () => {
    const limits = { depth: 2, least: 0 };
    const document = JSON.parse(Array.from(jsonLines(treeData(report(SERVER, { limits })))).join("\n"));
    expectValid("tree", document);
    expect(document.ticks).toBe(6);
    const rows = document.rows as Record<string, { name?: string; functions?: number } | null>[];
    expect(rows.map((row) => [row.function?.name ?? row.state, row.parent, row.total])).toEqual([
      ["main", null, 5],
      ["serve", 0, 4],
      ["load", 0, 1],
      ["gc", null, 1],
      ["v8::Sweep", 3, 1],
    ]);
    expect(rows[1]).toMatchObject({ self: 0, omitted: { functions: 2, ticks: 4 } });
  });

  it("says in a heavy one how many ticks have no caller", () => {
    const profile = profileFromStacks("js:a js:f", "js:f");
    const document = JSON.parse(
      Array.from(jsonLines(treeData(report(profile, { isHeavy: true })))).join("\n"),
    );
    expectValid("tree", document);
    expect(document.rows[0]).toMatchObject({ ticks: 2, percent: 100, ticksWithoutCaller: 1, parent: null });
  });
});

/** Numbers, guides, and a note on rows that are not shown. */
const NOTE = /^ *(\d+) +[\d.]+% +([│ ]*)([├└] )?(?:… \d+ more|\(no caller\))(?: on the way)?$/;
const ROW = /^ *\d+ +[\d.]+% +(\d+) {2}[│├└ ]*(→ )?/;

describe.each(FIXTURE_NAMES)("the tree of %s", (fixture) => {
  it.each([false, true])("has what is left out after what is shown: heavy %s", async (isHeavy) => {
    const profile = await fixtureProfile(fixture);
    const stacks = new FunctionStacks(profile);
    const { ticks } = profile.info;
    for (const percent of [1, 10]) {
      const limits = { depth: Number.POSITIVE_INFINITY, least: (ticks * percent) / 100 };
      const functions = isHeavy ? heavy(profile, stacks, limits) : topDown(profile, stacks);
      const tree = treeRows(functions, stacks, limits);
      const names = new FunctionNames(stacks.table.functions);
      const text = Array.from(
        textLines(treePage({ profile, isHeavy, tree, names }), { style: PLAIN, unit: {}, width: 1000 }),
      );
      // An empty line and the titles of the columns come before the rows.
      const lines = text.slice(text.indexOf("") + 2);
      let inNotes = 0;
      for (const [i, line] of lines.entries()) {
        const note = NOTE.exec(line);
        if (note === null) continue;
        inNotes += Number(note[1]);
        const next = lines[i + 1] ?? "";
        expect(NOTE.test(next) || note[3] !== "├ ", line).toBe(true);
        // A row that is an only child goes on where its parent ended, so nothing may stand between the two.
        expect(next).not.toMatch(/^[ \d.%│]+[→←] /);
      }
      expect(lines.filter((line) => line !== "" && !NOTE.test(line))).toHaveLength(tree.rows.length);
      if (isHeavy) continue;
      const self = lines.reduce(
        (sum, line) => sum + (NOTE.test(line) ? 0 : Number(ROW.exec(line)?.[1] ?? 0)),
        0,
      );
      expect(self + inNotes).toBe(tree.ticks);
    }
  });
});
