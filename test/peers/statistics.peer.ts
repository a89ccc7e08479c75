import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { digamma, inverseTrigamma, trigamma, variancePrior } from "../../src/compare/measures.ts";
import {
  combinedTails,
  differenceOf,
  falseDiscoveryRates,
  permutationTails,
  sampleOf,
  studentQuantile,
  studentTails,
  varianceTail,
  welchTails,
} from "../../src/compare/statistics.ts";
import { createRandom } from "../helpers/random.ts";
import { pythonPeer } from "./peer.ts";

type Sides = readonly [number[], number[]];

const random = createRandom(17);

/** Shares of a run in percent, such as comparisons have. */
function shares(runs: number, mean: number, spread: number): number[] {
  return Array.from({ length: runs }, () => mean + (spread * (random(2001) - 1000)) / 1000);
}

/** Small counts, many of them alike. */
function counts(runs: number, limit: number): number[] {
  return Array.from({ length: runs }, () => random(limit));
}

function sidesOf(
  make: (runs: number, side: number) => number[],
  sizes: readonly [number, number][],
): Sides[] {
  return sizes.map(([before, after]): Sides => [make(before, 0), make(after, 1)]);
}

const FREEDOMS = [1, 1.5, 2, 3.37, 5, 9.99, 17.77, 30, 120, 1000];
const TIMES = Array.from({ length: 60 });

/** What is asked of SciPy. */
const ASKED = {
  tails: FREEDOMS.flatMap((freedom) => [0, 0.1, 1, 1.96, -2.5, 4, 12, 50].map((t) => [t, freedom] as const)),
  variances: FREEDOMS.flatMap((own) =>
    FREEDOMS.flatMap((other) => [0.1, 1, 3.3, 40].map((ratio) => [ratio, own, other] as const)),
  ),
  quantiles: FREEDOMS.flatMap((freedom) =>
    [0.01, 0.5, 0.8, 0.9, 0.975, 0.995, 0.9999].map((probability) => [probability, freedom] as const),
  ),
  welch: TIMES.map(
    (_, i): Sides => [shares(2 + random(10), 10, 0.1 + i / 20), shares(2 + random(10), 10 + (i % 5) / 2, 1)],
  ),
  permutation: [
    ...sidesOf(
      (runs, side) => counts(runs, 6 + 4 * side),
      [
        [2, 2],
        [3, 3],
        [2, 5],
        [6, 3],
        [5, 5],
        [6, 6],
        [8, 8],
      ],
    ),
    ...sidesOf(
      (runs, side) => shares(runs, 1 + side / 4, 0.5),
      [
        [3, 4],
        [6, 6],
        [4, 9],
        [9, 9],
        [8, 10],
      ],
    ),
  ],
  rates: TIMES.map((_, i) => Array.from({ length: 1 + i }, () => (1 + random(1000) ** 2) / 1_000_001)),
  weights: TIMES.map((_, i) => Array.from({ length: 1 + i }, () => 0.5 + random(100) / 10)),
  combined: TIMES.map((_, i) =>
    Array.from({ length: 1 + (i % 4) }, () => ((1 + random(1000)) / 1000) ** (1 + i / 4)),
  ),
  gamma: [0.1, 0.5, 1, 1.5, 2.5, 5, 9.99, 10, 25, 400],
  spreads: [
    [1, 10, 20],
    [2.5, 6, 12],
    [1, 10, 4],
  ] as const,
};

interface Answer {
  readonly tails: readonly number[];
  readonly variances: readonly number[];
  readonly quantiles: readonly number[];
  readonly welch: readonly { t: number; freedom: number; p: number; low: number; high: number }[];
  readonly permutation: readonly number[];
  readonly rates: readonly number[][];
  readonly weighted: readonly number[][];
  readonly combined: readonly number[];
  readonly digamma: readonly number[];
  readonly trigamma: readonly number[];
  readonly spreads: readonly number[][];
}

