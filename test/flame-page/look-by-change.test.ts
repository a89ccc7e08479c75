import { describe, expect, it } from "vitest";
import { lookByChange, packColor, paletteOf } from "../../src/flame-page/colors.ts";
import { sandwichOf } from "../../src/flame-page/graph.ts";
import { type Measure, type Model, SIGNS } from "../../src/flame-page/model.ts";
import { idOf, shownOf } from "../helpers/flame.ts";
import { type Runs, repeated, sideModelOf } from "../helpers/side-page.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const palette = paletteOf("light");
const five = (counts: Readonly<Record<string, number>>) =>
  Array.from({ length: 5 }, () => profileFromStacks(...repeated(counts)));

/** `hot` grew under `a` and shrank under `b`; `cool` shrank; `little` grew by less than a point. */
const RUNS: Runs = [
  five({ "js:a js:hot": 1000, "js:b js:hot": 300, "js:cool": 1000, "js:little": 100, "js:c js:rest": 7600 }),
  five({ "js:a js:hot": 1800, "js:b js:hot": 200, "js:cool": 230, "js:little": 170, "js:c js:rest": 7600 }),
];

/** The frames with their signs and colours. */
function framesOf(model: Model, measure: Measure, threads = [true, true]) {
  const shown = shownOf(model, { threads });
  const look = lookByChange(model.sides!, shown, { palette, measure });
  const { plain, signs } = look.fillsOf(shown.graph);
  const colors = new Map(
    [...palette.slower, ...palette.faster, palette.same].map((color, i) => [packColor(color), i]),
  );
  const frames = Array.from(shown.graph.function.subarray(1), (id, i) => {
    const caller = model.functions.titles[shown.graph.function[shown.graph.parent[i + 1]!]!];
    const title = model.functions.titles[id]!;
    const color = ["red 1", "red 2", "red 3", "blue 1", "blue 2", "blue 3", "grey"][
      colors.get(plain[i + 1]!)!
    ];
    return `${caller ?? ""}>${SIGNS[signs![i + 1]!]}${title} ${color}`;
  });
  return { frames, legend: look.legend, shown };
}

describe("colours by change", () => {
  const model = sideModelOf(RUNS);

  it("are red and blue where runs tell, and where the frame changed that way; grey else", () => {
    expect(framesOf(model, "self").frames.sort()).toEqual(
      [
        ">a grey",
        ">b grey",
        ">c grey",
        ">▼cool blue 3",
        ">▲little red 1",
        "a>▲hot red 3",
        "b>hot grey",
        "c>rest grey",
      ].sort(),
    );
  });

  it("are of self or of total", () => {
    const { frames } = framesOf(model, "total");
    expect(frames).toContain(">▲a red 3");
    expect(frames).toContain("c>rest grey");
    expect(frames).toContain(">c grey");
  });

  it("are the same whichever side gives the widths", () => {
    for (const threads of [
      [true, false],
      [false, true],
    ])
      expect(framesOf(model, "self", threads).frames).toEqual(framesOf(model, "self").frames);
  });

  it("have a legend of the colours that are there, with all ticks", () => {
    const { legend, shown } = framesOf(model, "self");
    expect(legend.map(({ title }) => title)).toEqual([
      "▲ slower or + new by less than 1 point",
      "▲ slower or + new by 5 points or more",
      "▼ faster or − gone by 5 points or more",
      "may be chance",
    ]);
    expect(legend.reduce((sum, { ticks }) => sum + ticks, 0)).toBe(shown.graph.total[0]);
  });

  it("say more and less of memory", () => {
    const sides = model.sides!;
    const data = { ...sides.data, perRun: { amount: 1_000_000, unit: "bytes" } as const };
    const { legend } = framesOf({ ...model, sides: { ...sides, data } }, "self");
    expect(legend.map(({ title }) => title)).toEqual([
      "▲ more or + new by less than 1 % of a run",
      "▲ more or + new by 5 % of a run or more",
      "▼ less or − gone by 5 % of a run or more",
      "may be chance",
    ]);
  });

  it("are weak, and no verdict, with one run a side", () => {
    const single = sideModelOf([RUNS[0].slice(0, 1), RUNS[1].slice(0, 1)]);
    const { frames, legend } = framesOf(single, "self");
    expect(frames).toContain("a>▲hot red 1");
    expect(frames).toContain(">▼cool blue 1");
    expect(frames).toContain("c>rest grey");
    expect(legend.map(({ title }) => title)).toEqual([
      "▲ more or + new (no verdict)",
      "▼ less or − gone (no verdict)",
      "may be chance",
    ]);
  });

  it("are of calls where callers are shown", () => {
    const shown = shownOf(model);
    const { callers } = sandwichOf(shown.graph, idOf(model, "hot"), model.functions.titles);
    const { total, self } = callers.sides!;
    expect(self).toEqual(total);
    const [a, b] = ["a", "b"].map((title) => callers.function.indexOf(idOf(model, title)));
    expect([total[0][a!], total[1][a!]]).toEqual([1e7, 1.8e7]);
    expect([total[0][b!], total[1][b!]]).toEqual([3e6, 2e6]);
  });
});
