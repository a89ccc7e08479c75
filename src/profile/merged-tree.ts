import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";

/** By frame of a tree: the frames that it stands for in another one, outermost first. None leaves the frame out. */
export interface FrameChains {
  /** Where the chain of each frame begins in `numbers`. */
  readonly starts: Int32Array;
  /** Behind the last of each chain. */
  readonly ends: Int32Array;
  readonly numbers: Int32Array;
}

/** A tree that was built from another one. */
export interface MergedTree {
  readonly tree: CallTree;
  /** By new node: 1 if several old ones may have become it. */
  readonly isShared: Uint8Array;
}

/**
 * Returns the tree in which each frame stands for a chain of others, and nodes that are equal by then are one. Writes the new
 * node over each of `nodes`.
 */
export function mergedTree(
  tree: CallTree,
  { starts, ends, numbers: frames }: FrameChains,
  nodes: Int32Array,
): MergedTree {
  const { length, parent, frame } = tree;
  const merged = new CallTreeBuilder(length);
  const numbers = new Int32Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    const number = frame[node]!;
    const end = ends[number]!;
    let to = numbers[parent[node]!]!;
    for (let i = starts[number]!; i < end; i++) to = merged.child(to, frames[i]!);
    numbers[node] = to;
  }
  const isThere = new Uint8Array(merged.length);
  const isShared = new Uint8Array(merged.length);
  for (const number of numbers) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  for (let i = 0; i < nodes.length; i++) nodes[i] = numbers[nodes[i]!]!;
  return { tree: merged.finish(), isShared };
}

/** Returns chains of one frame each: `numbers` has, by frame, the one that it stands for. */
export function singleFrames(numbers: Int32Array): FrameChains {
  const starts = numbers.map((_, frame) => frame);
  return { starts, ends: starts.map((start) => start + 1), numbers };
}

/** Puts lists in one column, each one once: many are the same. */
export function chainsOf(lists: readonly (readonly number[])[]): FrameChains {
  const starts = new Int32Array(lists.length);
  const ends = new Int32Array(lists.length);
  const known = new Map<readonly number[], number>();
  const numbers: number[] = [];
  for (let i = 0; i < lists.length; i++) {
    const list = lists[i]!;
    let start = known.get(list);
    if (start === undefined) {
      start = numbers.length;
      known.set(list, start);
      for (let at = 0; at < list.length; at++) numbers.push(list[at]!);
    }
    starts[i] = start;
    ends[i] = start + list.length;
  }
  return { starts, ends, numbers: Int32Array.from(numbers) };
}
