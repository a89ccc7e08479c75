import { expect, it } from "vitest";
import { stackLine } from "../../src/reports/top.ts";
import { widthOf } from "../../src/reports/width.ts";

it("a stack in a line is cut name by name, then in its middle", () => {
  const names = ["main", "a".repeat(30), "b".repeat(30), "leaf"];
  expect(stackLine(names, 100)).toBe(names.join(" → "));
  expect(stackLine(names, 70)).toBe(
    `main → ${"a".repeat(12)}…${"a".repeat(11)} → ${"b".repeat(12)}…${"b".repeat(11)} → leaf`,
  );
  expect(stackLine(names, 50)).toBe(`main → … → ${"b".repeat(11)}…${"b".repeat(10)} → leaf`);
  expect(stackLine(["x".repeat(90)], 20)).toBe(`${"x".repeat(10)}…${"x".repeat(9)}`);
  for (let columns = 16; columns < 90; columns++)
    expect(widthOf(stackLine(names, columns))).toBeLessThanOrEqual(columns);
});
