import { pushTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { growHeavyTree, type HeavyTree } from "./heavy-tree.js";
import type { StackLabels } from "./stack-labels.js";

/** A function in the heavy tree. Its children are its callers. */
export interface HeavyNode {
  readonly label: string;
  readonly ticks: Ticks;
  /** Share of the parent's ticks, or of all ticks for a top row. In percent. */
  readonly parentPercent: number;
  /** Sorted by ticks, then by label; both descending. */
  readonly callers: readonly HeavyNode[];
}

interface BottomUpOptions {
  /** Ticks that count as 100 % for the top rows. */
  readonly total: Ticks;
  /** Levels of callers. Default: 5. */
  readonly depth?: number | undefined;
}

/** Callers with a smaller share of their parent, in percent, are left out. */
export const HEAVY_CUTOFF = 1;

/** Returns the functions with self ticks, each with its tree of callers. */
export function bottomUp(profile: Profile, labels: StackLabels, options: BottomUpOptions): HeavyNode[] {
  const { depth = 5, total } = options;
  const { samples } = profile;
  const { node: nodes } = samples;
  const { leaves, callers, ofNode } = labels;
  const stacks = {
    leafOf: (sample: number) => leaves[nodes[sample]!]!,
    callerOf: (node: number) => callers[node]!,
    keyAt: (node: number) => ofNode[node]!,
  };
  const isOpen = (ticks: Ticks, above: Ticks) => !(percentOf(ticks, above) < HEAVY_CUTOFF);
  const heavy = growHeavyTree(samples, stacks, { whole: total, levels: depth + 1, isOpen })!;
  return nodesOf(heavy, labels.labels);
}

/**
 * Returns the nodes above the cut-off, sorted. Callers follow their callees, so a backward loop visits them
 * first.
 */
function nodesOf({ tree, ticks }: HeavyTree, labels: readonly string[]): HeavyNode[] {
  const callers = new Map<number, HeavyNode[]>();
  const sorted = (node: number) =>
    (callers.get(node) ?? []).sort((a, b) => b.ticks - a.ticks || compareTexts(b.label, a.label));
  for (let node = tree.length - 1; node > ROOT; node--) {
    const parent = tree.parent[node]!;
    const parentPercent = percentOf(ticks[node]!, ticks[parent]!);
    if (!(parentPercent >= HEAVY_CUTOFF)) continue;
    const label = labels[tree.frame[node]!]!;
    const row = { label, ticks: ticks[node]!, parentPercent, callers: sorted(node) };
    callers.delete(node);
    pushTo(callers, parent, row);
  }
  return sorted(ROOT);
}

function percentOf(ticks: Ticks, above: Ticks): number {
  return (ticks / above) * 100;
}
