import { describe, expect, it } from "vitest";
import { FRAME_KINDS } from "../../src/flame-page/page-data.ts";
import { linesOf, modelOf, shownOf, timedProfile } from "../helpers/flame.ts";

const model = modelOf(
  timedProfile(
    "js:~main·a.js:1:1@3 js:work·a.js:9:1@10 inlined:add·a.js:20:1@21",
    "js:~main·a.js:1:1@4 js:work·a.js:9:1@11 builtin:ArrayMap js:add·a.js:20:1@21 cpp:memcpy",
    "js:main·a.js:1:1@4 js:work·a.js:9:1@12",
    "js:main·a.js:1:1@4 js:+work·a.js:9:1@12",
    "cpp:epoll_wait",
    "gc:cpp:Scavenge",
  ),
);

describe("the graph that is shown", () => {
  it("has one frame a function at each place, whatever its line and tier, heaviest first", () => {
    expect(linesOf(model, shownOf(model).graph)).toEqual([
      "all 0/6",
      "  main 0/4",
      "    work 2/4",
      "      Builtin: ArrayMap 0/1",
      "        add 0/1",
      "          memcpy 1/1",
      "      add 1/1",
      "  (garbage collection) 0/1",
      "    Scavenge 1/1",
      "  epoll_wait 1/1",
    ]);
  });

  it("has one a tier where asked, and says which kind most ticks have", () => {
    const { graph } = shownOf(model, { tiers: true });
    expect(linesOf(model, graph).slice(0, 3)).toEqual(["all 0/6", "  main 0/2", "    work 1/1"]);
    const kinds = Array.from(graph.kind, (kind) => FRAME_KINDS[kind]);
    expect(kinds.filter((kind) => kind === "maglev")).toHaveLength(1);
    const merged = shownOf(model).graph;
    expect(FRAME_KINDS[merged.kind[2]!]).toBe("turbofan");
    expect(FRAME_KINDS[merged.kind[8]!]).toBe("gc");
    expect([merged.inlined[6], merged.inlined[4]]).toEqual([1, 0]);
  });

  it("marks a frame if most of its ticks are inferred", () => {
    const stacks = [
      "js:f",
      "js:f inferred:g builtin:Add",
      "js:f inferred:g builtin:Add",
      "js:f js:g",
      "js:g",
    ];
    const { graph } = shownOf(modelOf(timedProfile(...stacks)));
    const marked = Array.from(graph.inferred.keys()).filter((node) => graph.inferred[node] === 1);
    expect(marked.map((node) => [graph.total[node], graph.inferredTicks[node]])).toEqual([[3, 2]]);
  });

  it("gives the ticks of what is hidden to its caller", () => {
    expect(linesOf(model, shownOf(model, { cpp: false }).graph)).toEqual([
      "all 1/6",
      "  main 0/4",
      "    work 2/4",
      "      Builtin: ArrayMap 0/1",
      "        add 1/1",
      "      add 1/1",
      "  (garbage collection) 1/1",
    ]);
    expect(linesOf(model, shownOf(model, { builtins: false }).graph).slice(2, 6)).toEqual([
      "    work 2/4",
      "      add 1/2",
      "        memcpy 1/1",
      "  (garbage collection) 0/1",
    ]);
    expect(linesOf(model, shownOf(model, { inlined: false }).graph).slice(2, 4)).toEqual([
      "    work 3/4",
      "      Builtin: ArrayMap 0/1",
    ]);
  });

  it("stands side by side without gaps and overlaps", () => {
    const { start } = shownOf(model).graph;
    expect(Array.from(start)).toEqual([0, 0, 0, 0, 0, 0, 1, 4, 4, 5]);
  });

  it("counts only the threads that are chosen", () => {
    expect(linesOf(model, shownOf(model, { threads: [false] }).graph)).toEqual(["all 0/0"]);
  });
});
