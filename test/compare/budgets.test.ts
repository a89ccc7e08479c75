import { describe, expect, it } from "vitest";
import { type Budget, checkBudgets, type Metric, unknownSelectors } from "../../src/compare/budgets.ts";
import type { SelectedRun } from "../../src/compare/selections.ts";
import { createRandom } from "../helpers/random.ts";

const random = createRandom(3);

/** A run of 2,000 ticks of which the selection has so many in a thousand. */
function run(
  perMille: number,
  rest: { readonly isFound?: boolean; readonly deopts?: number } = {},
): SelectedRun {
  let self = 0;
  for (let i = 0; i < 2000; i++) if (random(1 << 20) < (perMille / 1000) * (1 << 20)) self++;
  const selection = { isFound: true, self, total: self, selfEffect: 1, totalEffect: 1, deopts: 0 };
  const place = { file: undefined, line: undefined };
  return { title: "run", ticks: 2000, selections: [{ ...selection, ...place, ...rest }], names: [] };
}

const runs = (count: number, perMille: number) => Array.from({ length: count }, () => run(perMille));

/** A number of the normal distribution, by the sum of twelve others. */
function normal(): number {
  return Array.from({ length: 12 }, () => random(1 << 20) / (1 << 20)).reduce((sum, one) => sum + one, -6);
}

function budget(metric: Metric, max: number): Budget {
  return { title: "f", selector: { kind: "function", name: "f" }, metric, max, level: "error" };
}

function verdictOf(
  metric: Metric,
  max: number,
  list: readonly SelectedRun[],
  baseline: readonly SelectedRun[] = [],
) {
  return checkBudgets([budget(metric, max)], { runs: list, baseline })[0]!;
}

describe("checkBudgets", () => {
  it("calls a value above or below its limit, or too close to tell", () => {
    expect(verdictOf("self", 15, runs(6, 100)).verdict).toBe("holds");
    expect(verdictOf("self", 5, runs(6, 100)).verdict).toBe("broken");
    expect(verdictOf("self", 10, runs(6, 100)).verdict).toBe("inconclusive");
    expect(verdictOf("total", 10, [run(100)]).verdict).toBe("inconclusive");
  });

  it("limits the longest turn by what is sure, and keeps it by what it is at most", () => {
    const turn = (least: number, length: number, most: number): SelectedRun => ({
      ...run(100),
      longestTurn: { least, length, most, file: "/srv/app.js", line: 7 },
    });
    const verdict = (...list: readonly SelectedRun[]) => verdictOf("longestTurn", 50, list).verdict;
    expect(verdictOf("longestTurn", 50, [turn(78, 80, 82)])).toMatchObject({
      ...{ verdict: "broken", value: 80, low: 78, high: 82, file: "/srv/app.js", line: 7 },
    });
    expect(verdict(turn(40, 42, 44))).toBe("holds");
    expect(verdict(turn(0, 80, 82))).toBe("inconclusive");
    expect(verdict(run(100))).toBe("inconclusive");
    expect(verdict(turn(78, 80, 82), turn(79, 81, 83), turn(80, 82, 84))).toBe("broken");
    expect(verdict(turn(78, 80, 82), turn(20, 21, 22), turn(80, 82, 84))).toBe("inconclusive");
  });

  it("narrows the interval with more runs", () => {
    const width = (count: number) => {
      const { low, high } = verdictOf("self", 50, runs(count, 100));
      return high - low;
    };
    expect(width(12)).toBeLessThan(width(3));
    expect(width(12)).toBeLessThan(width(1));
  });

  it("fails at most once in 100 checks of runs of the same program", () => {
    let failures = 0;
    for (let i = 0; i < 100; i++) {
      const [before, after] = [runs(6, 100), runs(6, 100)];
      if (verdictOf("growth", 10, after, before).verdict === "broken") failures++;
      if (verdictOf("self", 12, after).verdict === "broken") failures++;
    }
    expect(failures).toBeLessThanOrEqual(1);
  });

  it("fails at most once in 100 checks of many budgets that are at their limits", () => {
    const many = Array.from({ length: 8 }, (_, i) => budget(i < 4 ? "growth" : "self", i < 4 ? 0 : 10));
    const side = () =>
      runs(6, 100).map((one) => ({
        ...one,
        selections: many.map(() => run(100).selections[0]!),
      }));
    let failures = 0;
    for (let i = 0; i < 100; i++) {
      const results = checkBudgets(many, { runs: side(), baseline: side() });
      if (results.some(({ verdict }) => verdict === "broken")) failures++;
    }
    expect(failures).toBeLessThanOrEqual(1);
  });

  it("fails at most once in 100 checks of one run whose shares differ by a tenth from run to run", () => {
    const once = () => [run(100 * (1 + 0.1 * normal()))];
    let failures = 0;
    for (let i = 0; i < 100; i++) {
      if (verdictOf("self", 10, once()).verdict === "broken") failures++;
      if (verdictOf("growth", 0, once(), once()).verdict === "broken") failures++;
    }
    expect(failures).toBeLessThanOrEqual(1);
    expect(verdictOf("self", 7, [run(100)]).verdict).toBe("broken");
    expect(verdictOf("growth", 0, [run(200)], [run(100)]).verdict).toBe("broken");
  });

  it("measures growth in percent of the baseline", () => {
    const { value, low, high, verdict, baseline } = verdictOf("growth", 20, runs(6, 150), runs(6, 100));
    expect(value).toBeGreaterThan(35);
    expect(value).toBeLessThan(65);
    expect(low).toBeLessThan(value);
    expect(high).toBeGreaterThan(value);
    expect(verdict).toBe("broken");
    expect(baseline).toBeCloseTo(10, 0);
    expect(verdictOf("growth", 20, runs(3, 100), runs(3, 0)).value).toBe(Number.POSITIVE_INFINITY);
    expect(verdictOf("growth", 20, runs(3, 0), runs(3, 0)).value).toBe(0);
  });

  it("counts deoptimizations and ticks for units of work", () => {
    const deopts = [run(100, { deopts: 2 }), run(100, { deopts: 4 }), run(100, { deopts: 3 })];
    expect(verdictOf("deopts", 0, deopts)).toMatchObject({ value: 3, verdict: "broken" });
    expect(verdictOf("deopts", 0, runs(2, 100))).toMatchObject({ value: 0, verdict: "holds" });
    const checked = { runs: runs(4, 100), baseline: [], units: 100 };
    expect(checkBudgets([budget("ticks", 1)], checked)[0]!.value).toBeCloseTo(2, 0);
  });

  it("does not take a run without ticks of the code for proof that it has none", () => {
    const { low, high } = verdictOf("self", 1, [run(0)]);
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(0.05);
  });

  it("tells which budgets select nothing", () => {
    const none = run(0, { isFound: false });
    const budgets = [budget("self", 1)];
    expect(unknownSelectors(budgets, [none])).toEqual(budgets);
    expect(unknownSelectors(budgets, [none, run(0)])).toEqual([]);
  });

  it("takes no share to be above 100 %", () => {
    expect(verdictOf("total", 96, [run(950)])).toMatchObject({ verdict: "inconclusive", high: 100 });
    expect(verdictOf("total", 100, [run(950)]).verdict).toBe("holds");
  });
});
