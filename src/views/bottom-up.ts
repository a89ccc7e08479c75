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
  const { depth = 5, total } = options;
  const { samples } = profile;
  const heavy = new HeavyTree(total);
  // Where each sample is in the heavy tree, and in its stack; a sample that is cut off is at no node.
  const at = new Int32Array(samples.length);
  const caller = new Int32Array(samples.length);
  for (let i = 0; i < samples.length; i++) caller[i] = labels.leafOf(samples.node[i]!);
  for (let level = 0; level <= depth; level++) {
    const from = heavy.length;
    for (let i = 0; i < samples.length; i++) {
      if (at[i] === CUT) continue;
      const node = caller[i]!;
      at[i] = node === ROOT ? CUT : heavy.add(at[i]!, labels.labelAt(node), samples.ticks[i]!);
      if (node !== ROOT) caller[i] = labels.callerOf(node);
    }
    for (let i = 0; i < samples.length; i++) {
      if (at[i] !== CUT && heavy.percent(at[i]!) < HEAVY_CUTOFF) at[i] = CUT;
    }
    if (heavy.length === from) break;
  }
  return heavy.nodes(labels.labels);
}

const CUT = -1;

/** The heavy tree while it grows, level by level: a node under the cut-off never gets callers. */
class HeavyTree {
  readonly #tree = new CallTreeBuilder();
  readonly #ticks: Ticks[];

  constructor(total: Ticks) {
    this.#ticks = [total];
  }

  get length(): number {
    return this.#tree.length;
  }

  /** Counts ticks at the caller of this label, and returns its node. */
  add(parent: number, label: number, ticks: Ticks): number {
    const node = this.#tree.child(parent, label);
    this.#ticks[node] = (this.#ticks[node] ?? 0) + ticks;
    return node;
  }

  /** A node's share of its parent. */
  percent(node: number): number {
    return (this.#ticks[node]! / this.#ticks[this.#tree.parent[node]!]!) * 100;
  }

  /** The nodes over the cut-off, sorted. */
  nodes(labels: readonly string[]): HeavyNode[] {
    const callers = new Map<number, number[]>();
    for (let node = ROOT + 1; node < this.#tree.length; node++) {
      if (!(this.percent(node) >= HEAVY_CUTOFF)) continue;
      const parent = this.#tree.parent[node]!;
      const siblings = callers.get(parent);
      if (siblings === undefined) callers.set(parent, [node]);
      else siblings.push(node);
    }
    const build = (parent: number): HeavyNode[] =>
      (callers.get(parent) ?? [])
        .map((node) => ({ node, label: labels[this.#tree.frame[node]!]!, ticks: this.#ticks[node]! }))
        .sort((a, b) => b.ticks - a.ticks || compareLabelsDescending(a.label, b.label))
        .map(({ node, label, ticks }) => ({
          label,
          ticks,
          parentPercent: this.percent(node),
          callers: build(node),
        }));
    return build(ROOT);
  }
}
