// Loops over all nodes of a call tree. Each runs once over a large tree, which JavaScript would do before V8 has compiled
// it. The host, src/profile/tree-kernel.ts, puts the columns at the end of the memory. Compiled to WebAssembly by
// AssemblyScript.

import { entry, put } from "./columns";
import { keepNode } from "./node-slots";

export * from "./export-stacks";
export * from "./export-text";
export * from "./folded-nodes";
export * from "./function-trees";
export * from "./merged-nodes";
export * from "./node-passes";
export * from "./page-nodes";
export * from "./page-stacks";
export { openPairs } from "./pairs";
export * from "./sample-rows";
export * from "./shown-stacks";
export * from "./stack-marks";
export * from "./tick-batches";
export * from "./time-slices";

/** Where the columns begin. */
export const columns: usize = (__heap_base + 63) & ~63;

/**
 * Marks in `mayMerge` the nodes whose stacks have a frame that `isShared`: only these can be equal to others. `frames` has
 * the new number of each frame. Returns how many there are.
 */
export function markShared(
  length: i32,
  parent: usize,
  frame: usize,
  frames: usize,
  isShared: usize,
  mayMerge: usize,
): i32 {
  let marked = 0;
  for (let node = 1; node < length; node++) {
    const number = entry(frames, entry(frame, node));
    const mark = load<u8>(mayMerge + entry(parent, node)) | load<u8>(isShared + number);
    store<u8>(mayMerge + node, mark);
    marked += mark;
  }
  return marked;
}

/**
 * Merges the nodes that `mayMerge` and are equal by now, over the columns of the tree. Writes the new number of each node to
 * `numbers`, and 1 to `wasMerged` for each new one that was several. `table` has room for twice as many nodes as were
 * marked, `slots` of them, a power of two. Returns the new length.
 */
export function mergeNodes(
  length: i32,
  parent: usize,
  frame: usize,
  frames: usize,
  mayMerge: usize,
  numbers: usize,
  wasMerged: usize,
  table: usize,
  slots: i32,
): i32 {
  const mask = slots - 1;
  let kept = 1;
  for (let node = 1; node < length; node++) {
    const caller = entry(numbers, entry(parent, node));
    const number = entry(frames, entry(frame, node));
    kept = keepNode(node, caller, number, kept, mayMerge, parent, frame, numbers, wasMerged, table, mask);
  }
  return kept;
}

/**
 * Writes, for each node, its label; itself or its nearest caller that is not hidden; the node that gets the ticks of its
 * stack; and its nearest caller that is not hidden. `labels` has the label of each frame.
 */
export function labelNodes(
  length: i32,
  parent: usize,
  frame: usize,
  labels: usize,
  isHidden: usize,
  isUnknown: usize,
  ofNode: usize,
  visible: usize,
  leaves: usize,
  callers: usize,
): void {
  for (let node = 1; node < length; node++) {
    const number = entry(frame, node);
    const caller = entry(visible, entry(parent, node));
    const label = entry(labels, number);
    const shown = load<u8>(isHidden + number) ? caller : node;
    put(ofNode, node, label);
    put(visible, node, shown);
    put(leaves, node, load<u8>(isUnknown + label) || shown === 0 ? node : shown);
    put(callers, node, caller);
  }
}

/** Writes, for each node, the frame that was entered last: one that is `wanted` in one that is not. `entries` is all -1. */
export function enterNodes(length: i32, parent: usize, frame: usize, wanted: usize, entries: usize): void {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller === 0) continue;
    const called = entry(frame, node);
    const isEntry = load<u8>(wanted + called) && !load<u8>(wanted + entry(frame, caller));
    put(entries, node, isEntry ? called : entry(entries, caller));
  }
}
