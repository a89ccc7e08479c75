import { describe, expect, it } from "vitest";
import {
  boxAt,
  type Chart,
  follow,
  leftHeavyChart,
  neighbour,
  nextMatch,
  pathOf,
  wayTo,
} from "../../src/flame-page/chart.ts";
import { modelOf, shownOf, timeChartOf, timedProfile } from "../helpers/flame.ts";

const model = modelOf(
  timedProfile("js:a js:b", "js:a js:c", "js:a js:c", "js:d", "js:a js:c", "js:a js:b", "js:a js:c js:e"),
);
const shown = shownOf(model);
const titles = (chart: Chart, boxes: Iterable<number>) =>
  Array.from(boxes, (box) => model.functions.titles[shown.graph.function[chart.node[box]!]!] ?? "all");

describe("the left-heavy chart", () => {
  const chart = leftHeavyChart(shown.graph);

  it("has rows of boxes from left to right", () => {
    expect(chart.rows.map((row) => titles(chart, row))).toEqual([["all"], ["a", "d"], ["c", "b"], ["e"]]);
    expect(Array.from(chart.span)).toEqual([7, 6, 4, 1, 2, 1]);
  });

  it("finds the box at a place", () => {
    const boxes = [boxAt(chart, 1, 5.9), boxAt(chart, 1, 6), boxAt(chart, 2, 3.99)];
    expect(titles(chart, boxes)).toEqual(["a", "d", "c"]);
    expect([boxAt(chart, 2, 6.5), boxAt(chart, 9, 1), boxAt(chart, 1, 7)]).toEqual([-1, -1, -1]);
  });

  it("leads from match to match, around the ends", () => {
    const functions = Uint8Array.from(model.functions.titles, (title) =>
      title === "b" || title === "d" ? 1 : 0,
    );
    const matches = { functions, kinds: undefined };
    const from = (box: number, isForward: boolean) => nextMatch(chart, matches, box, isForward);
    const [d, b] = [boxAt(chart, 1, 6), boxAt(chart, 2, 5)];
    expect(titles(chart, [from(-1, true), from(b, true), from(d, true)])).toEqual(["b", "d", "b"]);
    expect(titles(chart, [from(-1, false), from(d, false), from(b, false)])).toEqual(["d", "b", "d"]);
    expect(nextMatch(chart, { ...matches, functions: new Uint8Array(9) }, -1, true)).toBe(-1);
  });

  it("leads from box to box", () => {
    const c = boxAt(chart, 2, 0);
    expect(titles(chart, pathOf(chart, c))).toEqual(["all", "a", "c"]);
    const steps = (["caller", "callee", "left", "right"] as const).map((way) => neighbour(chart, c, way));
    expect(titles(chart, steps)).toEqual(["a", "e", "c", "b"]);
    expect(neighbour(chart, 0, "caller")).toBe(0);
  });

  it("finds the way of another chart, as far as it goes", () => {
    const time = timeChartOf(model);
    const e = time.rows.at(-1)![0]!;
    expect(titles(chart, [follow(chart, wayTo(time, e))])).toEqual(["e"]);
    expect(follow(chart, { thread: 7, functions: [12345], at: -1 })).toBe(0);
    // Back to the box at the same time.
    expect(Array.from(time.rows[3]!, (box) => follow(time, wayTo(time, box)))).toEqual(
      Array.from(time.rows[3]!),
    );
    expect(titles(time, [follow(time, wayTo(chart, boxAt(chart, 2, 5)))])).toEqual(["b"]);
  });
});

describe("the chart over time", () => {
  const chart = timeChartOf(model);

  it("has the stacks as they came, below what the thread did; what lasts is one box", () => {
    expect(chart.rows.map((row) => titles(chart, row))).toEqual([
      [],
      ["all"],
      ["a", "d", "a"],
      ["b", "c", "c", "b", "c"],
      ["e"],
    ]);
    const widths = chart.rows.map((row) => Array.from(row, (box) => chart.span[box]! / 1000));
    expect(widths).toEqual([[], [7], [3, 1, 3], [1, 2, 1, 1, 1], [1]]);
  });

  it("goes to the heaviest callee, and is empty without ticks", () => {
    const a = chart.rows[2]![0]!;
    expect(titles(chart, [neighbour(chart, a, "callee")])).toEqual(["c"]);
    const none = timeChartOf(model, shownOf(model, { threads: [false] }), [false]);
    expect([none.length, none.span[0]]).toEqual([1, 0]);
  });
});
