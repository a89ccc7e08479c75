import { describe, expect, it } from "vitest";
import { readQuery, search } from "../../src/flame-page/graph.ts";
import { idOf, shownOf } from "../helpers/flame.ts";
import { repeated, sideModelOf } from "../helpers/side-page.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const run = (counts: Readonly<Record<string, number>>) => profileFromStacks(...repeated(counts));
const model = sideModelOf([
  [run({ "js:a js:x cpp:leaf": 2, "js:a": 2, "js:b": 4 })],
  [run({ "js:a js:y cpp:leaf": 2, "js:a": 2, "js:b": 4 })],
]);

/** The self shares of functions before and after, in percent. */
function selfOf(changes: Parameters<typeof shownOf>[1], title: string) {
  return shownOf(model, changes).sideSums!.map(({ self }) => self[idOf(model, title)]! / 1e6);
}

describe("ticks of two sides", () => {
  it.each([
    [true, true],
    [true, false],
    [false, true],
  ])("of hidden frames go to the caller that has them, with widths %j %j", (before, after) => {
    const changes = { cpp: false, threads: [before, after] };
    expect(selfOf(changes, "a")).toEqual([25, 25]);
    expect(selfOf(changes, "b")).toEqual([50, 50]);
    expect(selfOf(changes, "x")).toEqual([before ? 25 : 0, 0]);
    expect(selfOf(changes, "y")).toEqual([0, after ? 25 : 0]);
  });

  it("of a search are those of both sides", () => {
    const { graph } = shownOf(model);
    expect(search(model, graph, readQuery("^(?:x|leaf|b)$")!)).toMatchObject({
      count: 3,
      sides: [7.5e7, 7.5e7],
    });
    expect(search(model, graph, readQuery("^y$")!).sides).toEqual([0, 2.5e7]);
  });
});
