import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import type { FunctionKind } from "../profile/categories.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { StackLabels } from "./stack-labels.js";

/** A function in the flat sections. */
export interface FlatRow {
  readonly label: string;
  readonly category: FunctionKind;
  /** The first frame with this label. */
  readonly frame: Frame;
  /** Ticks in the function itself. */
  readonly self: Ticks;
}

/** A function, with the ticks in what it called. */
export interface TotaledRow extends FlatRow {
  /** Ticks in the function and in what it called. Recursion counts once per stack. */
  readonly total: Ticks;
}

/** Returns every function with self ticks, sorted by ticks, then by label; both descending. */
export function flatRows({ samples }: Profile, labels: StackLabels): FlatRow[] {
  const self = new Float64Array(labels.labels.length);
  // A plain loop, since this is cold code that runs once over all samples.
  const { length, node, ticks } = samples;
  const { ofNode, leaves } = labels;
  for (let i = 0; i < length; i++) self[ofNode[leaves[node[i]!]!]!]! += ticks[i]!;
  return rowsOf(labels, self);
}

/** Returns the rows of {@link flatRows} with totals. */
export function totaledRows(profile: Profile, labels: StackLabels): TotaledRow[] {
  const total = totalsOf(profile, labels);
  return flatRows(profile, labels).map((row) => ({ ...row, total: total[labels.idOf(row.label)]! }));
}

function rowsOf(labels: StackLabels, self: Float64Array): FlatRow[] {
  const rows: FlatRow[] = [];
  for (const [id, label] of labels.labels.entries()) {
    if (self[id] === 0) continue;
    rows.push({ label, category: labels.categories[id]!, frame: labels.frames[id]!, self: self[id]! });
  }
  return rows.sort((a, b) => b.self - a.self || compareTexts(b.label, a.label));
}

/** Returns, by label, the ticks in it and in what it called. */
function totalsOf({ samples, tree }: Profile, labels: StackLabels): Float64Array {
  const total = new Float64Array(labels.labels.length);
  const nodeTicks = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const ticks = samples.ticks[i]!;
    const leaf = labels.leaves[samples.node[i]!]!;
    // A hidden or unknown leaf is nobody's caller: its total is its own ticks.
    if (labels.shown(leaf) >= 0) nodeTicks[leaf]! += ticks;
    else total[labels.ofNode[leaf]!]! += ticks;
  }
  for (let node = tree.length - 1; node > ROOT; node--) nodeTicks[tree.parent[node]!]! += nodeTicks[node]!;
  const groups = { count: total.length, of: (node: number) => labels.shown(node) };
  visitOutermost(depthFirst(tree), groups, (node, label) => {
    total[label]! += nodeTicks[node]!;
  });
  return total;
}
