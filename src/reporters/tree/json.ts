import type { Ticks } from "../../profile/units.js";
import type { TreeReport } from "../../reports/tree.js";
import { percentOf } from "../../views/shares.js";
import type { TreeRow } from "../../views/tree-rows.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  jsonCallable,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonWeights,
  shownTicks,
} from "../layout/json-parts.js";

/**
 * Yields a tree for programs, as `tree.schema.json` describes it: a flat list, since a tree can be too deep
 * for JSON parsers.
 */
export function* treeJson({ profile, isHeavy, tree }: TreeReport, layout: JsonLayout = {}): Iterable<string> {
  const whole = shownTicks(profile);
  yield* jsonLines(
    {
      ...jsonHead({ command: "tree", schemaVersion: 1 }, profile),
      missingCallers: jsonMissingCallers(profile),
      direction: isHeavy ? "heavy" : "top-down",
      omitted: tree.omitted,
      rows: tree.rows.map((row) => rowOf(row, { isHeavy, whole })),
    },
    layout,
  );
}

function rowOf(
  { depth, parent, callable, ...row }: TreeRow,
  { isHeavy, whole }: { readonly isHeavy: boolean; readonly whole: Ticks },
) {
  const { ticks, self, withoutCaller, inlined, inferred, recursion, omitted } = row;
  return {
    depth,
    parent: parent < 0 ? null : parent,
    ...jsonCallable(callable),
    ...(isHeavy
      ? { ticks, percent: percentOf(ticks, whole), ticksWithoutCaller: withoutCaller }
      : jsonWeights({ self, total: ticks }, whole)),
    inlined,
    ...jsonInferred(inferred),
    recursion,
    omitted,
  };
}
