import type { TreeRow } from "../../views/tree-rows.js";
import { jsonLines } from "../layout/json-lines.js";
import { jsonCallable, jsonHead } from "../layout/json-parts.js";
import type { TreeReport } from "./text.js";

/** Goes up when a key changes its meaning or goes away; new keys may come at any time. */
export const JSON_TREE_VERSION = 1;

/** A tree for programs, as `tree.schema.json` describes it: a list, since trees can be deeper than readers of JSON go. */
export function* treeJson({ profile, isHeavy, tree }: TreeReport): Iterable<string> {
  yield* jsonLines({
    version: JSON_TREE_VERSION,
    ...jsonHead(profile),
    direction: isHeavy ? "heavy" : "top-down",
    omitted: tree.omitted,
    rows: tree.rows.map((row) => rowOf(row, isHeavy)),
  });
}

function rowOf({ depth, parent, callable, ...row }: TreeRow, isHeavy: boolean) {
  const { ticks, own, inlined, recursion, omitted } = row;
  return {
    depth,
    parent: parent < 0 ? null : parent,
    ...jsonCallable(callable),
    ...(isHeavy ? { ticks, noCaller: own } : { total: ticks, self: own }),
    inlined,
    recursion,
    omitted,
  };
}
