import { describe, expect, it } from "vitest";
import { Analysis } from "../../src/views/analysis.ts";
import { FunctionTable } from "../../src/views/function-table.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

describe("functionTicks", () => {
  it("sums self to the ticks, and counts a recursive function once a stack", () => {
    const profile = profileFromStacks("js:f js:g js:f", "js:f js:g", "js:g builtin:Add", "?");
    const table = new FunctionTable(profile.frames);
    const { self, total } = Analysis.of(profile).functionTicks;
    const rows = table.functions.map(({ title }, i) => `${title} ${self[i]} ${total[i]}`);
    expect(rows).toEqual(["f 1 2", "g 1 3", "Builtin: Add 1 1", "UNKNOWN 1 1"]);
    expect(self.reduce((sum, ticks) => sum + ticks)).toBe(profile.info.ticks);
  });
});

describe("FunctionTable", () => {
  it("makes one function of its tiers, lines and inlined copies", () => {
    const [frame] = profileFromStacks("js:f·/a.js:1:2").frames;
    if (frame?.kind !== "js") throw new Error("not a function");
    const { functions, ofFrame } = new FunctionTable([
      frame,
      { ...frame, tier: "~" },
      { ...frame, line: 7 },
      { ...frame, inlined: true },
      { ...frame, name: "f /b.js:1:2" },
    ]);
    expect(Array.from(ofFrame)).toEqual([0, 0, 0, 0, 1]);
    expect(functions[0]).toMatchObject({ title: "f", file: "/a.js", line: 1, column: 2 });
  });
});
