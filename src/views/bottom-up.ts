import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { compareLabelsDescending } from "./label.js";
import type { StackLabels } from "./stack-labels.js";

/** A function of the heavy tree; its children are its callers. */
export interface HeavyNode {
  readonly label: string;
  readonly ticks: Ticks;
  /** Its share of its parent's ticks; a top row's of all ticks. In percent. */
  readonly parentPercent: number;
  /** Most ticks first, then by label, descending. */
  readonly callers: readonly HeavyNode[];
}

export interface BottomUpOptions {
  /** What the top rows are shares of. */
  readonly total: Ticks;
  /** How many levels of callers. Default: 5. */
  readonly depth?: number | undefined;
}

/** Callers below this share of their parent, in percent, are left out. */
export const HEAVY_CUTOFF = 1;

/** The functions with ticks of their own, each over its callers. */
export function bottomUp(profile: Profile, labels: StackLabels, options: BottomUpOptions): HeavyNode[] {
  const levels = (options.depth ?? 5) + 1;
  const tree = new CallTreeBuilder();
  const ticks: number[] = [0];
  const { samples } = profile;
  for (let i = 0; i < samples.length; i++) {
    let caller = labels.leaf(samples.node[i]!);
    let node = ROOT;
    for (let level = 0; level < levels; level++) {
      node = tree.child(node, caller.label);
      ticks[node] = (ticks[node] ?? 0) + samples.ticks[i]!;
      const next = nextCaller(labels, caller.node);
      if (next === undefined) break;
      caller = next;
    }
  }
  const children: number[][] = Array.from({ length: tree.length }, () => []);
  for (let node = ROOT + 1; node < tree.length; node++) children[tree.parent[node]!]!.push(node);
  const build = (parent: number, whole: Ticks): HeavyNode[] =>
    children[parent]!.map((node) => ({
      node,
      percent: (ticks[node]! / whole) * 100,
      label: labels.labels[tree.frame[node]!]!,
    }))
      .filter(({ percent }) => percent >= HEAVY_CUTOFF)
      .sort((a, b) => ticks[b.node]! - ticks[a.node]! || compareLabelsDescending(a.label, b.label))
      .map(({ node, percent, label }) => ({
        label,
        ticks: ticks[node]!,
        parentPercent: percent,
        callers: build(node, ticks[node]!),
      }));
  return build(ROOT, options.total);
}

function nextCaller(labels: StackLabels, below: number): { label: number; node: number } | undefined {
  for (let node = labels.tree.parent[below]!; node !== ROOT; node = labels.tree.parent[node]!) {
    const label = labels.shown(node);
    if (label >= 0) return { label, node };
  }
  return undefined;
}
