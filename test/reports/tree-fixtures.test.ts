import { describe, expect, it } from "vitest";
import { PLAIN } from "../../src/reports/style.ts";
import { textLines } from "../../src/reports/text.ts";
import { treePage } from "../../src/reports/tree.ts";
import { FunctionNames } from "../../src/views/function-names.ts";
import { FunctionStacks } from "../../src/views/function-stacks.ts";
import { heavy, topDown } from "../../src/views/function-tree.ts";
import { treeRows } from "../../src/views/tree-rows.ts";
import { FIXTURE_NAMES, fixtureProfile } from "../helpers/fixtures.ts";

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
        textLines(treePage({ profile, isHeavy, tree, names }), { style: PLAIN, width: 1000 }),
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
