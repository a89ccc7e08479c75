import { expect, it } from "vitest";
import { jsonLines } from "../../../src/reporters/layout/json-lines.ts";

it.each([
  [[]],
  [{}],
  [[[], {}, [[1, "two", null, true]]]],
  [{ a: undefined, b: [undefined, -0, 1e21], c: { d: { e: [] } } }],
  ["text"],
  [5],
])("the lines of %j are those of JSON.stringify", (document) => {
  expect(Array.from(jsonLines(document)).join("\n")).toBe(JSON.stringify(document, null, 2));
});

it("a document can be of any depth", () => {
  let document: unknown = [];
  for (let i = 0; i < 20_000; i++) document = [document];
  let lines = 0;
  for (const _ of jsonLines(document)) lines++;
  expect(lines).toBe(2 * 20_000 + 1);
});

it("a long text is written the same each time", () => {
  const long = `${"é\ud800".repeat(1000)}"`;
  const shown = long.replaceAll("\ud800", "\ufffd");
  expect(JSON.parse(Array.from(jsonLines([long, { long }, long])).join(""))).toEqual([
    shown,
    { long: shown },
    shown,
  ]);
});
