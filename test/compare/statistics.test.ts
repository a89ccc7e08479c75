import { describe, expect, it } from "vitest";
import {
  digamma,
  inverseTrigamma,
  trigamma,
  variancePrior,
  varianceTrend,
} from "../../src/compare/measures.ts";
import {
  combinedTails,
  differenceOf,
  falseDiscoveryRates,
  leastChange,
  moderated,
  permutationTails,
  runsFor,
  sampleOf,
  studentQuantile,
  studentTails,
  varianceTail,
  welchTails,
} from "../../src/compare/statistics.ts";
import { type Tested, testWeights } from "../../src/compare/test-weights.ts";
import { createRandom } from "../helpers/random.ts";

describe("Student's distribution", () => {
  // M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), table 26.10.
  it.each([
    [1, 0.9, 6.314],
    [1, 0.95, 12.706],
    [1, 0.99, 63.657],
    [2, 0.95, 4.303],
    [3, 0.99, 5.841],
    [5, 0.95, 2.571],
    [5, 0.99, 4.032],
    [10, 0.9, 1.812],
    [10, 0.95, 2.228],
    [10, 0.99, 3.169],
    [10, 0.999, 4.587],
    [20, 0.95, 2.086],
    [30, 0.95, 2.042],
    [30, 0.999, 3.646],
    [120, 0.95, 1.98],
    [120, 0.99, 2.617],
  ])("of %i degrees of freedom has %f within ±%f", (freedom, inside, t) => {
    expect(studentQuantile((1 + inside) / 2, freedom)).toBeCloseTo(t, 3);
    expect(studentTails(studentQuantile((1 + inside) / 2, freedom), freedom)).toBeCloseTo(1 - inside, 6);
  });

  it("holds far out, at 0 and at the ends", () => {
    expect(studentTails(50, 10) / 2.4743103293023826e-13).toBeCloseTo(1, 6);
    expect(studentTails(-50, 10)).toBe(studentTails(50, 10));
    expect(studentTails(0, 3)).toBe(1);
    expect(studentTails(Number.POSITIVE_INFINITY, 3)).toBe(0);
    expect(studentTails(Number.NaN, 3)).toBe(1);
  });
});

describe("combined tests", () => {
  const together = (probabilities: readonly number[], weights = probabilities.map(() => 1)) =>
    combinedTails(probabilities.map((probability, test) => ({ probability, weight: weights[test]! })));

  it.each([
    [[0.03], [1], 0.03],
    [[0.2, 0.2, 0.2], [1, 1, 1], 0.2],
    [[0.01, 0.04], [1, 1], 0.0160076],
    [[0.001, 0.01, 0.05], [1, 1, 1], 0.00267899],
    [[0.001, 0.01], [2, 1], 0.00142864],
    [[1e-12, 0.5], [1, 1], 2e-12],
  ])("of %j that weigh %j are as likely as %f", (probabilities, weights, likely) => {
    // SciPy: stats.cauchy.sf(average(stats.cauchy.isf(probabilities), weights=weights)).
    expect(together(probabilities, weights) / likely).toBeCloseTo(1, 4);
  });

  it("of one that sees nothing are not outweighed by it", () => {
    expect(together([0.001, 0.001, 1])).toBeLessThan(0.002);
    expect(together([1, 1])).toBeCloseTo(0.99, 9);
    expect(together([0, 1])).toBe(0);
  });
});