const python = pythonPeer("scipy==1.17.1");
const SCRIPT = fileURLToPath(new URL("statistics.py", import.meta.url));
const scipy: Answer = JSON.parse(
  execFileSync(python, [SCRIPT], { input: JSON.stringify(ASKED), maxBuffer: 1 << 28 }).toString(),
);

/** Expects two numbers to agree to a part of their size. */
function expectClose(own: number, theirs: number, part = 1e-8): void {
  expect(Math.abs(own - theirs), `${own} against ${theirs}`).toBeLessThanOrEqual(
    part * Math.abs(theirs) + 1e-12,
  );
}

describe("the statistics of ticks diff, against SciPy", () => {
  it("have Student's tails", () => {
    for (const [i, [t, freedom]] of ASKED.tails.entries())
      expectClose(studentTails(t, freedom), scipy.tails[i]!, 1e-6);
  });

  it("have the tails of variances", () => {
    for (const [i, [ratio, own, other]] of ASKED.variances.entries())
      expectClose(varianceTail(ratio, own, other), scipy.variances[i]!, 1e-6);
  });

  it("have Student's quantiles", () => {
    for (const [i, [probability, freedom]] of ASKED.quantiles.entries())
      expectClose(studentQuantile(probability, freedom), scipy.quantiles[i]!, 1e-6);
  });

  it("have Welch's test and its interval", () => {
    for (const [i, [before, after]] of ASKED.welch.entries()) {
      const difference = differenceOf(sampleOf(before), sampleOf(after));
      const { change, error, freedom } = difference;
      const theirs = scipy.welch[i]!;
      expectClose(change / error, theirs.t);
      expectClose(freedom, theirs.freedom);
      expectClose(welchTails(difference), theirs.p, 1e-6);
      // Quantiles take hundredths of a degree of freedom.
      const half = studentQuantile(0.975, freedom) * error;
      expectClose(change - half, theirs.low, 0.02 * (half / Math.abs(theirs.low)));
      expectClose(change + half, theirs.high, 0.02 * (half / Math.abs(theirs.high)));
    }
  });

  it("have the permutation test: exact up to 8 runs a side, within chance above", () => {
    for (const [i, [before, after]] of ASKED.permutation.entries()) {
      const theirs = scipy.permutation[i]!;
      const isExact = before.length + after.length <= 16;
      const chance = 4 * Math.sqrt((theirs * (1 - theirs)) / 4000) + 1 / 4000;
      expect(Math.abs(permutationTails(before, after) - theirs)).toBeLessThanOrEqual(
        isExact ? 1e-12 : chance,
      );
    }
  });

  it("have the Cauchy combination of tests", () => {
    for (const [i, probabilities] of ASKED.combined.entries())
      expectClose(
        combinedTails(probabilities.map((probability, test) => ({ probability, weight: test + 1 }))),
        scipy.combined[i]!,
        1e-6,
      );
  });

  it("have Benjamini and Hochberg's false discovery rates", () => {
    for (const [i, probabilities] of ASKED.rates.entries()) {
      const own = falseDiscoveryRates(probabilities);
      for (const [test, rate] of scipy.rates[i]!.entries()) expectClose(own[test]!, rate);
      const weighted = falseDiscoveryRates(probabilities, ASKED.weights[i]);
      for (const [test, rate] of scipy.weighted[i]!.entries()) expectClose(weighted[test]!, rate);
    }
  });

  it("have the digamma and trigamma functions, and the inverse of the latter", () => {
    for (const [i, x] of ASKED.gamma.entries()) {
      expectClose(digamma(x), scipy.digamma[i]!);
      expectClose(trigamma(x), scipy.trigamma[i]!);
      expectClose(inverseTrigamma(scipy.trigamma[i]!), x, 1e-6);
    }
  });

  it("find the prior that spreads were drawn from", () => {
    for (const [i, [ratio, own, prior]] of ASKED.spreads.entries()) {
      const found = variancePrior(scipy.spreads[i]!, own);
      expectClose(found.ratio, ratio, 0.1);
      expectClose(found.freedom, prior, 0.2);
    }
  });
});
