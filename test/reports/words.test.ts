import { describe, expect, it } from "vitest";
import { sourceLine, textAround } from "../../src/reports/words.ts";

describe("a line of source", () => {
  const bundle = Array.from({ length: 300 }, (_, i) => `f${i}();`).join("");

  it("is whole if it is of usual length", () => {
    expect(sourceLine(`\t${"a".repeat(190)}  `)).toBe(`  ${"a".repeat(190)}`);
  });

  it("of a bundle has 160 characters, also where it is not cut by the width of a terminal", () => {
    expect(sourceLine(bundle)).toBe(`${bundle.slice(0, 160)}…`);
    const around = textAround(bundle, 1001);
    expect(around).toBe(`…${bundle.slice(990, 1150)}…`);
    expect(sourceLine(around)).toBe(around);
  });
});
