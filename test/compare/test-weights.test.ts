import { describe, expect, it } from "vitest";
import { type Tested, testWeights } from "../../src/compare/test-weights.ts";

describe("testWeights", () => {
  const tested: Tested[] = [
    { kind: "self", share: 0.6 },
    { kind: "self", share: 0.1 },
    { kind: "self", share: 0.1 },
    { kind: "self", share: 0 },
    { kind: "total", share: 1 },
    { kind: "total", share: 0.5 },
  ];

  it("has a mean of 1 for self and for total ticks", () => {
    const weights = tested.map(testWeights(tested));
    const meanOf = (from: number, to: number) =>
      weights.slice(from, to).reduce((sum, weight) => sum + weight, 0) / (to - from);
    expect(meanOf(0, 4)).toBeCloseTo(1, 12);
    expect(meanOf(4, 6)).toBeCloseTo(1, 12);
  });

  it("gives half alike, and half by share", () => {
    const weightOf = testWeights(tested);
    expect(weightOf({ kind: "self", share: 0.6 })).toBeCloseTo(0.5 + (0.5 * 0.6) / 0.2, 12);
    expect(weightOf({ kind: "self", share: 0 })).toBe(0.5);
  });

  it("gives all the same where no share is known", () => {
    const none: Tested[] = [{ kind: "self", share: 0 }];
    expect(testWeights(none)(none[0]!)).toBe(1);
    expect(testWeights([])({ kind: "total", share: 0.1 })).toBe(1);
  });
});
