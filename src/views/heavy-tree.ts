import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { reaching } from "../profile/columns.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";

/** The stacks of the samples of a profile, walked from the leaf to the root; `ROOT` as a place ends a stack. */
export interface LeafFirstStacks {
  /** Where the stack of a sample begins. */
  leafOf(sample: number): number;
  /** The next place of the stack of a sample. */
  callerOf(stackNode: number, sample: number): number;
  /** What a place is shown as: places of one key under one parent are one node. */
  keyAt(stackNode: number): number;
}

export interface HeavyOptions {
  /** What the top level is a share of. */
  readonly whole: Ticks;
  /** How many levels there are at most. */
  readonly levels: number;
  /** Whether a node gets callers, by its ticks and those of the node above it. */
  readonly isOpen: (ticks: Ticks, above: Ticks) => boolean;
  /** Told of each sample at each node that it has ticks in. Default: nobody. */
  readonly onSample?: ((node: number, stackNode: number, sample: number) => void) | undefined;
}

/** The heavy tree: the leaves below the root, under each its callers. */
export interface HeavyTree {
  /** Its frames are keys of {@link LeafFirstStacks.keyAt}. */
  readonly tree: CallTree;
  /** By node; the root has the whole. */
  readonly ticks: readonly Ticks[];
}

/** Grows the heavy tree level by level, so that what is not open never gets callers. */
export function growHeavyTree(
  samples: SampleTable,
  stacks: LeafFirstStacks,
  options: HeavyOptions,
): HeavyTree {
  const { whole, levels, isOpen, onSample } = options;
  const tree = new CallTreeBuilder();
  const ticks: Ticks[] = [whole];
  const climbers = startAll(samples.length, stacks);
  for (let level = 0; level < levels && climbers.count > 0; level++) {
    const first = tree.length;
    if (level === 0) arriveAtTop(climbers, stacks, tree);
    else arrive(climbers, stacks, tree);
    for (let node = first; node < tree.length; node++) ticks.push(0);
    addTicks(climbers, samples, ticks);
    if (onSample !== undefined) visitSamples(climbers, onSample);
    const open = Uint8Array.from({ length: tree.length - first }, (_, i) => {
      const node = first + i;
      return isOpen(ticks[node]!, ticks[tree.parent[node]!]!) ? 1 : 0;
    });
    climb(climbers, stacks, (node) => open[node - first] === 1);
  }
  return { tree, ticks };
}

/** Samples that still climb, in columns: each with where it is in the heavy tree and where in its own stack. */
interface Climbers {
  count: number;
  readonly sample: Int32Array;
  readonly stackNode: Int32Array;
  readonly node: Int32Array;
}

// Each loop over samples is a function of its own: it runs over all of them once, and what V8 makes of a loop while it runs is
// thrown away where code comes after it that has never run.

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

/** Takes all to the nodes of their leaves. */
function arriveAtTop(
  { count, stackNode, node }: Climbers,
  stacks: LeafFirstStacks,
  tree: CallTreeBuilder,
): void {
  /** By key: its node; 0 for none yet. */
  let tops = new Int32Array(1024);
  for (let i = 0; i < count; i++) {
    const key = stacks.keyAt(stackNode[i]!);
    if (key >= tops.length) tops = reaching(tops, key);
    if (tops[key] === 0) tops[key] = tree.child(ROOT, key);
    node[i] = tops[key]!;
  }
}

/** Takes all to the nodes of their callers. */
function arrive({ count, stackNode, node }: Climbers, stacks: LeafFirstStacks, tree: CallTreeBuilder): void {
  for (let i = 0; i < count; i++) node[i] = tree.child(node[i]!, stacks.keyAt(stackNode[i]!));
}

function addTicks({ count, sample, node }: Climbers, samples: SampleTable, ticks: Ticks[]): void {
  for (let i = 0; i < count; i++) ticks[node[i]!]! += samples.ticks[sample[i]!]!;
}

function visitSamples(
  { count, sample, stackNode, node }: Climbers,
  onSample: NonNullable<HeavyOptions["onSample"]>,
): void {
  for (let i = 0; i < count; i++) onSample(node[i]!, stackNode[i]!, sample[i]!);
}

/** Leaves those at nodes that are open, each with its caller as its place. */
function climb(climbers: Climbers, stacks: LeafFirstStacks, isOpen: (node: number) => boolean): void {
  const { count, sample, stackNode, node } = climbers;
  let left = 0;
  for (let i = 0; i < count; i++) {
    if (!isOpen(node[i]!)) continue;
    const caller = stacks.callerOf(stackNode[i]!, sample[i]!);
    if (caller === ROOT) continue;
    sample[left] = sample[i]!;
    stackNode[left] = caller;
    node[left++] = node[i]!;
  }
  climbers.count = left;
}
