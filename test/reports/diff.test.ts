import { describe, expect, it } from "vitest";
import { diffPage } from "../../src/reports/diff.ts";
import { PLAIN } from "../../src/reports/style.ts";
import { textLines } from "../../src/reports/text.ts";
import { diffOf } from "../helpers/side-page.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const NAME = "cpp:node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(int)";
const before = profileFromStacks(...new Array<string>(900).fill("js:main cpp:x"), "js:main js:other");
const after = profileFromStacks(...new Array<string>(900).fill(`js:main ${NAME}`), "js:main js:other");

/** Returns the head of the table, and its widest name. */
function tableAt(width: number): readonly [string, string] {
  const report = { diff: diffOf([[before], [after]]), by: "function", before: "a", after: "b" } as const;
  const lines = Array.from(
    textLines(diffPage({ ...report, order: "change", min: 0, limit: 9 }), { style: PLAIN, width }),
  );
  const head = lines.findIndex((line) => /^ +before +after/.test(line));
  return [lines[head]!, lines.slice(head).find((line) => /\bnode::/.test(line))!];
}

describe("the table of ticks diff", () => {
  it("leaves out intervals and totals where they would leave no room for names", () => {
    const [wide, whole] = tableAt(160);
    expect(wide).toMatch(/95 % .*total/);
    expect(whole).toContain("node::crypto::DeriveBitsJob<node::crypto::PBKDF2Traits>::Run(int)");
    const [narrow, cut] = tableAt(70);
    expect(narrow).toMatch(/before +after +change /);
    expect(narrow).not.toContain("95 %");
    expect(cut.length).toBeLessThanOrEqual(70);
    expect(/\bnode::.*$/.exec(cut)![0].length).toBeGreaterThanOrEqual(24);
  });
});
