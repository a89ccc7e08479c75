import { describe, expect, it } from "vitest";
import { neighbour } from "../../src/flame-page/chart.ts";
import { ticksInRange } from "../../src/flame-page/thread-times.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { modelOf, shownOf, timeChartOf, timedProfile } from "../helpers/flame.ts";
import { createRandom } from "../helpers/random.ts";

/** A profile with ticks at other times, in milliseconds. */
function at(times: readonly number[], ...stacks: readonly string[]): Profile {
  const profile = timedProfile(...stacks);
  const timestamp = Float64Array.from(times, (time) => time * 1000);
  return { ...profile, timeline: { ...profile.timeline!, timestamp } };
}

/** A chart as lines: the boxes of each row with frames, `start+span title`, in milliseconds. */
function linesOf(profile: Profile): string[] {
  const model = modelOf(profile);
  const chart = timeChartOf(model);
  return chart.rows
    .map((boxes) =>
      Array.from(boxes, (box) => {
        const title = model.functions.titles[chart.graph.function[chart.node[box]!]!] ?? "all";
        const parent = chart.parent[box]!;
        if (parent > 0) expect(chart.depth[parent]).toBe(chart.depth[box]! - 1);
        return `${chart.start[box]! / 1000}+${chart.span[box]! / 1000} ${title}`;
      }).join(", "),
    )
    .filter((line) => line !== "");
}

describe("a chart over time", () => {
  it("has one box for what stays from stack to stack", () => {
    expect(linesOf(timedProfile("js:a js:b", "js:a js:c", "js:a", "js:b js:b", "js:a js:b"))).toEqual([
      "0+5 all",
      "0+3 a, 3+1 b, 4+1 a",
      "0+1 b, 1+1 c, 3+1 b, 4+1 b",
    ]);
  });

  it("has nothing where the thread did nothing, however alike it is before and after", () => {
    const stacks = ["js:a", "js:a js:b", "js:a js:b", "js:a"];
    expect(linesOf(at([10, 11, 500, 501], ...stacks))).toEqual([
      "0+492 all",
      "0+2 a, 490+2 a",
      "1+1 b, 490+1 b",
    ]);
  });

  it("has a track a thread under one axis", () => {
    const two = mergeProfiles([at([0, 1], "js:a", "js:a"), at([5, 6], "js:b", "js:c")]);
    expect(linesOf(two)).toEqual(["0+7 all", "0+2 all", "0+2 a", "5+2 all", "5+1 b, 6+1 c"]);
    const chart = timeChartOf(modelOf(two));
    const [first, second] = chart.tracks!.map(({ box }) => box);
    expect(neighbour(chart, 0, "callee")).toBe(first);
    expect(neighbour(chart, first!, "right")).toBe(second);
    expect(neighbour(chart, second!, "left")).toBe(first);
    expect(neighbour(chart, second!, "caller")).toBe(0);
  });

  it("has at each depth the time of ticks that go so deep", () => {
    const random = createRandom(3);
    const stacks = Array.from({ length: 200 }, () =>
      Array.from({ length: 1 + random(6) }, () => `js:f${random(3)}`).join(" "),
    );
    for (const [depth, line] of linesOf(timedProfile(...stacks)).entries()) {
      const time = line.split(", ").reduce((sum, box) => sum + Number(/\+(\d+)/.exec(box)![1]), 0);
      expect(time).toBe(stacks.filter((stack) => stack.split(" ").length >= depth).length);
    }
  });
});

describe("the ticks of a part of the time", () => {
  it("are each in one part, however rows are cut", () => {
    const random = createRandom(5);
    const stacks = Array.from({ length: 300 }, () => (random(4) === 0 ? "js:b" : "js:a"));
    const times = stacks.map((_, i) => i + Math.floor(i / 50) * 200 - (i % 7 === 0 ? 0.9 : 0));
    for (const limits of [{}, { rows: 40 }]) {
      const { times: found } = modelOf(at(times, ...stacks), limits);
      const [thread] = found!.threads;
      const all = { from: found!.from, to: found!.to };
      expect(ticksInRange(thread!, all)).toBe(300);
      for (let cut = all.from; cut < all.to; cut += 7777) {
        const before = ticksInRange(thread!, { from: all.from, to: cut });
        expect(before + ticksInRange(thread!, { from: cut, to: all.to })).toBe(300);
      }
    }
  });

  it("are those of its graph", () => {
    const model = modelOf(at([0, 1, 2, 3], "js:a js:b", "js:a", "js:a", "js:a js:b"));
    const { graph } = shownOf(model, { range: { from: 1000, to: 4000 } });
    expect([graph.total[0], graph.self[0]]).toEqual([3, 0]);
  });
});
