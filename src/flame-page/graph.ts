import { FRAME_KINDS } from "./frame-kind.js";
import { inOrder, type SideTicks } from "./side-ticks.js";

/**
 * A call tree as shown, in depth-first order with the heaviest callees first. Node 0 is the root and has all
 * ticks; its function is -1, unless the graph belongs to one function.
 */
export interface Graph {
  readonly length: number;
  readonly parent: Int32Array;
  /** 0 for the root. */
  readonly depth: Int32Array;
  readonly function: Int32Array;
  /** The kind of most of its ticks, an index into `FRAME_KINDS`. */
  readonly kind: Uint8Array;
  /** 1 if more than half of its ticks are inlined into the caller's code. */
  readonly inlined: Uint8Array;
  /** 1 if more than half of its ticks are inferred: their stacks in the log do not have it. */
  readonly inferred: Uint8Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** Its left side in ticks, with callees side by side and heaviest first. */
  readonly start: Float64Array;
  /** Ticks by kind: of node `n` and kind `k` at `n * FRAME_KINDS.length + k`. */
  readonly kindTicks: Float64Array;
  readonly inlinedTicks: Float64Array;
  readonly inferredTicks: Float64Array;
  /** Only if the page compares two sides. */
  readonly sides?: SideTicks | undefined;
}

/** A tree in any order, from which a {@link Graph} is made. */
export interface Unsorted {
  readonly length: number;
  /** `parent[n] < n`; -1 for the root. */
  readonly parent: Int32Array;
  readonly function: Int32Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly kindTicks: Float64Array;
  readonly inlinedTicks: Float64Array;
  readonly inferredTicks: Float64Array;
  readonly sides?: SideTicks | undefined;
}

export const KIND_COUNT = FRAME_KINDS.length;

/** A sorted graph, and the new index of each node of the unsorted one. */
export interface Sorted {
  readonly graph: Graph;
  readonly newIndex: Int32Array;
}

/**
 * Sorts callees by ticks, of both sides if there are two, then by title, and puts the tree into depth-first
 * order.
 */
export function sortGraph(tree: Unsorted, titles: readonly string[]): Sorted {
  const { length, sides } = tree;
  // Frames keep their places when the page shows one side and then the other.
  const weight =
    sides === undefined ? tree.total : sides.total[0].map((ticks, n) => ticks + sides.total[1][n]!);
  const order = depthFirst(tree, (a, b) => {
    const byTicks = weight[b]! - weight[a]!;
    if (byTicks !== 0) return byTicks;
    const f = tree.function[a]!;
    const g = tree.function[b]!;
    return compareTexts(titles[f] ?? "", titles[g] ?? "") || f - g || a - b;
  });
  const newIndex = new Int32Array(length);
  for (let i = 0; i < length; i++) newIndex[order[i]!] = i;
  const parent = new Int32Array(length).fill(-1);
  const depth = new Int32Array(length);
  const start = new Float64Array(length);
  const free = new Float64Array(length);
  const self = new Float64Array(length);
  const total = new Float64Array(length);
  const functions = new Int32Array(length);
  const kind = new Uint8Array(length);
  const kindTicks = new Float64Array(length * KIND_COUNT);
  const inlined = new Uint8Array(length);
  const inlinedTicks = new Float64Array(length);
  const inferred = new Uint8Array(length);
  const inferredTicks = new Float64Array(length);
  for (let node = 0; node < length; node++) {
    const from = order[node]!;
    functions[node] = tree.function[from]!;
    self[node] = tree.self[from]!;
    total[node] = tree.total[from]!;
    inlinedTicks[node] = tree.inlinedTicks[from]!;
    inlined[node] = inlinedTicks[node]! * 2 > total[node]! ? 1 : 0;
    inferredTicks[node] = tree.inferredTicks[from]!;
    inferred[node] = inferredTicks[node]! * 2 > total[node]! ? 1 : 0;
    for (let k = 0; k < KIND_COUNT; k++) {
      kindTicks[node * KIND_COUNT + k] = tree.kindTicks[from * KIND_COUNT + k]!;
    }
    kind[node] = mainKind(kindTicks, node);
    if (node === 0) continue;
    const caller = newIndex[tree.parent[from]!]!;
    parent[node] = caller;
    depth[node] = depth[caller]! + 1;
    start[node] = free[caller]!;
    free[node] = start[node]!;
    free[caller]! += total[node]!;
  }
  const graph: Graph = {
    length,
    parent,
    depth,
    function: functions,
    kind,
    inlined,
    inferred,
    self,
    total,
    start,
    kindTicks,
    inlinedTicks,
    inferredTicks,
    sides: sides && inOrder(sides, order),
  };
  return { graph, newIndex };
}

/** Returns the end of a node's subtree in depth-first order: the first node that is not in it. */
export function endOf({ depth, length }: Graph, node: number): number {
  let end = node + 1;
  while (end < length && depth[end]! > depth[node]!) end++;
  return end;
}

/** Compares texts by UTF-16 units, independent of locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function mainKind(kindTicks: Float64Array, node: number): number {
  let best = 0;
  const from = node * KIND_COUNT;
  for (let kind = 1; kind < KIND_COUNT; kind++) {
    if (kindTicks[from + kind]! > kindTicks[from + best]!) best = kind;
  }
  return best;
}

/** Returns the nodes, each before its callees, with callees in the order of `compare`. */
function depthFirst({ length, parent }: Unsorted, compare: (a: number, b: number) => number): Int32Array {
  // The callees of all nodes in one list: those of n are from first[n] to first[n + 1].
  const first = new Int32Array(length + 1);
  for (let node = 1; node < length; node++) first[parent[node]! + 1]!++;
  for (let node = 0; node < length; node++) first[node + 1]! += first[node]!;
  const next = first.slice(0, length);
  const callees = new Int32Array(Math.max(0, length - 1));
  for (let node = 1; node < length; node++) callees[next[parent[node]!]!++] = node;
  const order = new Int32Array(length);
  const stack = [0];
  for (let i = 0; i < length; i++) {
    const node = stack.pop()!;
    order[i] = node;
    const own = callees.subarray(first[node]!, first[node + 1]!);
    if (own.length > 1) own.sort(compare);
    for (let callee = own.length - 1; callee >= 0; callee--) stack.push(own[callee]!);
  }
  return order;
}
