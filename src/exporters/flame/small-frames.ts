import { type CallTree, ROOT } from "../../profile/call-tree.js";
import { shareTreeKernel } from "../../profile/shared-kernel.js";

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
  const bound = tallied(tree, total, limit) ?? total.slice(0, tree.length).sort()[tree.length - limit]!;
  const keeping = { bound, limit, kept };
  return { kept, ...(keepInKernel(tree, total, keeping) ?? keepInJs(tree, total, keeping)) };
}

type LeftNodes = Pick<KeptNodes, "largest" | "left">;

/** What nodes are kept. */
interface Keeping {
  /** The lowest of the `limit` highest ticks. */
  readonly bound: number;
  readonly limit: number;
  /** All 1. */
  readonly kept: Uint8Array;
}

/** Does what {@link keepInJs} does. Returns undefined if there is no kernel for it. */
function keepInKernel(
  tree: CallTree,
  total: Float64Array,
  { bound, limit, kept }: Keeping,
): LeftNodes | undefined {
  const kernel = shareTreeKernel(tree, [total]);
  if (kernel === undefined) return undefined;
  const { exports, parent } = kernel;
  const spare = (count: number) => kernel.spare(count * Int32Array.BYTES_PER_ELEMENT);
  const { length } = tree;
  const [totals, marks] = [kernel.keptAt(total), kernel.place(kept)];
  const [depths, counts] = [spare(length), spare(length)];
  const largest = exports.keepAbove(length, parent, totals, bound, limit, depths, counts, marks);
  kept.set(kernel.bytes(marks, length));
  return { largest, left: exports.leftOut.value };
}

/** Sets `kept` to 0 for the nodes that are not kept. */
function keepInJs(tree: CallTree, total: Float64Array, { bound, limit, kept }: Keeping): LeftNodes {
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
  return { largest, left };
}

/** Ticks below this number are tallied. */
const TALLIED = 1 << 16;

/** Returns the lowest of the `limit` highest ticks. Returns undefined if they must be sorted. */
function tallied(tree: CallTree, total: Float64Array, limit: number): number | undefined {
  const kernel = shareTreeKernel(tree, [total]);
  if (kernel === undefined) return undefined;
  const counts = kernel.room(TALLIED * Int32Array.BYTES_PER_ELEMENT);
  const others = kernel.exports.tally(tree.length, kernel.keptAt(total), TALLIED, counts);
  const found = kernel.integers(counts, TALLIED);
  let above = others;
  if (others < 0 || above >= limit) return undefined;
  for (let ticks = TALLIED - 1; ticks >= 0; ticks--) {
    above += found[ticks]!;
    if (above >= limit) return ticks;
  }
  return undefined;
}
