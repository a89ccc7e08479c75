import type { CallTree } from "./call-tree.js";
import type { ShownFrames } from "./shown-frames.js";

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

/** Loops over all nodes of a tree and all its samples that make the stacks that views show. */
export interface ShownLoops {
  /** Returns whether a marked frame calls something. */
  hasCaller(isMarked: Uint8Array): boolean;
  /** Returns the samples in marked frames that a frame that `isCaller` calls. */
  calledRows(isMarked: Uint8Array, isCaller: Uint8Array): Int32Array;
  /**
   * Returns 1 for each node that keeps a sample when the owners have got theirs, or is on the way to one, and for each frame that
   * has such a node, of so many `frames`.
   */
  used(owners: HandlerOwners, frames: number): { readonly isUsed: Uint8Array; readonly hasNode: Uint8Array };
  /** Returns the stacks after a change. */
  thinned(change: StackChange): ThinnedStacks;
}

/** Returns 1 for each of the nodes whose owners have a line, or have none. */
export function ownerMarks(length: number, owners: HandlerOwners, hasLine: 0 | 1): Uint8Array {
  const marks = new Uint8Array(length);
  for (let i = 0; i < owners.length; i++) if (owners.hasLine[i] === hasLine) marks[owners.node[i]!] = 1;
  return marks;
}

/** Returns the nodes of owners that have no line, each once, ascending. */
export function linelessNodes(owners: HandlerOwners): Int32Array {
  const nodes = owners.node.filter((_, i) => owners.hasLine[i] === 0);
  return Int32Array.from(new Set(nodes)).sort();
}
