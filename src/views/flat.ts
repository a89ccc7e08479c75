import { type CallTree, ROOT, visitDepthFirst } from "../profile/call-tree.js";
import type { Frame } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { type Category, compareLabelsDescending } from "./label.js";
import type { StackLabels } from "./stack-labels.js";

/** One function of the flat sections. */
export interface FlatRow {
  readonly label: string;
  readonly category: Category;
  /** The first frame that has the label. */
  readonly frame: Frame;
  /** Ticks in the function itself. */
  readonly self: Ticks;
  /** Ticks in the function and what it called; a recursive function counts once a stack. */
  readonly total: Ticks;
}

/** Every function with ticks of its own: most ticks first, then by label, descending. */
export function flatRows(profile: Profile, labels: StackLabels): FlatRow[] {
  const self = new Float64Array(labels.labels.length);
  const total = new Float64Array(labels.labels.length);
  const { samples, tree } = profile;
  const nodeTicks = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const ticks = samples.ticks[i]!;
    const leaf = labels.leafOf(samples.node[i]!);
    self[labels.labelAt(leaf)]! += ticks;
    // A leaf that is shown for want of anything else is no caller of anybody: its ticks are its total.
    if (labels.shown(leaf) >= 0) nodeTicks[leaf]! += ticks;
    else total[labels.labelAt(leaf)]! += ticks;
  }
  addTotals(tree, nodeTicks, labels, total);
  const rows: FlatRow[] = [];
  for (const [id, label] of labels.labels.entries()) {
    if (self[id] === 0) continue;
    const category = labels.categories[id]!;
    rows.push({ label, category, frame: labels.frames[id]!, self: self[id]!, total: total[id]! });
  }
  return rows.sort((a, b) => b.self - a.self || compareLabelsDescending(a.label, b.label));
}

/** Adds to each label the ticks under its outermost nodes. `nodeTicks` become sums over subtrees. */
function addTotals(tree: CallTree, nodeTicks: Float64Array, labels: StackLabels, total: Float64Array): void {
  for (let node = tree.length - 1; node > ROOT; node--) nodeTicks[tree.parent[node]!]! += nodeTicks[node]!;
  const onPath = new Int32Array(labels.labels.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const label = labels.shown(node);
    if (label < 0) return;
    if (!isEntering) onPath[label]!--;
    else if (onPath[label]!++ === 0) total[label]! += nodeTicks[node]!;
  });
}
