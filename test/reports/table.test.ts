import { expect, it } from "vitest";
import { table } from "../../src/reports/table.ts";

it("a table aligns its columns and has no lines and no trailing spaces", () => {
  const rows = [
    ["a.log", "1"],
    ["longer.log", "200"],
  ];
  expect(table([{ title: "log" }, { title: "ticks", align: "right" }], rows)).toEqual([
    "log         ticks",
    "a.log           1",
    "longer.log    200",
  ]);
});
