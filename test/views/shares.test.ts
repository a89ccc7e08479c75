import { describe, expect, it } from "vitest";
import { sharesOf } from "../../src/views/shares.ts";

describe("sharesOf", () => {
  it("sums to exactly 100.0", () => {
    const sum = (parts: readonly number[]) => sharesOf(parts).reduce((a, b) => a + Math.round(b * 10), 0);
    for (const parts of [
      [1, 1, 1],
      [1, 0, 0],
      [3333, 3333, 3334],
      [1, 2, 3, 4, 5, 6, 7],
      [999, 1],
    ]) {
      expect(sum(parts)).toBe(1000);
    }
    expect(sharesOf([1, 1, 1])).toEqual([33.4, 33.3, 33.3]);
    expect(sharesOf([0, 0])).toEqual([0, 0]);
  });
});
