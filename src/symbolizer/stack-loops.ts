import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import type { SampleTable } from "../profile/sample-table.js";

/** Distinct calls, each a pair of a caller and what it called, with their ticks. */
export interface CountedCalls {
  readonly length: number;
  readonly caller: Int32Array;
  readonly called: Int32Array;
  /** 1 if what was called called something itself in these ticks. */
  readonly isInterior: Uint8Array;
  readonly ticks: Float64Array;
  /** The most ticks of one node, and the first node that has so many. */
  readonly most: Float64Array;
  readonly node: Int32Array;
}

/** Frames to put between nodes of a tree and their callers. */
export interface Insertions {
  /** The nodes, ascending. */
  readonly nodes: Int32Array;
  /** By node: the frame. */
  readonly frames: Int32Array;
}

/** A tree into which nodes were put. */
export interface WidenedTree {
  readonly tree: CallTree;
  /** By row of the samples: its new node. */
  readonly rows: Int32Array;
}

/**
 * Loops over all nodes of a tree that tell what was called where. Marks are 1 for frames that have them; nodes that the
 * root calls have no caller.
 */
export interface StackLoops {
  /** Marks the frames at the top that a marked frame calls. */
  topFrames(isTop: Uint8Array, isAbove: Uint8Array): Uint8Array;
  /** Returns the nodes of marked frames that a marked frame calls. */
  topNodes(isTop: Uint8Array, isAbove: Uint8Array): Int32Array;
  /**
   * Returns a test of whether a name was seen to call another one: `names` has that of each frame, -1 for those to leave out.
   */
  callsBetween(names: Int32Array): (caller: number, called: number) => boolean;
  /** Returns the distinct calls of marked frames that have ticks, also in stacks that go on from there. */
  counted(wanted: Uint8Array): CountedCalls;
  /** Returns the tree with a frame between some nodes and their callers; equal ones become one. `rows` are nodes of samples. */
  widened(insertions: Insertions, rows: Int32Array): WidenedTree;
}
/** Returns the loops over a tree and its samples: plain ones over columns, since this is cold code that runs over all nodes. */
export function stackLoops(tree: CallTree, samples: SampleTable): StackLoops {
  const { length, parent, frame } = tree;
  return {
    topFrames(isTop, isAbove) {
      const isFound = new Uint8Array(isTop.length);
      for (let node = ROOT + 1; node < length; node++) {
        const number = frame[node]!;
        const caller = parent[node]!;
        if (caller !== ROOT && isTop[number] === 1 && isAbove[frame[caller]!] === 1) isFound[number] = 1;
      }
      return isFound;
    },
    topNodes(isTop, isAbove) {
      const found: number[] = [];
      for (let node = ROOT + 1; node < length; node++) {
        const caller = parent[node]!;
        if (caller !== ROOT && isTop[frame[node]!] === 1 && isAbove[frame[caller]!] === 1) found.push(node);
      }
      return Int32Array.from(found);
    },
    callsBetween(names) {
      const pairs = new PairNumbers();
      for (let node = ROOT + 1; node < length; node++) {
        const caller = parent[node]!;
        const called = names[frame[node]!]!;
        if (called < 0 || caller === ROOT) continue;
        const above = names[frame[caller]!]!;
        if (above >= 0) pairs.of(above, called);
      }
      const known = pairs.length;
      return (caller, called) => pairs.of(caller, called) < known;
    },
    counted: (wanted) => countedCalls(tree, wanted, totalTicks(tree, samples)),
    widened: (insertions, rows) => widenedTree(tree, insertions, rows),
  };
}

/** Returns the ticks of each node's stack, with those of the stacks that go on from there. */
function totalTicks(
  { length, parent }: CallTree,
  { length: rows, node: nodes, ticks }: SampleTable,
): Float64Array {
  const total = new Float64Array(length);
  for (let i = 0; i < rows; i++) total[nodes[i]!]! += ticks[i]!;
  for (let node = length - 1; node > ROOT; node--) total[parent[node]!]! += total[node]!;
  return total;
}

function countedCalls(
  { length, parent, frame }: CallTree,
  wanted: Uint8Array,
  total: Float64Array,
): CountedCalls {
  const isInterior = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) isInterior[parent[node]!] = 1;
  const pairs = new PairNumbers();
  const ticks: number[] = [];
  const most: number[] = [];
  const nodes: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const all = total[node]!;
    if (caller === ROOT || wanted[frame[caller]!] === 0 || all === 0) continue;
    const pair = pairs.of(frame[caller]!, frame[node]! * 2 + isInterior[node]!);
    ticks[pair] = (ticks[pair] ?? 0) + all;
    if (all <= (most[pair] ?? 0)) continue;
    most[pair] = all;
    nodes[pair] = node;
  }
  const called = pairs.seconds();
  return {
    length: pairs.length,
    caller: pairs.firsts(),
    called: called.map((mark) => mark >> 1),
    isInterior: columnOf(Uint8Array, called, (mark) => mark & 1),
    ticks: Float64Array.from(ticks),
    most: Float64Array.from(most),
    node: Int32Array.from(nodes),
  };
}

function widenedTree(tree: CallTree, { nodes, frames }: Insertions, rows: Int32Array): WidenedTree {
  const room = tree.length + nodes.length;
  const parent = new Int32Array(room);
  const frame = new Int32Array(room);
  const numbers = new Int32Array(tree.length);
  let length = 0;
  const add = (caller: number, number: number): number => {
    parent[length] = caller;
    frame[length] = number;
    return length++;
  };
  add(tree.parent[ROOT]!, tree.frame[ROOT]!);
  /** By pair of a caller and a frame that was put below it: the node. */
  const added: number[] = [];
  const pairs = new PairNumbers();
  let next = 0;
  for (let node = ROOT + 1; node < tree.length; node++) {
    let caller = numbers[tree.parent[node]!]!;
    if (nodes[next] === node) {
      const number = frames[next++]!;
      const pair = pairs.of(caller, number);
      added[pair] ??= add(caller, number);
      caller = added[pair];
    }
    numbers[node] = add(caller, tree.frame[node]!);
  }
  const moved = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) moved[i] = numbers[rows[i]!]!;
  return {
    tree: { length, parent: parent.subarray(0, length), frame: frame.subarray(0, length) },
    rows: moved,
  };
}
