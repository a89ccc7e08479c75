import { describe, expect, it } from "vitest";
import {
  digamma,
  inverseTrigamma,
  trigamma,
  variancePrior,
  varianceTrend,
} from "../../src/compare/measures.ts";
import { createRandom } from "../helpers/random.ts";

describe("digamma and trigamma", () => {
  // M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), tables 6.1 and 6.2.
  it.each([
    [1, -0.5772156649, 1.6449340668],
    [1.5, 0.036489974, 0.9348022005],
    [2, 0.4227843351, 0.6449340668],
    [0.5, -1.963510026, 4.9348022005],
    [10, 2.2517525891, 0.1051663357],
  ])("of %f are %f and %f", (x, first, second) => {
    expect(digamma(x)).toBeCloseTo(first, 9);
    expect(trigamma(x)).toBeCloseTo(second, 9);
    expect(inverseTrigamma(second)).toBeCloseTo(x, 6);
  });
});

describe("varianceTrend", () => {
  it("finds what grows with the ticks, and is nowhere below 1", () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({
      ticks: 10 * (i + 1),
      ratio: 2 + 0.05 * 10 * (i + 1),
    }));
    const { base, slope } = varianceTrend(rows);
    expect(base).toBeCloseTo(2, 6);
    expect(slope).toBeCloseTo(0.05, 6);
    const low = varianceTrend(rows.map(({ ticks }) => ({ ticks, ratio: 0.2 + ticks / 1000 })));
    expect(low.base).toBe(1);
    expect(varianceTrend(rows.slice(0, 3))).toEqual({ base: 1, slope: 0 });
  });
});

describe("variancePrior", () => {
  const whole = createRandom(5);
  const random = () => (whole(2 ** 30) + 0.5) / 2 ** 30;
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const chiSquare = (freedom: number) =>
    Array.from({ length: freedom }, normal).reduce((sum, x) => sum + x * x, 0);

  it("finds the spread that all functions share", () => {
    const ratios = Array.from({ length: 2000 }, () => (2.5 * chiSquare(10)) / 10);
    const prior = variancePrior(ratios, 10);
    expect(prior.ratio).toBeCloseTo(2.5, 0);
    expect(prior.freedom).toBe(50);
  });

  it("is worth as much as spreads are alike", () => {
    const ratios = Array.from({ length: 5000 }, () => ((2 * 6) / chiSquare(6)) * (chiSquare(10) / 10));
    const prior = variancePrior(ratios, 10);
    expect(prior.freedom).toBeGreaterThan(5);
    expect(prior.freedom).toBeLessThan(7.5);
    expect(prior.ratio).toBeCloseTo(2, 0);
  });

  it("says nothing of few functions or single runs", () => {
    expect(variancePrior([1, 2, 3], 10).freedom).toBe(0);
    expect(variancePrior(new Array<number>(100).fill(1), 0).freedom).toBe(0);
  });
});
