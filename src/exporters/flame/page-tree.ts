import { type CallTree, ROOT } from "../../profile/call-tree.js";

/** A call tree in depth-first order, heaviest callees first. */
export interface PageTree {
  readonly length: number;
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** A frame of the source tree; -1 for the root, {@link MERGED} for merged nodes. */
  readonly frame: Int32Array;
}

/** The frame number of merged nodes. */
export const MERGED = -2;

/** What a page shows of a tree. */
export interface PageChoice {
  /** By node: the ticks of its stack and of all that go on from there. */
  readonly total: Float64Array;
  /** By node: 1 if the page keeps it. */
  readonly kept: Uint8Array;
}

/**
 * Sorts the kept nodes. The ticks of other nodes go to one merged node under their nearest kept caller: writes over each of
 * `nodes` the node of the page that has its ticks.
 */
export function pageTree(tree: CallTree, { total, kept }: PageChoice, nodes: Int32Array): PageTree {
  const merging = mergingNodes(tree, kept);
  const { first, callees } = calleesOf(tree, kept);
  const length = countOf(kept) + countOf(merging);
  const parent = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  const frame = new Int32Array(length).fill(-1);
  const pageNode = new Int32Array(tree.length).fill(-1);
  const mergedNode = new Int32Array(tree.length).fill(-1);
  const heaviestFirst = (a: number, b: number) => total[b]! - total[a]! || tree.frame[a]! - tree.frame[b]!;
  /** What comes next, last first. */
  const pending = new Int32Array(length);
  let waiting = 0;
  pending[waiting++] = ROOT;
  for (let node = 0; node < length; node++) {
    const entry = pending[--waiting]!;
    // A node of the tree, or if negative, the merged node under it.
    const source = entry < 0 ? -entry - 1 : entry;
    const caller = entry < 0 ? source : tree.parent[source]!;
    if (node > 0) {
      parent[node] = pageNode[caller]!;
      depth[node] = depth[parent[node]!]! + 1;
    }
    if (entry < 0) {
      frame[node] = MERGED;
      mergedNode[source] = node;
      continue;
    }
    pageNode[source] = node;
    frame[node] = tree.frame[source]!;
    if (merging[source] === 1) pending[waiting++] = -source - 1;
    const [from, to] = [first[source]!, first[source + 1]!];
    if (to > from + FEW) callees.subarray(from, to).sort(heaviestFirst);
    else sortFew(callees, from, to, heaviestFirst);
    for (let i = to - 1; i >= from; i--) pending[waiting++] = callees[i]!;
  }
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (kept[node] === 1) continue;
    const caller = tree.parent[node]!;
    pageNode[node] = kept[caller] === 1 ? mergedNode[caller]! : pageNode[caller]!;
  }
  for (let i = 0; i < nodes.length; i++) nodes[i] = pageNode[nodes[i]!]!;
  return { length, parent, depth, frame };
}

/** So many are sorted faster by {@link sortFew}. */
const FEW = 8;

/** Sorts the nodes from one index to another. */
function sortFew(nodes: Int32Array, from: number, to: number, compare: (a: number, b: number) => number) {
  for (let end = from + 1; end < to; end++) {
    const node = nodes[end]!;
    let at = end;
    for (; at > from && compare(nodes[at - 1]!, node) > 0; at--) nodes[at] = nodes[at - 1]!;
    nodes[at] = node;
  }
}

/** Returns how many marks are set in a column of 0 and 1. */
function countOf(marks: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < marks.length; i++) count += marks[i]!;
  return count;
}

/** Returns 1 for each kept node with a callee that is not kept. */
function mergingNodes({ length, parent }: CallTree, kept: Uint8Array): Uint8Array {
  const merging = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    if (kept[node] === 0 && kept[parent[node]!] === 1) merging[parent[node]!] = 1;
  }
  return merging;
}

/** Returns the callees of all nodes in one column, and where those of each begin. */
function calleesOf({ length, parent }: CallTree, kept: Uint8Array) {
  const first = new Int32Array(length + 1);
  for (let node = ROOT + 1; node < length; node++) first[parent[node]! + 1]! += kept[node]!;
  for (let node = ROOT; node < length; node++) first[node + 1]! += first[node]!;
  const next = first.slice(0, length);
  const callees = new Int32Array(first[length]!);
  for (let node = ROOT + 1; node < length; node++) {
    if (kept[node] === 1) callees[next[parent[node]!]!++] = node;
  }
  return { first, callees };
}
