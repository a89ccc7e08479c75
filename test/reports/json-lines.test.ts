import { expect, it } from "vitest";
import { jsonLines } from "../../src/reports/json.ts";

it.each([
  [[]],
  [{}],
  [[[], {}, [[1, "two", null, true]]]],
  [{ a: undefined, b: [undefined, -0, 1e21], c: { d: { e: [] } } }],
  ["text"],
  [5],
])("the lines of %j are those of JSON.stringify", (document) => {
  expect(Array.from(jsonLines(document, { pretty: true })).join("\n")).toBe(
    JSON.stringify(document, null, 2),
  );
  expect(Array.from(jsonLines(document))).toEqual([JSON.stringify(document)]);
});

it("a document can be of any depth", () => {
  let document: unknown = [];
  for (let i = 0; i < 20_000; i++) document = [document];
  let lines = 0;
  for (const _ of jsonLines(document, { pretty: true })) lines++;
  expect(lines).toBe(2 * 20_000 + 1);
});

it("a large compact document has no line much longer than 64 KiB", () => {
  const document = { rows: Array.from({ length: 20_000 }, (_, i) => ({ name: `function ${i}`, ticks: i })) };
  const lines = Array.from(jsonLines(document));
  expect(lines.length).toBeGreaterThan(5);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(66_000);
  expect(lines.join("")).toBe(JSON.stringify(document));
  expect(JSON.parse(lines.join("\n"))).toEqual(document);
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
