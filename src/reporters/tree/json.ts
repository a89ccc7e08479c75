import type { Ticks } from "../../profile/units.js";
import type { TreeReport } from "../../reports/tree.js";
import { percentOf } from "../../views/shares.js";
import type { TreeRow } from "../../views/tree-rows.js";
import { type JsonLayout, jsonLines } from "../layout/json-lines.js";
import {
  type CallableData,
  type Count,
  type FromOne,
  type InferredData,
  type Integer,
  type JsonHead,
  jsonCallable,
  jsonHead,
  jsonInferred,
  jsonMissingCallers,
  jsonWeights,
  type MissingCallersData,
  type Percent,
  shownTicks,
} from "../layout/json-parts.js";

/**
 * All weights are numbers of ticks. A tick is not a time.
 * @id tree.schema.json
 * @title ticks tree --format json, schema version 1
 */
export interface TreeData extends JsonHead<"tree"> {
  readonly missingCallers: MissingCallersData;
  /** Whether callees or callers are below a row. */
  readonly direction: "top-down" | "heavy";
  readonly omitted: OmittedData;
  /** Depth first. A flat list, because a tree can be too deep for parsers. The top rows and omitted sum to ticks. */
  readonly rows: readonly TreeRowData[];
}

export interface TreeRowData extends CallableData, InferredData {
  /** 0 at the top. */
  readonly depth: Count;
  /** The index in rows of the row above it. null at the top. */
  readonly parent: Integer | null;
  /** Top-down: in the function itself. */
  readonly self?: Ticks;
  readonly selfPercent?: Percent;
  /** Top-down: self + the totals of the rows directly below + omitted.ticks. */
  readonly total?: Ticks;
  readonly totalPercent?: Percent;
  /** Heavy: ticksWithoutCaller + the ticks of the rows directly below + omitted.ticks, if there are any. */
  readonly ticks?: Ticks;
  readonly percent?: Percent;
  /** Heavy: in stacks that begin with the function. */
  readonly ticksWithoutCaller?: Ticks;
  /** Of its ticks, those where it is inlined into its caller. */
  readonly inlined: Ticks;
  /** How deep the function calls itself at most, as one row. 1 if it does not. */
  readonly recursion: FromOne;
  readonly omitted: OmittedData;
}

/** What is directly below and not listed. */
export interface OmittedData {
  readonly functions: Count;
  readonly ticks: Ticks;
}

/** Yields a tree for programs. */
export function treeJson(report: TreeReport, layout: JsonLayout = {}): Iterable<string> {
  return jsonLines(treeData(report), layout);
}

export function treeData({ profile, isHeavy, tree }: TreeReport): TreeData {
  const whole = shownTicks(profile);
  return {
    ...jsonHead("tree", profile),
    missingCallers: jsonMissingCallers(profile),
    direction: isHeavy ? "heavy" : "top-down",
    omitted: tree.omitted,
    rows: tree.rows.map((row) => rowOf(row, { isHeavy, whole })),
  };
}

function rowOf(
  { depth, parent, callable, ...row }: TreeRow,
  { isHeavy, whole }: { readonly isHeavy: boolean; readonly whole: Ticks },
): TreeRowData {
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
