import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import { PLAIN, type Style } from "../../src/render/style.ts";
import type { TreeReportOptions } from "../../src/reports/report-options.ts";
import { TREE } from "../../src/reports/tree.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";
import { jsonOf, linesOf } from "../helpers/reports.ts";
import { expectValid } from "../helpers/schema.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

/** All rows, unless a test asks for fewer. */
const text = (
  profile: Profile,
  { style = PLAIN, width = 80, ...options }: TreeReportOptions & { style?: Style; width?: number } = {},
) => linesOf(TREE, profile, { style, width, options: { minPercent: 0, ...options } });

const document = (profile: Profile, options: TreeReportOptions = {}) =>
  jsonOf(TREE, profile, { options: { minPercent: 0, ...options } });

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
    expect(text(SERVER)).toEqual([
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
    expect(text(profile).slice(3)).toEqual([
      "    3  100.0%      0  main",
      "    2   66.7%      1  ├ f [1 ≈]",
      "    1   33.3%      1  │ → Builtin: Add",
      "    1   33.3%      0  └ g [≈]",
      "    1   33.3%      1    → Builtin: Add",
    ]);
    const found = document(profile);
    expectValid("tree", found);
    expect(found.rows.map((row: { inferred?: number }) => row.inferred)).toEqual([
      undefined,
      1,
      undefined,
      1,
      undefined,
    ]);
  });

  it("says what is left out: after the rows of a level, once for those joined by arrows", () => {
    expect(text(SERVER, { depth: 9, minPercent: 30 }).slice(3)).toEqual([
      "    5   83.3%      0  main  app.js:1",
      "    4   66.7%      0  → serve  app.js:9",
      "    2   33.3%      2    ├ write ×2 [1 inlined]  io.js:8",
      "    2   33.3%      0    └ read  io.js:2",
      "    2   33.3%      2      → node::Read  node",
      "    1   16.7%         … 1 more on the way",
      "    1   16.7%         … 1 more",
    ]);
    const shallow = text(SERVER, { depth: 1 }).slice(3);
    expect(shallow).toEqual([
      "    5   83.3%      0  main  app.js:1",
      "    5   83.3%         └ … 2 more",
      "    1   16.7%      0  (garbage collection)",
      "    1   16.7%         └ … 1 more",
    ]);
  });

  it("has callers below where it is heavy, and says which stacks had none", () => {
    const profile = profileFromStacks("js:a js:c js:f", "js:b js:f", "js:b js:f", "js:f", "js:g");
    expect(text(profile, { heavy: true })).toEqual([
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
    const lines = text(profileFromStacks(...stacks, `cpp:${long}`));
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
    const lines = text(profile, { style });
    expect(lines[0]).toBe("H(log: 1 tick, top-down: callees below)");
    expect(lines.at(-1)).toBe("!(    1  100.0%      1  )!(a\\x1b[31m)  \\x07b.js:1");
  });

  it("is but a heading without ticks", () => {
    expect(text(profileFromStacks())).toEqual(["log: 0 ticks, top-down: callees below"]);
  });

  it("is the same in Markdown, in a fence that no name ends", () => {
    const lines = linesOf(TREE, profileFromStacks("js:a```b"), { format: "md" });
    expect([lines[2], lines.at(-2), lines.at(-1)]).toEqual(["````", "    1  100.0%      1  a```b", "````"]);
  });
});

describe("a tree in JSON", () => {
  it("is a list of rows that name the row that they are under", () => {
    const found = document(SERVER, { depth: 2 });
    expectValid("tree", found);
    expect(found.ticks).toBe(6);
    const rows = found.rows as Record<string, { name?: string; functions?: number } | null>[];
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
    const found = document(profile, { heavy: true });
    expectValid("tree", found);
    expect(found.rows[0]).toMatchObject({ ticks: 2, percent: 100, ticksWithoutCaller: 1, parent: null });
  });
});

/** Numbers, guides, and a note on rows that are not shown. */
const NOTE = /^ *(\d+) +[\d.]+% +([│ ]*)([├└] )?(?:… \d+ more|\(no caller\))(?: on the way)?$/;
const ROW = /^ *\d+ +[\d.]+% +(\d+) {2}[│├└ ]*(→ )?/;

describe.each(FIXTURE_NAMES)("the tree of %s", (fixture) => {
  it.each([false, true])("has what is left out after what is shown: heavy %s", async (isHeavy) => {
    const profile = await fixtureProfile(fixture);
    for (const minPercent of [1, 10]) {
      const options = { heavy: isHeavy, minPercent };
      const { ticks, rows } = document(profile, options);
      const text = linesOf(TREE, profile, { options, width: 1000 });
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
      expect(lines.filter((line) => line !== "" && !NOTE.test(line))).toHaveLength(rows.length);
      if (isHeavy) continue;
      const self = lines.reduce(
        (sum, line) => sum + (NOTE.test(line) ? 0 : Number(ROW.exec(line)?.[1] ?? 0)),
        0,
      );
      expect(self + inNotes).toBe(ticks);
    }
  });
});