describe("Welch's test", () => {
  it("gives what R gives for Student's own data on sleep", () => {
    // W. Gosset, "The probable error of a mean" (1908). R: t.test(extra ~ group, data = sleep).
    const before = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const after = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    const difference = differenceOf(sampleOf(before), sampleOf(after));
    const { change, error, freedom } = difference;
    expect(change / error).toBeCloseTo(1.8608, 4);
    expect(freedom).toBeCloseTo(17.776, 3);
    expect(welchTails(difference)).toBeCloseTo(0.07939, 5);
    const half = studentQuantile(0.975, freedom) * error;
    expect(change - half).toBeCloseTo(-0.20548, 3);
    expect(change + half).toBeCloseTo(3.36548, 3);
  });

  it("mixes the spread of few runs with what is usual", () => {
    const sample = sampleOf([4, 5, 6]);
    expect(moderated(sample, { variance: 4, freedom: 4, least: 0 })).toEqual({
      mean: 5,
      variance: (2 * 1 + 4 * 4) / 6,
      runs: 3,
      freedom: 6,
    });
    expect(moderated(sampleOf([5]), { variance: 0, freedom: 0, least: 3 }).variance).toBe(3);
  });

  it("leaves a spread that is far from usual as it is", () => {
    const usual = { variance: 1, freedom: 20, least: 0 };
    const mixedOf = (variance: number) => moderated({ mean: 9, variance, runs: 6, freedom: 5 }, usual);
    expect(mixedOf(2)).toMatchObject({ variance: (5 * 2 + 20 * 1) / 25, freedom: 25 });
    const odd = mixedOf(30);
    expect(odd.variance).toBeGreaterThan(29.9);
    expect(odd.freedom).toBeLessThan(5.01);
    expect(mixedOf(7).freedom).toBeGreaterThan(odd.freedom);
    const constant = { ...usual, variance: 0 };
    expect(moderated(sampleOf([1, 1, 1]), constant)).toMatchObject({ variance: 0, freedom: 22 });
  });

  it.each([
    // M. Abramowitz and I. Stegun, table 26.9.
    [5.05, 5, 5, 0.05],
    [4.1, 5, 20, 0.01],
    [3.37, 6, 9, 0.05],
  ])("knows how often a variance is %f times another one of %i and %i", (ratio, a, b, tail) => {
    expect(varianceTail(ratio, a, b)).toBeCloseTo(tail, 3);
  });

  it("has the opposite sign and the same probability the other way round", () => {
    const [a, b] = [sampleOf([1, 2, 4]), sampleOf([3, 5, 9, 4])];
    const [there, back] = [differenceOf(a, b), differenceOf(b, a)];
    expect(back.change).toBe(-there.change);
    expect(welchTails(back)).toBe(welchTails(there));
  });

  it("takes runs that are alike by chance for no surer than their ticks", () => {
    const counting = { variance: 0, freedom: 0, least: 1 };
    const [before, after] = [
      [5, 5, 5],
      [6, 6, 6],
    ].map((values) => moderated(sampleOf(values), counting));
    expect(before!.variance).toBe(1);
    expect(welchTails(differenceOf(before!, after!))).toBeGreaterThan(0.2);
    expect(welchTails(differenceOf(sampleOf([0, 0]), sampleOf([0, 0])))).toBe(1);
  });
});

describe("permutationTails", () => {
  it("counts the ways that are as far apart", () => {
    expect(permutationTails([1, 2, 3], [4, 5, 6])).toBeCloseTo(2 / 20, 10);
    expect(permutationTails([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1])).toBeCloseTo(2 / 924, 10);
    expect(permutationTails([1, 1], [1, 1])).toBe(1);
    expect(permutationTails([0.1, 0.2], [0.2, 0.1])).toBe(1);
  });

  it("tries some ways if there are too many, always the same", () => {
    const low = Array.from({ length: 20 }, (_, i) => i);
    const high = low.map((value) => value + 30);
    expect(permutationTails(low, high)).toBeCloseTo(1 / 4001, 10);
    const mixed = low.map((value) => value + 1);
    expect(permutationTails(low, mixed)).toBe(permutationTails(low, mixed));
    expect(permutationTails(low, mixed)).toBeGreaterThan(0.4);
  });
});

describe("falseDiscoveryRates", () => {
  it("gives what the example of its inventors gives", () => {
    // Benjamini and Hochberg (1995), 3.2: 15 tests, of which 4 count at 5 %.
    const probabilities = [
      0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
      0.759, 1,
    ];
    const rates = falseDiscoveryRates(probabilities);
    expect(rates.filter((rate) => rate <= 0.05)).toHaveLength(4);
    expect(rates[0]).toBeCloseTo(0.0015, 10);
    expect(rates[14]).toBe(1);
    expect(falseDiscoveryRates([...probabilities].reverse())).toEqual([...rates].reverse());
  });

  it("lets a test of more weight count at a larger probability", () => {
    const rates = falseDiscoveryRates([0.02, 0.02, 0.9, 0.9], [3, 0.2, 0.4, 0.4]);
    expect(rates.map((rate) => rate <= 0.05)).toEqual([true, false, false, false]);
    expect(rates[0]).toBeCloseTo((0.02 / 3) * 4, 10);
    expect(rates[1]).toBeCloseTo((0.02 / 0.2) * (4 / 2), 10);
  });
});

