import { ROOT, visitDepthFirst } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { compareLabelsDescending, type FunctionKind } from "./label.js";
import type { StackLabels } from "./stack-labels.js";

/** One function of the flat sections. */
export interface FlatRow {
  readonly label: string;
  readonly category: FunctionKind;
  /** The first frame that has the label. */
  readonly frame: Frame;
  /** Ticks in the function itself. */
  readonly self: Ticks;
}

/** A function with what it called. */
export interface TotaledRow extends FlatRow {
  /** Ticks in the function and what it called; a recursive function counts once a stack. */
  readonly total: Ticks;
}

/** Every function with ticks of its own: most ticks first, then by label, descending. */
export function flatRows({ samples }: Profile, labels: StackLabels): FlatRow[] {
  const self = new Float64Array(labels.labels.length);
  // A plain loop: it runs once over all samples, and is cold.
  for (let i = 0; i < samples.length; i++) {
    self[labels.labelAt(labels.leafOf(samples.node[i]!))]! += samples.ticks[i]!;
  }
  return rowsOf(labels, self);
}

/** As {@link flatRows}, with totals. */
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
  return rows.sort((a, b) => b.self - a.self || compareLabelsDescending(a.label, b.label));
}

/** By label: the ticks in it and in what it called. */
function totalsOf({ samples, tree }: Profile, labels: StackLabels): Float64Array {
  const total = new Float64Array(labels.labels.length);
  const nodeTicks = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const ticks = samples.ticks[i]!;
    const leaf = labels.leafOf(samples.node[i]!);
    // A leaf that is shown for want of anything else is no caller of anybody: its ticks are its total.
    if (labels.shown(leaf) >= 0) nodeTicks[leaf]! += ticks;
    else total[labels.labelAt(leaf)]! += ticks;
  }
  for (let node = tree.length - 1; node > ROOT; node--) nodeTicks[tree.parent[node]!]! += nodeTicks[node]!;
  const onPath = new Int32Array(labels.labels.length);
  // To each label go the ticks under its outermost nodes.
  visitDepthFirst(tree, (node, isEntering) => {
    const label = labels.shown(node);
    if (label < 0) return;
    if (!isEntering) onPath[label]!--;
    else if (onPath[label]!++ === 0) total[label]! += nodeTicks[node]!;
  });
  return total;
}
