import { type CallTree, ROOT } from "../../profile/call-tree.js";

/** A call tree in depth-first order, heaviest callees first. */
export interface PageTree {
  readonly length: number;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** A frame of the tree that it was made of; -1 for the root, {@link MERGED} for what stands for nodes left out. */
  readonly frame: Int32Array;
  /** By node of the tree that it was made of: the node that has its ticks. */
  readonly place: Int32Array;
}

export const MERGED = -2;

/** Brings the kept nodes into order; what is not kept has its ticks in a node of its own under the caller that is. */
export function pageTree(tree: CallTree, total: Float64Array, kept: Uint8Array): PageTree {
  const merging = mergingNodes(tree, kept);
  const callees = calleesOf(tree, kept);
  const length = kept.reduce((sum, isKept) => sum + isKept, 0) + merging.reduce((sum, has) => sum + has, 0);
  const parent = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  const frame = new Int32Array(length).fill(-1);
  const place = new Int32Array(tree.length).fill(-1);
  const mergedPlace = new Int32Array(tree.length).fill(-1);
  const pending: number[] = [ROOT];
  for (let node = 0; node < length; node++) {
    const entry = pending.pop()!;
    // A node of the tree, or below zero the one that holds what is left out under it.
    const source = entry < 0 ? -entry - 1 : entry;
    const caller = entry < 0 ? source : tree.parent[source]!;
    if (node > 0) {
      parent[node] = place[caller]!;
      depth[node] = depth[parent[node]!]! + 1;
    }
    if (entry < 0) {
      frame[node] = MERGED;
      mergedPlace[source] = node;
      continue;
    }
    place[source] = node;
    frame[node] = tree.frame[source]!;
    if (merging[source] === 1) pending.push(-source - 1);
    const own = callees.of(source).sort((a, b) => total[b]! - total[a]! || tree.frame[a]! - tree.frame[b]!);
    for (let i = own.length - 1; i >= 0; i--) pending.push(own[i]!);
  }
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (kept[node] === 1) continue;
    const caller = tree.parent[node]!;
    place[node] = kept[caller] === 1 ? mergedPlace[caller]! : place[caller]!;
  }
  return { length, parent, depth, frame, place };
}

/** By node: 1 where a callee of it is not kept, though it is. */
function mergingNodes({ length, parent }: CallTree, kept: Uint8Array): Uint8Array {
  const merging = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    if (kept[node] === 0 && kept[parent[node]!] === 1) merging[parent[node]!] = 1;
  }
  return merging;
}

function calleesOf({ length, parent }: CallTree, kept: Uint8Array): { of(node: number): Int32Array } {
  const first = new Int32Array(length + 1);
  for (let node = ROOT + 1; node < length; node++) first[parent[node]! + 1]! += kept[node]!;
  for (let node = ROOT; node < length; node++) first[node + 1]! += first[node]!;
  const next = first.slice(0, length);
  const callees = new Int32Array(first[length]!);
  for (let node = ROOT + 1; node < length; node++) {
    if (kept[node] === 1) callees[next[parent[node]!]!++] = node;
  }
  return { of: (node) => callees.subarray(first[node]!, first[node + 1]!) };
}
