import { type CallTree, ROOT } from "../../profile/call-tree.js";

/** The nodes of a tree that a page keeps. */
export interface KeptNodes {
  /** By node: 1 if it is kept. Callers of kept nodes are kept. */
  readonly kept: Uint8Array;
  /** The highest ticks of a node that is not kept; 0 if all are. */
  readonly largest: number;
  /** How many nodes are not kept. */
  readonly left: number;
}

/** Keeps the nodes with the most total ticks, at most `limit` of them; among equals the outermost. */
export function keepLargest(tree: CallTree, total: Float64Array, limit: number): KeptNodes {
  const kept = new Uint8Array(tree.length).fill(1);
  if (tree.length <= limit) return { kept, largest: 0, left: 0 };
  const bound = total.slice(0, tree.length).sort()[tree.length - limit]!;
  const depth = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) depth[node] = depth[tree.parent[node]!]! + 1;
  let room = limit;
  const atDepth: number[] = [];
  for (let node = ROOT; node < tree.length; node++) {
    if (total[node]! > bound) room--;
    else if (total[node] === bound) atDepth[depth[node]!] = (atDepth[depth[node]!] ?? 0) + 1;
  }
  let deepest = -1;
  for (const [level, count = 0] of atDepth.entries()) {
    if (count > room) break;
    room -= count;
    deepest = level;
  }
  let largest = 0;
  let left = 0;
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (total[node]! > bound || (total[node] === bound && depth[node]! <= deepest)) continue;
    kept[node] = 0;
    left++;
    largest = Math.max(largest, total[node]!);
  }
  return { kept, largest, left };
}
