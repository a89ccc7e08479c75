import { describe, expect, it } from "vitest";
import { leftHeavyChart } from "../../src/flame-page/chart.ts";
import { frameFacts, spokenFacts } from "../../src/flame-page/frame-facts.ts";
import { type Graph, sandwichOf } from "../../src/flame-page/graph.ts";
import { idOf, modelOf, shownOf, timeChartOf, timedProfile } from "../helpers/flame.ts";

const model = modelOf(
  timedProfile(
    "js:main js:fib js:fib",
    "js:main js:fib js:fib",
    "js:other js:fib",
    "js:main",
    "js:main js:fib",
  ),
);
const shown = shownOf(model);
const { graph, sums } = shown;
const scale = { all: 5, sums, isCallers: false };
const amounts = (of: Graph, node: number, isCallers = false) =>
  frameFacts(model, leftHeavyChart(of), node, { ...scale, isCallers }).amounts.map(
    ({ name, text }) => `${name}: ${text}`,
  );
const FIB = ["Total: 4 ticks, 80.0 %", "Self: 4 ticks, 80.0 %"];

describe("the ticks of a frame", () => {
  it("are the function's, with those on its path where they differ", () => {
    expect(amounts(graph, 0)).toEqual(["Total: 5 ticks, 100.0 %", "Self: 0 ticks, 0 %"]);
    expect(amounts(graph, 1)).toEqual(["Total: 4 ticks, 80.0 %", "Self: 1 tick, 20.0 %"]);
    expect(amounts(graph, 2)).toEqual([...FIB, "On this path: 3 ticks, 60.0 %; self 1 tick, 20.0 %"]);
    expect(amounts(graph, 3)).toEqual([...FIB, "On this path: 2 ticks, 40.0 %; self 2 ticks, 40.0 %"]);
  });

  it("are those of a recursive function between its callers and callees", () => {
    const { callers, callees } = sandwichOf(graph, idOf(model, "fib"), model.functions.titles);
    expect(amounts(callers, 0, true)).toEqual(FIB);
    expect(amounts(callees, 0)).toEqual(FIB);
    expect(amounts(callees, 1)).toEqual([...FIB, "On this path: 2 ticks, 40.0 %; self 2 ticks, 40.0 %"]);
    // `main` ran itself for a tick that did not lead to `fib`.
    expect(amounts(callers, 1, true)).toEqual([
      "Total: 4 ticks, 80.0 %",
      "Self: 1 tick, 20.0 %",
      "On this path: 3 ticks, 60.0 %",
    ]);
  });

  it("are those of one span over time too", () => {
    const facts = frameFacts(model, timeChartOf(model), 1, { ...scale, times: model.times });
    const text = "2 ticks, 500 µs to 2.5 ms (2.0 ms)";
    expect(facts.amounts.at(-1)).toEqual({ name: "In this span", text });
    expect(spokenFacts(facts, 1)).toBe(
      `main, total 4 ticks, 80.0 %, self 1 tick, 20.0 %, in this span ${text}, TurboFan, depth 1`,
    );
  });

  it.each([
    ["sample", "4 samples, 80.0 %", "1 sample, 20.0 %"],
    ["µs", "4 µs, 80.0 %", "1 µs, 20.0 %"],
  ] as const)("are what the profile has: %s", (unit, ...texts) => {
    const data = { ...model.data, unit };
    const facts = frameFacts({ ...model, data }, leftHeavyChart(graph), 1, scale);
    expect(facts.amounts.map(({ text }) => text)).toEqual(texts);
  });
});
