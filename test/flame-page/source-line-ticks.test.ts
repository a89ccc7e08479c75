import { describe, expect, it } from "vitest";
import { lineTicks } from "../../src/flame-page/source-line-ticks.ts";
import { modelOf, shownOf, timedProfile } from "../helpers/flame.ts";

const model = modelOf(
  timedProfile(
    "js:main·a.js:1:1@2 js:f·a.js:5:1@6 cpp:leaf",
    "js:main·a.js:1:1@2 js:f·a.js:5:1@7 js:f·a.js:5:1@7",
    "js:main·a.js:1:1@3 js:g·b.js:1:1@9",
    "js:main·a.js:1:1@2 inlined:h·a.js:30:1@31",
  ),
);
const ticks = (changes = {}) => {
  const lines = lineTicks(model, shownOf(model, changes), model.data.files.indexOf("a.js"));
  return Object.fromEntries(Array.from(lines, ([line, { self, total }]) => [line, [self, total]]));
};

describe("the ticks of lines", () => {
  it("are of the line that runs, and of those that called it; of a line once a stack", () => {
    expect(ticks()).toEqual({ 2: [0, 3], 3: [0, 1], 6: [0, 1], 7: [1, 1], 31: [1, 1] });
  });

  it("go to the line of the caller where a frame is not shown", () => {
    expect(ticks({ cpp: false })).toMatchObject({ 6: [1, 1] });
    expect(ticks({ inlined: false })).toEqual({ 2: [1, 3], 3: [0, 1], 6: [0, 1], 7: [1, 1] });
  });
});
