import { describe, expect, it } from "vitest";
import { GraphCache } from "../../src/flame-page/graph.ts";
import type { Model } from "../../src/flame-page/model.ts";
import { choiceOf, modelOf, timedProfile } from "../helpers/flame.ts";
import { sideModelOf } from "../helpers/side-page.ts";

const both = sideModelOf([[timedProfile("js:a", "js:b")], [timedProfile("js:a", "js:c")]]);
const settings = (model: Model, width: "before" | "after" | "both", cpp = true) => ({
  width,
  choice: choiceOf(model, {
    cpp,
    ...(model.sides && { threads: [width !== "after", width !== "before"] }),
  }),
});

describe("the graphs to show", () => {
  it("are one graph of a page with one side", () => {
    const model = modelOf(timedProfile("js:a", "js:b"));
    const { shown, whole } = new GraphCache(model).show(settings(model, "both"));
    expect(shown).toBe(whole);
    expect(shown.graph.total[0]).toBe(2);
  });

  it("are those of all the time, and of a part of it", () => {
    const model = modelOf(timedProfile("js:a", "js:b", "js:b"));
    const graphs = new GraphCache(model);
    const all = graphs.show(settings(model, "both"));
    const choice = choiceOf(model, { range: { from: 1400, to: 9000 } });
    const part = graphs.show({ width: "both", choice });
    expect([part.shown.graph.total[0], part.whole.graph.total[0]]).toEqual([2, 2]);
    expect(part.allTime).toBe(all.shown);
  });

  it("are that of both sides, made once, and that of the side which gives the widths", () => {
    const graphs = new GraphCache(both);
    const first = graphs.show(settings(both, "both"));
    expect(first.shown).toBe(first.whole);
    const before = graphs.show(settings(both, "before"));
    expect(before.whole).toBe(first.whole);
    expect([before.shown.graph.total[0], before.whole.graph.total[0]]).toEqual([1e8, 2e8]);
    expect(graphs.show(settings(both, "both")).shown).toBe(first.whole);
    expect(graphs.show(settings(both, "after", false)).whole).not.toBe(first.whole);
  });
});
