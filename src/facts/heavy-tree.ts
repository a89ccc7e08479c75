import type { Ticks } from "../base/units.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { SampleTable } from "../profile/sample-table.js";

/** The stacks of a profile's samples, walked from leaf to root. `ROOT` ends a stack. */
export interface LeafFirstStacks {
  /** Returns the leaf of a sample's stack. */
  leafOf(sample: number): number;
  /** Returns the next node of a sample's stack. */
  callerOf(stackNode: number, sample: number): number;
  /**
   * Returns the key of a stack's node. Nodes with one key under one parent become one node of the heavy tree.
   */
  keyAt(stackNode: number): number;
}

interface HeavyOptions {
  /** The ticks of the root. */
  readonly whole: Ticks;
  /** The maximum number of levels. */
  readonly levels: number;
  /** The maximum number of nodes above the last level. Default: any. */
  readonly nodes?: number | undefined;
  /** Returns whether a node gets callers, given its ticks and those of its parent. */
  readonly isOpen: (ticks: Ticks, above: Ticks) => boolean;
  /** Called for each sample at each node that it passes. */
  readonly onSample?: ((node: number, stackNode: number, sample: number) => void) | undefined;
}

/** The nodes that there is room for from the start: growing takes longer than counting. Room not used costs nothing. */
const LEAST_ROOM = 1 << 10;
const MOST_ROOM = 1 << 16;

/** The heavy tree: leaves below the root, callers below their callees. */
export interface HeavyTree {
  /** Its frames are keys of {@link LeafFirstStacks.keyAt}. */
  readonly tree: CallTree;
  /** By node; the root has {@link HeavyOptions.whole}. */
  readonly ticks: readonly Ticks[];
}

/**
 * Grows the heavy tree level by level, so that closed nodes never get callers. Returns undefined if it has too many
 * nodes.
 */
export function growHeavyTree(
  samples: SampleTable,
  stacks: LeafFirstStacks,
  options: HeavyOptions,
): HeavyTree | undefined {
  const { whole, levels, nodes = Number.POSITIVE_INFINITY, isOpen, onSample } = options;
  const { length } = samples;
  const tree = new CallTreeBuilder(Math.min(Math.max(LEAST_ROOM, length), MOST_ROOM));
  const ticks: Ticks[] = [whole];
  // The samples that still climb, each with its node of its own stack and of the heavy tree.
  const [sample, stackNode, node] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  let count = 0;
  for (let i = 0; i < length; i++) {
    const leaf = stacks.leafOf(i);
    if (leaf === ROOT) continue;
    sample[count] = i;
    stackNode[count++] = leaf;
  }
  for (let level = 0; level < levels && count > 0; level++) {
    if (tree.length > nodes) return undefined;
    for (let i = 0; i < count; i++) {
      const number = sample[i]!;
      const at = tree.child(node[i]!, stacks.keyAt(stackNode[i]!));
      node[i] = at;
      ticks[at] = (ticks[at] ?? 0) + samples.ticks[number]!;
      onSample?.(at, stackNode[i]!, number);
    }
    let left = 0;
    for (let i = 0; i < count; i++) {
      const at = node[i]!;
      if (!isOpen(ticks[at]!, ticks[tree.parent[at]!]!)) continue;
      const caller = stacks.callerOf(stackNode[i]!, sample[i]!);
      if (caller === ROOT) continue;
      sample[left] = sample[i]!;
      stackNode[left] = caller;
      node[left++] = at;
    }
    count = left;
  }
  return { tree, ticks };
}
