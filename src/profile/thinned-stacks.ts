import { type CallTree, ROOT } from "./call-tree.js";
import type { SampleTable } from "./sample-table.js";
import type { ShownFrames } from "./shown-frames.js";
import { ThinnedTree } from "./thinned-tree.js";

/** The samples in bytecode handlers, and the interpreted functions that they belong to, in columns. */
export interface HandlerOwners {
  readonly length: number;
  readonly sample: Int32Array;
  /** The node of the function. */
  readonly node: Int32Array;
  /** 1 if the line of the function is that of the bytecode. */
  readonly hasLine: Uint8Array;
}

export const NO_OWNERS: HandlerOwners = {
  length: 0,
  sample: new Int32Array(0),
  node: new Int32Array(0),
  hasLine: new Uint8Array(0),
};

/** What is left out of stacks, and where the samples go. */
export interface StackChange {
  /** By frame: 1 if it is no caller. */
  readonly isUnknown: Uint8Array;
  readonly owners: HandlerOwners;
  /** By node: 1 if it is kept; undefined for all. */
  readonly isUsed: Uint8Array | undefined;
  readonly frames: ShownFrames;
  /** Whether the columns of the tree and the nodes of the samples may be overwritten. */
  readonly overwrites: boolean;
}

/** Stacks without some frames. */
export interface ThinnedStacks {
  readonly tree: CallTree;
  /** By sample: its new node. */
  readonly nodes: Int32Array;
  /** By new node: 1 if it may have got several samples. */
  readonly isShared: Uint8Array;
}

/** Returns whether a marked frame calls something. */
export function hasCaller({ length, parent, frame }: CallTree, isMarked: Uint8Array): boolean {
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller !== ROOT && isMarked[frame[caller]!] === 1) return true;
  }
  return false;
}

/** Returns the samples in marked frames that a frame that `isCaller` calls. */
export function calledRows(
  { parent, frame }: CallTree,
  samples: SampleTable,
  { isMarked, isCaller }: { readonly isMarked: Uint8Array; readonly isCaller: Uint8Array },
): Int32Array {
  const found: number[] = [];
  for (let sample = 0; sample < samples.length; sample++) {
    const node = samples.node[sample]!;
    if (node === ROOT || isMarked[frame[node]!] === 0) continue;
    const caller = parent[node]!;
    if (caller !== ROOT && isCaller[frame[caller]!] === 1) found.push(sample);
  }
  return Int32Array.from(found);
}

/** Returns 1 for each node that keeps a sample when the owners have got theirs, or is on the way to one. */
export function usedNodes(tree: CallTree, samples: SampleTable, owners: HandlerOwners): Uint8Array {
  /** By sample: 1 if it has an owner. */
  const isOwned = new Uint8Array(samples.length);
  for (let i = 0; i < owners.length; i++) isOwned[owners.sample[i]!] = 1;
  const isUsed = ownerMarks(tree.length, owners, 1);
  /** By node: 1 if it is an owner whose caller is needed. */
  const isLineless = ownerMarks(tree.length, owners, 0);
  for (let i = 0; i < samples.length; i++) if (isOwned[i] === 0) isUsed[samples.node[i]!] = 1;
  for (let node = tree.length - 1; node > ROOT; node--) {
    isUsed[tree.parent[node]!]! |= isUsed[node]! | isLineless[node]!;
  }
  return isUsed;
}

/** Returns the stacks after a change. */
export function thinned(
  tree: CallTree,
  samples: SampleTable,
  { isUnknown, owners, isUsed, frames, overwrites }: StackChange,
): ThinnedStacks {
  /** By node: 1 if a handler ran for its function without a line. */
  const isLineless = ownerMarks(tree.length, owners, 0);
  const nodes = overwrites ? samples.node : new Int32Array(samples.length);
  if (!overwrites) nodes.set(samples.node.subarray(0, samples.length));
  const leaves = unknownLeaves(tree, samples.length, { isUnknown, nodes });
  const { adopts, kept } = adoptingNodes(tree, isUnknown, owners);
  const shown = new ThinnedTree(tree, adopts, {
    numbers: kept.fill(0),
    overwrites: overwrites && !isLineless.includes(1),
  });
  const lineless = new Int32Array(owners.length === 0 ? 0 : tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    if (isLineless[node] === 1) {
      lineless[node] = shown.adopted(shown.numbers[tree.parent[node]!]!, frames.withoutLine(frame));
    }
    if (isUsed?.[node] === 0) continue;
    if (isUnknown[frame] === 1) shown.skip(node);
    else shown.keep(node, frames.numberOf(frame));
  }
  for (let i = 0; i < samples.length; i++) if (nodes[i]! >= 0) nodes[i] = shown.numbers[nodes[i]!]!;
  for (let i = 0; i < owners.length; i++) {
    const node = (owners.hasLine[i] === 1 ? shown.numbers : lineless)[owners.node[i]!]!;
    nodes[owners.sample[i]!] = node;
    shown.take(node);
  }
  for (let i = 0, leaf = 0; i < samples.length; i++) {
    if (nodes[i]! >= 0) continue;
    nodes[i] = shown.adopted(shown.numbers[~nodes[i]!]!, frames.numberOf(leaves[leaf++]!));
  }
  return { tree: shown.finish(), nodes, isShared: shown.isShared };
}

/**
 * Returns the frames of the samples in unknown code, in their order, and writes `~node` for theirs into `nodes`: the tree may be
 * overwritten before they get a node.
 */
function unknownLeaves(
  { frame: frameOf }: CallTree,
  rows: number,
  { isUnknown, nodes }: { readonly isUnknown: Uint8Array; readonly nodes: Int32Array },
): Int32Array {
  let count = 0;
  for (let i = 0; i < rows; i++) if (isUnknown[frameOf[nodes[i]!]!] === 1) count++;
  const leaves = new Int32Array(count);
  for (let i = 0, leaf = 0; i < rows; i++) {
    const node = nodes[i]!;
    const frame = frameOf[node]!;
    if (isUnknown[frame] !== 1) continue;
    leaves[leaf++] = frame;
    nodes[i] = ~node;
  }
  return leaves;
}

/**
 * Returns 1 for each node that gets other children than its own: those of an unknown caller, or an owner without a line.
 * `kept` has, by node, the innermost node of its stack that is not unknown.
 */
function adoptingNodes(tree: CallTree, isUnknown: Uint8Array, owners: HandlerOwners) {
  const adopts = new Uint8Array(tree.length);
  const kept = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const isKept = isUnknown[tree.frame[node]!] === 0;
    kept[node] = isKept ? node : kept[tree.parent[node]!]!;
    if (!isKept) adopts[kept[node]!] = 1;
  }
  for (let i = 0; i < owners.length; i++) {
    if (owners.hasLine[i] === 0) adopts[kept[tree.parent[owners.node[i]!]!]!] = 1;
  }
  return { adopts, kept };
}

/** Returns 1 for each of the nodes whose owners have a line, or have none. */
function ownerMarks(length: number, owners: HandlerOwners, hasLine: 0 | 1): Uint8Array {
  const marks = new Uint8Array(length);
  for (let i = 0; i < owners.length; i++) if (owners.hasLine[i] === hasLine) marks[owners.node[i]!] = 1;
  return marks;
}
