import { expect, it } from "vitest";
import { FunctionNames } from "../../src/views/function-names.ts";
import { FunctionStacks } from "../../src/views/function-stacks.ts";
import { topDown } from "../../src/views/function-tree.ts";
import { heaviestRows } from "../../src/views/heaviest-rows.ts";
import { treeRows } from "../../src/views/tree-rows.ts";
import { profileFromStacks } from "../helpers/stacks.ts";

const profile = profileFromStacks("js:a js:b js:c", "js:a js:b js:d", "js:a js:e", "js:f", "js:f js:g");
const stacks = new FunctionStacks(profile);
const names = new FunctionNames(stacks.table.functions);
const tree = treeRows(topDown(profile, stacks), stacks, { depth: 9, least: 0 });

it("a tree keeps the rows with the most ticks, and counts the others", () => {
  const shown = (limit: number) => {
    const { rows, omitted, ticks } = heaviestRows(tree, limit);
    // Every level adds up.
    const below = (at: number) => rows.filter(({ parent }) => parent === at);
    const sum = (at: number) => below(at).reduce((total, row) => total + row.ticks, 0);
    expect(sum(-1) + omitted.ticks).toBe(ticks);
    for (const [i, row] of rows.entries()) {
      expect(row.self + sum(i) + row.omitted.ticks).toBe(row.ticks);
      expect(below(i).length).toBe(row.children);
    }
    const rest = omitted.functions;
    return [
      ...rows.map((row) => `${names.callable(row.callable).title}${row.omitted.functions || ""}`),
      rest,
    ];
  };
  expect(shown(1)).toEqual(["a2", 1]);
  expect(shown(3)).toEqual(["a1", "b2", "f1", 0]);
  expect(shown(4)).toEqual(["a1", "b1", "c", "f1", 0]);
  expect(shown(7)).toEqual(["a", "b", "c", "d", "e", "f", "g", 0]);
});

it("a tree that is small enough stays as it is", () => {
  expect(heaviestRows(tree, 7)).toBe(tree);
  expect(heaviestRows(tree, Number.POSITIVE_INFINITY)).toBe(tree);
});
