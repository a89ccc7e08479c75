import { expect, it } from "vitest";
import { initialBudgets } from "../../../src/cli/commands/check/init.ts";
import type { RunSummary } from "../../../src/compare/run-summary.ts";
import { runRow } from "../../helpers/run-row.mjs";

/** A run of 1,000 ticks of which a function takes so many. */
function run(ticks: number): RunSummary {
  const rows = [
    { ...runRow("app.js hot", ticks), origin: "app" as const },
    { ...runRow("(rest)", 1000 - ticks), origin: "v8" as const },
  ];
  return { title: "run", logs: [], v8: [], ticks: 1000, samples: 1000, interval: 1000, rows };
}

it("writes limits above the interval of runs that differ much", () => {
  const functions = [run(100), run(200), run(300)];
  const runs = { functions, files: [], packages: [], categories: [] };
  const { budgets } = JSON.parse(initialBudgets(runs, "schema")!);
  // 20 % with a standard error of 5.8 points: 4.3 of these with two degrees of freedom.
  expect(budgets).toEqual([{ select: { function: "app.js hot" }, metric: "total", max: 45 }]);
});
