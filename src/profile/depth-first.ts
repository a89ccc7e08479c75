import { type CallTree, ROOT } from "./call-tree.js";

/** The nodes of a call tree in depth-first order: each is followed by all nodes below it. The root is at position 0. */
export interface DepthFirst {
  /** By position: the node. */
  readonly nodes: Int32Array;
  /** By position: that behind the last node below it. */
  readonly ends: Int32Array;
}

/** Returns the order of the nodes of a finished tree. Siblings are in the order of their numbers. */
export function depthFirst({ length, parent }: CallTree): DepthFirst {
  /** By node: how many nodes are below it, with itself. */
  const sizes = new Int32Array(length);
  for (let node = length - 1; node > ROOT; node--) sizes[parent[node]!]! += ++sizes[node]!;
  sizes[ROOT]!++;
  /** By node: the position of its next child. */
  const next = new Int32Array(length);
  next[ROOT] = 1;
  const nodes = new Int32Array(length);
  const ends = new Int32Array(length);
  ends[0] = length;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const position = next[caller]!;
    const end = position + sizes[node]!;
    next[caller] = end;
    next[node] = position + 1;
    nodes[position] = node;
    ends[position] = end;
  }
  return { nodes, ends };
}
