import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignLines } from "../../src/profile/source-lines.ts";

const align = (before: string, after: string) =>
  alignLines(before.split(""), after.split("")).map(
    ({ before: a, after: b, isSame }) => `${a}${isSame ? "=" : "/"}${b}`,
  );

describe("alignLines", () => {
  it("puts equal lines beside each other", () => {
    expect(align("abc", "abc")).toEqual(["1=1", "2=2", "3=3"]);
    expect(align("", "")).toEqual([]);
    expect(align("ac", "abc")).toEqual(["1=1", "0/2", "2=3"]);
    expect(align("abc", "ac")).toEqual(["1=1", "2/0", "3=2"]);
    expect(align("abc", "axc")).toEqual(["1=1", "2/2", "3=3"]);
  });

  it("finds lines again that both texts have once, whatever is around them", () => {
    expect(align("}}f}}", "}}}}f}")).toEqual(["1=1", "2=2", "0/3", "0/4", "3=5", "4=6", "5/0"]);
  });

  it("has each line once and in order, and says of equal ones alone that they are", () => {
    const text = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const rows = alignLines(before, after);
        const numbers = (side: "before" | "after") => rows.map((row) => row[side]).filter((line) => line > 0);
        expect(numbers("before")).toEqual(before.map((_, i) => i + 1));
        expect(numbers("after")).toEqual(after.map((_, i) => i + 1));
        for (const row of rows) {
          if (row.isSame) expect(before[row.before - 1]).toBe(after[row.after - 1]);
          expect(row.before + row.after).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("takes no time that grows with the square of the lines", () => {
    const lines = Array.from({ length: 200_000 }, (_, i) => `line ${i}`);
    const rows = alignLines(lines, lines.toReversed());
    expect(rows.length).toBeGreaterThanOrEqual(200_000);
    expect(alignLines(new Array(200_000).fill("}"), new Array(100_000).fill("}"))).toHaveLength(200_000);
  });
});
