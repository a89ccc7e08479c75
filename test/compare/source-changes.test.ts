import { expect, it } from "vitest";
import { changedLines } from "../../src/compare/source-changes.ts";

const textOf = (lines: readonly string[]) => ["function f() {", ...lines, "}"].join("\n");
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `  ${name}${i};`);

it("shows of a long change some lines of both sides", () => {
  const sides = (before: readonly string[], after: readonly string[]) => {
    const { lines, more } = changedLines({ before: textOf(before), after: textOf(after) });
    return [lines.map(({ side }) => (side === "before" ? "-" : "+")).join(""), more];
  };
  expect(sides(numbered("old", 2), numbered("new", 3))).toEqual(["--+++", 0]);
  expect(sides(numbered("old", 20), numbered("new", 20))).toEqual(["------++++++", 28]);
  expect(sides(numbered("old", 20), ["  new;"])).toEqual(["-----------+", 9]);
  expect(sides([], numbered("new", 20))).toEqual(["++++++++++++", 8]);
  // A block of which one side alone has room is left out.
  const kept = ["  kept();"];
  expect(
    sides(
      [...numbered("a", 5), ...kept, ...numbered("old", 2)],
      [...numbered("b", 6), ...kept, ...numbered("new", 2)],
    ),
  ).toEqual(["-----++++++", 4]);
});