describe("the power of a test", () => {
  it("asks for more runs for smaller changes and wider spreads", () => {
    const runs = runsFor(1, [1, 1], 0.05)!;
    // Cohen's tables: 17 runs a side for one standard deviation at 80 %.
    expect(runs).toBe(17);
    expect(runsFor(0.5, [1, 1], 0.05)).toBeGreaterThan(3 * runs);
    expect(runsFor(0.001, [1, 1], 0.05)).toBeUndefined();
    expect(leastChange({ error: Math.sqrt(2 / runs), freedom: 2 * runs - 2 }, 0.05)).toBeLessThanOrEqual(1);
  });
});

describe("testWeights", () => {
  const tested: Tested[] = [
    { kind: "self", isOwn: true, isOtherSource: false, share: 0.6 },
    { kind: "self", isOwn: true, isOtherSource: false, share: 0.1 },
    { kind: "self", isOwn: false, isOtherSource: false, share: 0.1 },
    { kind: "self", isOwn: false, isOtherSource: false, share: 0 },
    { kind: "total", isOwn: true, isOtherSource: false, share: 1 },
    { kind: "total", isOwn: false, isOtherSource: false, share: 0.5 },
  ];
  const mean = (weights: readonly number[]) =>
    weights.reduce((sum, weight) => sum + weight, 0) / weights.length;

  it("has a mean of 1, and more than half of all weight for what own code takes itself", () => {
    const weights = tested.map(testWeights(tested, { isOwnFirst: true }));
    expect(mean(weights)).toBeCloseTo(1, 12);
    expect(weights[0]! + weights[1]!).toBeCloseTo(0.6 * 6, 12);
  });

  it("gives half alike, and half by share", () => {
    const weightOf = testWeights(tested, { isOwnFirst: true });
    const [large, none] = [0.5 + (0.5 * 0.6) / 0.2, 0.5];
    expect(weightOf(tested[0]!)).toBeCloseTo((large * 3.6) / (large + 0.75), 12);
    expect(testWeights(tested)(tested[0]!)).toBeCloseTo(large, 12);
    expect(weightOf(tested[3]!)).toBeCloseTo((none * 2.4) / (6 - large - 0.75), 12);
  });

  it("gives a quarter at least to functions whose source is another one", () => {
    const changed = tested.map((one, i) => ({ ...one, isOtherSource: i === 1 || i === 4 }));
    const few = changed.map((one, i) => ({ ...one, isOtherSource: i === 1 }));
    for (const isOwnFirst of [true, false]) {
      const options = { isOwnFirst };
      expect(few.map(testWeights(few, options))[1]).toBeCloseTo(0.25 * 6, 12);
      expect(mean(few.map(testWeights(few, options)))).toBeCloseTo(1, 12);
      // These have more than that already.
      const usual = tested.map(testWeights(tested, options));
      for (const [i, weight] of changed.map(testWeights(changed, options)).entries())
        expect(weight).toBeCloseTo(usual[i]!, 12);
    }
  });

  it("gives all the same where no share is known, and where all or none is own code", () => {
    for (const isOwn of [true, false]) {
      const none: Tested[] = [{ kind: "self", isOwn, isOtherSource: false, share: 0 }];
      expect(testWeights(none, { isOwnFirst: true })(none[0]!)).toBe(1);
      const alike = tested.slice(0, 4).map((one) => ({ ...one, isOwn }));
      expect(mean(alike.map(testWeights(alike, { isOwnFirst: true })))).toBeCloseTo(1, 12);
    }
    expect(testWeights([])({ kind: "total", isOwn: false, isOtherSource: false, share: 0.1 })).toBe(1);
  });
});

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
