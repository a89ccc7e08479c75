import { describe, expect, it } from "vitest";
import { functionSums, isQuick, readQuery, sandwichOf, search } from "../../src/flame-page/graph.ts";
import { idOf, linesOf, modelOf, shownOf, timedProfile } from "../helpers/flame.ts";

const model = modelOf(
  timedProfile(
    "js:main js:a·x.js:7:1 js:f cpp:leaf",
    "js:main js:b js:f js:f cpp:leaf",
    "js:main js:b js:f",
    "js:main js:a·x.js:7:1",
  ),
);
const { graph } = shownOf(model);

describe("callers and callees", () => {
  const { callers, callees } = sandwichOf(graph, idOf(model, "f"), model.functions.titles);

  it("has the callers inside out, each with the ticks of the calls that it led to", () => {
    expect(linesOf(model, callers)).toEqual(["f 0/3", "  b 0/2", "    main 2/2", "  a 0/1", "    main 1/1"]);
  });

  it("has the callees; a recursive call counts under the first one", () => {
    expect(linesOf(model, callees)).toEqual(["f 1/3", "  f 0/1", "    leaf 1/1", "  leaf 1/1"]);
  });
});

describe("the sums of functions", () => {
  it("count a recursive function once a stack", () => {
    const sums = functionSums(graph, model.functions.length);
    const of = (title: string) => `${sums.self[idOf(model, title)]}/${sums.total[idOf(model, title)]}`;
    expect(["main", "f", "leaf", "a"].map(of)).toEqual(["0/4", "1/3", "2/2", "1/2"]);
    expect(sums.self.reduce((a, b) => a + b)).toBe(4);
  });
});

describe("a search", () => {
  const found = (text: string) => search(model, graph, readQuery(text)!);

  it("counts each tick once, and functions", () => {
    expect(found("^(f|leaf)$")).toMatchObject({ ticks: 3, count: 2 });
    expect(found("MAIN|f")).toMatchObject({ ticks: 4, count: 3 });
    expect(found("nothing")).toMatchObject({ ticks: 0, count: 0 });
  });

  it("looks at places too", () => {
    expect(found("x\\.js:7$")).toMatchObject({ ticks: 2, count: 1 });
  });

  it("looks for files, packages and tiers", () => {
    const other = modelOf(
      timedProfile(
        "js:~run·/srv/app.js:1:1",
        "js:run·/srv/app.js:1:1",
        "js:parse·/srv/node_modules/fast-json/index.js:3:1 cpp:memcpy",
      ),
    );
    const { graph: all } = shownOf(other);
    const tiers = shownOf(other, { tiers: true }).graph;
    const of = (text: string, at = all) => {
      const { ticks, count } = search(other, at, readQuery(text)!);
      return [ticks, count];
    };
    expect(of("file:index")).toEqual([1, 1]);
    expect(of("package:^fast-json$ parse")).toEqual([1, 1]);
    expect(of("package:fast-json nothing")).toEqual([0, 0]);
    expect(of("file:app tier:ignition", tiers)).toEqual([1, 1]);
    expect(of("tier:c\\+\\+")).toEqual([1, 1]);
    expect(readQuery("file:")).toBeUndefined();
    expect(() => readQuery("file:(")).toThrow(SyntaxError);
  });

  it("is none for blanks, and says when it is no pattern", () => {
    expect(readQuery("  ")).toBeUndefined();
    expect(() => readQuery("(")).toThrow(SyntaxError);
  });
});

describe("a search of a link", () => {
  it.each([
    "parse",
    "^(?:x|leaf|b)$",
    "parse.*json",
    "package:^c\\+\\+$",
    "a|b|c|d|e|f|g",
    "[^a]+",
    "file:\\.m?js$",
  ])("%s is quick", (typed) => {
    expect(isQuick(typed)).toBe(true);
  });

  it.each([
    `${"a?".repeat(60)}${"a".repeat(60)}`,
    `(${"a?".repeat(60)})b`,
    "(a+)+$",
    "(a|a)*b",
    `${"(a|a)".repeat(40)}b`,
    "a*a*a*b",
    "(a{9}){9}",
    "file:(x+x+)+y",
    "x".repeat(1001),
  ])("%s waits for the reader", (typed) => {
    expect(isQuick(typed)).toBe(false);
  });
});
