import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";

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
  const tree = new CallTreeBuilder(Math.min(Math.max(LEAST_ROOM, samples.length), MOST_ROOM));
  const ticks: Ticks[] = [whole];
  const climbers = startAll(samples.length, stacks);
  for (let level = 0; level < levels && climbers.count > 0; level++) {
    const first = tree.length;
    if (first > nodes) return undefined;
    if (level === 0) arriveAtTop(climbers, stacks, tree);
    else arrive(climbers, stacks, tree);
    for (let node = first; node < tree.length; node++) ticks.push(0);
    addTicks(climbers, samples, ticks);
    if (onSample !== undefined) visitSamples(climbers, onSample);
    const open = Uint8Array.from({ length: tree.length - first }, (_, i) => {
      const node = first + i;
      return isOpen(ticks[node]!, ticks[tree.parent[node]!]!) ? 1 : 0;
    });
    climb(climbers, stacks, open, first);
  }
  return { tree, ticks };
}

/** Samples that are still climbing, in columns: each with its node of the heavy tree and of its own stack. */
interface Climbers {
  count: number;
  readonly sample: Int32Array;
  readonly stackNode: Int32Array;
  readonly node: Int32Array;
}

// Each loop over the samples is a function of its own. It runs only once, and V8 would discard the code that
// it compiles for the running loop if code followed that has never run.

function startAll(length: number, stacks: LeafFirstStacks): Climbers {
  const [sample, stackNode, node] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  let count = 0;
  for (let i = 0; i < length; i++) {
    const leaf = stacks.leafOf(i);
    if (leaf === ROOT) continue;
    sample[count] = i;
    stackNode[count++] = leaf;
  }
  return { count, sample, stackNode, node };
}

/** Moves all samples to the nodes of their leaves. */
function arriveAtTop(
  { count, stackNode, node }: Climbers,
  stacks: LeafFirstStacks,
  tree: CallTreeBuilder,
): void {
  /** By key: its node; 0 if there is none yet. */
  let tops = new Int32Array(1024);
  for (let i = 0; i < count; i++) {
    const key = stacks.keyAt(stackNode[i]!);
    if (key >= tops.length) tops = reaching(tops, key);
    if (tops[key] === 0) tops[key] = tree.child(ROOT, key);
    node[i] = tops[key]!;
  }
}

/** Moves all samples to the nodes of their callers. */
function arrive({ count, stackNode, node }: Climbers, stacks: LeafFirstStacks, tree: CallTreeBuilder): void {
  for (let i = 0; i < count; i++) node[i] = tree.child(node[i]!, stacks.keyAt(stackNode[i]!));
}

function addTicks({ count, sample, node }: Climbers, { ticks: counts }: SampleTable, ticks: Ticks[]): void {
  for (let i = 0; i < count; i++) ticks[node[i]!]! += counts[sample[i]!]!;
}

function visitSamples(
  { count, sample, stackNode, node }: Climbers,
  onSample: NonNullable<HeavyOptions["onSample"]>,
): void {
  for (let i = 0; i < count; i++) onSample(node[i]!, stackNode[i]!, sample[i]!);
}

/** Keeps the samples at open nodes, and moves each one up its own stack. `open` has 1 for these, from `first` on. */
function climb(climbers: Climbers, stacks: LeafFirstStacks, open: Uint8Array, first: number): void {
  const { count, sample, stackNode, node } = climbers;
  let left = 0;
  for (let i = 0; i < count; i++) {
    const at = node[i]!;
    if (open[at - first] === 0) continue;
    const number = sample[i]!;
    const caller = stacks.callerOf(stackNode[i]!, number);
    if (caller === ROOT) continue;
    sample[left] = number;
    stackNode[left] = caller;
    node[left++] = at;
  }
  climbers.count = left;
}
