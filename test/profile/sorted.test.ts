import { describe, expect, it } from "vitest";
import { lowerBound, partitionPoint, upperBound } from "../../src/profile/sorted.ts";
import { createRandom } from "../helpers/random.ts";

/** Ascending numbers, of which many are equal. */
function ascending(length: number, seed: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length }, () => random(length)).sort((a, b) => a - b);
}

describe("bounds in ascending numbers", () => {
  it("are where a search from the first number on finds them", () => {
    for (let length = 0; length < 40; length++) {
      const numbers = ascending(length, length + 1);
      for (let limit = -1; limit <= length; limit++) {
        const isLower = numbers.map((number) => number < limit);
        const isUpper = numbers.map((number) => number <= limit);
        expect(lowerBound(numbers, limit)).toBe([...isLower, false].indexOf(false));
        expect(upperBound(numbers, limit)).toBe([...isUpper, false].indexOf(false));
        expect(partitionPoint(length, (index) => isUpper[index]!)).toBe(upperBound(numbers, limit));
      }
    }
  });

  it("stay in the range that is asked for", () => {
    const numbers = Float64Array.of(5, 1, 2, 2, 3, 0, 9);
    expect([0, 1, 2, 3, 4].map((limit) => lowerBound(numbers, limit, 1, 5))).toEqual([1, 1, 2, 4, 5]);
    expect([0, 1, 2, 3, 4].map((limit) => upperBound(numbers, limit, 1, 5))).toEqual([1, 2, 4, 5, 5]);
    expect(lowerBound(numbers, 2, 3, 3)).toBe(3);
  });
});
