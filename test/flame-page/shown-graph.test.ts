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
    expect(linesOf(model, graph).slice(0, 3)).toEqual(["all 0/6", "  main 0/2", "    work 0/2"]);
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

  it("has one frame a function in a stack where recursion is folded, with the ticks of all", () => {
    const recursive = modelOf(
      timedProfile(
        "js:main js:fib js:fib js:fib",
        "js:main js:fib js:fib js:leaf",
        "js:main js:walk js:visit js:walk js:visit js:leaf",
        "js:main js:walk js:visit js:other",
        "js:main js:walk",
      ),
    );
    expect(linesOf(recursive, shownOf(recursive, { folded: true }).graph)).toEqual([
      "all 0/5",
      "  main 0/5",
      "    walk 1/3",
      "      visit 0/2",
      "        leaf 1/1",
      "        other 1/1",
      "    fib 1/2",
      "      leaf 1/1",
    ]);
    const crossed = modelOf(timedProfile("js:a js:b js:a js:c", "js:a js:b js:d"));
    const { graph } = shownOf(crossed, { folded: true });
    expect(linesOf(crossed, graph)).toEqual(["all 0/2", "  a 0/2", "    b 0/1", "      d 1/1", "    c 1/1"]);
    for (let node = 0; node < graph.length; node++) {
      expect(graph.kindTicks.reduce((sum, ticks) => sum + ticks[node]!, 0)).toBe(graph.total[node]);
    }
  });

  it("counts only the ticks in a part of the time", () => {
    const timed = modelOf(timedProfile("js:a", "js:a", "js:b", "js:a"));
    const lines = (from: number, to: number) => linesOf(timed, shownOf(timed, { range: { from, to } }).graph);
    // The first tick is at 500.
    expect(lines(0, 1e9)).toEqual(["all 0/4", "  a 3/3", "  b 1/1"]);
    expect(lines(500, 1500)).toEqual(["all 0/1", "  a 1/1"]);
    expect(lines(1500, 2501)).toEqual(["all 0/2", "  a 1/1", "  b 1/1"]);
    expect(lines(501, 1500)).toEqual(["all 0/0"]);
  });
});
