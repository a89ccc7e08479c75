import { describe, expect, it } from "vitest";
import { timeChart } from "../../src/flame-page/time-chart.ts";
import { modelOf, shownOf, timedProfile } from "../helpers/flame.ts";
import { createRandom } from "../helpers/random.ts";

/** A chart as lines: the box of each depth, `start+ticks title`. */
function linesOf(...stacks: readonly string[]): string[] {
  const model = modelOf(timedProfile(...stacks), { slices: stacks.length });
  const { chart } = timeChart(
    model,
    shownOf(model),
    model.data.threads.map(() => true),
  );
  return chart.rows.map((boxes) =>
    Array.from(boxes, (box) => {
      const title = model.functions.titles[chart.graph.function[chart.node[box]!]!] ?? "all";
      const parent = chart.parent[box]!;
      expect(parent < 0 ? -1 : chart.depth[parent]).toBe(chart.depth[box]! - 1);
      return `${chart.start[box]}+${chart.ticks[box]} ${title}`;
    }).join(", "),
  );
}

describe("a chart over time", () => {
  it("has one box for what stays from stack to stack", () => {
    expect(linesOf("js:a js:b", "js:a js:c", "js:a", "js:b js:b", "js:a js:b")).toEqual([
      "0+5 all",
      "0+3 a, 3+1 b, 4+1 a",
      "0+1 b, 1+1 c, 3+1 b, 4+1 b",
    ]);
  });

  it("has at each depth the ticks that go so deep", () => {
    const random = createRandom(3);
    const stacks = Array.from({ length: 200 }, () =>
      Array.from({ length: 1 + random(6) }, () => `js:f${random(3)}`).join(" "),
    );
    for (const [depth, line] of linesOf(...stacks).entries()) {
      const ticks = line.split(", ").reduce((sum, box) => sum + Number(/\+(\d+)/.exec(box)![1]), 0);
      expect(ticks).toBe(stacks.filter((stack) => stack.split(" ").length >= depth).length);
    }
  });
});
