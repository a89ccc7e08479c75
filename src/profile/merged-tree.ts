import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { slotsFor } from "./child-table.js";
import { zeros } from "./long-column.js";
import { shareTreeKernel } from "./shared-kernel.js";
import type { ColumnKernel } from "./tree-kernel.js";

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

/** The hash table begins with room for so many nodes, even if there are fewer. */
const LEAST_NODES = 1 << 10;
/** Of trees that can get longer than this, the room for all nodes counts more than the time. */
const MOST_NODES = 1 << 21;

/**
 * Returns the tree in which each frame stands for a chain of others, and nodes that are equal by then are one. Writes the new
 * node over each of `nodes`.
 */
export function mergedTree(tree: CallTree, chains: FrameChains, nodes: Int32Array): MergedTree {
  return mergedInKernel(tree, chains, nodes) ?? mergedInJs(tree, chains, nodes);
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

/** Does what {@link mergedInJs} does. Returns undefined if there is no kernel for it. */
function mergedInKernel(tree: CallTree, chains: FrameChains, nodes: Int32Array): MergedTree | undefined {
  const kernel = shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { exports, parent, frame } = kernel;
  const { length } = tree;
  const [starts, ends] = [kernel.place(chains.starts), kernel.place(chains.ends)];
  const most = exports.chainedLength(length, frame, starts, ends);
  if (most > MOST_NODES) return undefined;
  const ofFrames = kernel.place(chains.numbers);
  const moved = kernel.place(nodes);
  const numbers = kernel.spare(length * Int32Array.BYTES_PER_ELEMENT);
  const merged = openMergedTree(kernel, most);
  const kept = exports.mergeChains(length, parent, frame, starts, ends, ofFrames, 0, 0, 0, 0, 0, numbers);
  exports.renumber(nodes.length, moved, numbers);
  nodes.set(kernel.integers(moved, nodes.length));
  return merged.finish(kept);
}

/**
 * Begins a tree of up to so many nodes in a kernel. `finish` returns it once it has a length: in the columns of another tree, if
 * one is given that is not used any more and has room for it.
 */
export function openMergedTree(kernel: ColumnKernel, most: number) {
  const column = (rows: number) => kernel.spare(rows * Int32Array.BYTES_PER_ELEMENT);
  const [parent, frame, isShared] = [column(most), column(most), kernel.spare(most)];
  const [first, next, count] = [column(most), column(most), kernel.spare(most)];
  const table = kernel.spare(2 * slotsFor(Math.max(LEAST_NODES, most)) * Int32Array.BYTES_PER_ELEMENT);
  kernel.exports.openMerged(parent, frame, isShared, first, next, count, table);
  return {
    finish(length: number, old?: CallTree): MergedTree {
      const shared = zeros(Uint8Array, length);
      shared.set(kernel.bytes(isShared, length));
      const columns =
        old !== undefined && old.parent.length >= length && old.frame.length >= length ? old : undefined;
      const copied = (offset: number, to: Int32Array | undefined) => {
        if (to === undefined) return kernel.copied(offset, length);
        to.set(kernel.integers(offset, length));
        return to;
      };
      const tree = { length, parent: copied(parent, columns?.parent), frame: copied(frame, columns?.frame) };
      return { tree, isShared: shared };
    },
  };
}

function mergedInJs(
  tree: CallTree,
  { starts, ends, numbers: frames }: FrameChains,
  nodes: Int32Array,
): MergedTree {
  const { length, parent, frame } = tree;
  const merged = new CallTreeBuilder(length);
  const numbers = zeros(Int32Array, length);
  for (let node = ROOT + 1; node < length; node++) {
    const number = frame[node]!;
    const end = ends[number]!;
    let to = numbers[parent[node]!]!;
    for (let i = starts[number]!; i < end; i++) to = merged.child(to, frames[i]!);
    numbers[node] = to;
  }
  const isThere = zeros(Uint8Array, merged.length);
  const isShared = zeros(Uint8Array, merged.length);
  for (const number of numbers) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  for (let i = 0; i < nodes.length; i++) nodes[i] = numbers[nodes[i]!]!;
  return { tree: merged.finish(), isShared };
}
