// Loops over all nodes and samples of a profile that exports need. See call-trees.ts.

import { entry, hashOf, put } from "./columns";
import { add, double } from "./doubles";
import { keepNode, nodeSlot } from "./node-slots";

/** Writes, for each index, the entry that it has in another column. */
export function takeEntries(length: i32, indexes: usize, from: usize, to: usize): void {
  for (let i = 0; i < length; i++) put(to, i, entry(from, entry(indexes, i)));
}

/** Marks the nodes whose stacks have a frame that is `wanted`. */
export function markUnder(length: i32, parent: usize, frame: usize, wanted: usize, marks: usize): void {
  for (let node = 1; node < length; node++) {
    const mark = load<u8>(marks + entry(parent, node)) | load<u8>(wanted + entry(frame, node));
    if (mark) store<u8>(marks + node, mark); // Memory that is never written to takes no room.
  }
}

/**
 * Numbers distinct pairs from 0, in the order in which they come. Writes the number of each row to `numbers`, and the pairs
 * to `firsts` and `seconds`. `table` has `slots`, a power of two, at least twice the number of pairs. Returns how many pairs
 * there are.
 */
export function numberPairs(
  length: i32,
  first: usize,
  second: usize,
  numbers: usize,
  firsts: usize,
  seconds: usize,
  table: usize,
  slots: i32,
): i32 {
  const mask = slots - 1;
  let count = 0;
  for (let i = 0; i < length; i++) {
    const number = pairNumber(entry(first, i), entry(second, i), firsts, seconds, table, mask, count);
    put(numbers, i, number);
    if (number === count) count++;
  }
  return count;
}

function pairNumber(
  one: i32,
  other: i32,
  firsts: usize,
  seconds: usize,
  table: usize,
  mask: i32,
  count: i32,
): i32 {
  let slot = hashOf(one, other) & mask;
  for (let found = entry(table, slot); found !== 0; found = entry(table, slot)) {
    if (entry(firsts, found - 1) === one && entry(seconds, found - 1) === other) return found - 1;
    slot = (slot + 1) & mask;
  }
  put(firsts, count, one);
  put(seconds, count, other);
  put(table, slot, count + 1);
  return count;
}

/**
 * Writes the line of each node: `bases` has that of its frame. A frame that `isInner` and has a caller is inlined into the line
 * of its caller: both have one number, from `bases` on, that `outers` and `inners` tell, from 0 on. `table` and `slots` are as in
 * {@link numberPairs}. Returns how many lines are inlined ones.
 */
export function numberInlined(
  length: i32,
  parent: usize,
  frame: usize,
  lines: usize,
  lineCount: i32,
  isInner: usize,
  ofNode: usize,
  outers: usize,
  inners: usize,
  table: usize,
  slots: i32,
): i32 {
  const mask = slots - 1;
  let count = 0;
  for (let node = 1; node < length; node++) {
    const number = entry(frame, node);
    const caller = entry(parent, node);
    let line = entry(lines, number);
    if (load<u8>(isInner + number) && caller !== 0) {
      const inlined = pairNumber(entry(ofNode, caller), line, outers, inners, table, mask, count);
      if (inlined === count) count++;
      line = lineCount + inlined;
    }
    put(ofNode, node, line);
  }
  return count;
}

/** Returns how many nodes have frames that are `wanted`. */
export function countNodes(length: i32, frame: usize, wanted: usize): i32 {
  let count = 0;
  for (let node = 1; node < length; node++) count += load<u8>(wanted + entry(frame, node));
  return count;
}

/** Writes how many frames in a row, up to that of the node, are inlined into that of the caller: those that are `wanted`. */
export function countInlined(length: i32, parent: usize, frame: usize, wanted: usize, depths: usize): void {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller !== 0 && load<u8>(wanted + entry(frame, node))) put(depths, node, entry(depths, caller) + 1);
  }
}

/**
 * Merges the nodes that `mayMerge` and are equal with the frames `ofNode`, over the columns of the tree. A node whose frame
 * `isInner` gets the caller of its caller, unless that is the root. Writes the new number of each node to `numbers`, and 1 to
 * `wasMerged` for each new one that was several. `table` has room for twice as many nodes as were marked, and are added
 * later, `slots` of them, a power of two. Returns the new length.
 */
export function mergeNumbered(
  length: i32,
  parent: usize,
  frame: usize,
  ofNode: usize,
  isInner: usize,
  mayMerge: usize,
  numbers: usize,
  wasMerged: usize,
  table: usize,
  slots: i32,
): i32 {
  const mask = slots - 1;
  let kept = 1;
  for (let node = 1; node < length; node++) {
    let caller = entry(numbers, entry(parent, node));
    if (caller !== 0 && load<u8>(isInner + entry(frame, node))) caller = entry(parent, caller);
    const number = entry(ofNode, node);
    kept = keepNode(node, caller, number, kept, mayMerge, parent, frame, numbers, wasMerged, table, mask);
  }
  return kept;
}

/**
 * Writes the node of each sample. One in a VM state that has one of the `leaves`, by state and -1 for none, has a node for it
 * below its own. The other arguments are those of {@link mergeNumbered}, whose `kept` is the result. Returns the new length.
 */
export function placeSamples(
  length: i32,
  node: usize,
  vmState: usize,
  leaves: usize,
  numbers: usize,
  kept: i32,
  parent: usize,
  frame: usize,
  table: usize,
  slots: i32,
  nodeOf: usize,
): i32 {
  const mask = slots - 1;
  let count = kept;
  for (let i = 0; i < length; i++) {
    const own = entry(numbers, entry(node, i));
    const leaf = entry(leaves, load<u8>(vmState + i));
    if (leaf < 0) {
      put(nodeOf, i, own);
      continue;
    }
    const slot = nodeSlot(own, leaf, parent, frame, table, mask);
    if (entry(table, slot) === 0) {
      put(parent, count, own);
      put(frame, count, leaf);
      put(table, slot, count++);
    }
    put(nodeOf, i, entry(table, slot));
  }
  return count;
}

/** Adds the ticks of each sample to those of its node. Ticks are of 64 bits. */
export function addSelfTicks(length: i32, nodeOf: usize, ticks: usize, sums: usize): void {
  for (let i = 0; i < length; i++) add(sums, entry(nodeOf, i), double(ticks, i));
}

/** Adds the ticks of each node to those of its caller. */
export function sumCallees(length: i32, parent: usize, ticks: usize): void {
  for (let node = length - 1; node > 0; node--) {
    add(ticks, entry(parent, node), double(ticks, node));
  }
}

/**
 * Marks the nodes without a caller of the same number. `children` and `siblings` are room for a number by node, `onPath` by
 * number.
 */
export function markOutermost(
  length: i32,
  parent: usize,
  ofNode: usize,
  children: usize,
  siblings: usize,
  onPath: usize,
  marks: usize,
): void {
  for (let node = length - 1; node > 0; node--) {
    const caller = entry(parent, node);
    put(siblings, node, entry(children, caller));
    put(children, caller, node);
  }
  let node = entry(children, 0);
  while (node !== 0) {
    const number = entry(ofNode, node);
    const count = entry(onPath, number);
    if (count === 0) store<u8>(marks + node, 1);
    put(onPath, number, count + 1);
    let next = entry(children, node);
    while (next === 0 && node !== 0) {
      put(onPath, entry(ofNode, node), entry(onPath, entry(ofNode, node)) - 1);
      next = entry(siblings, node);
      if (next === 0) node = entry(parent, node);
    }
    node = next;
  }
}

/** Adds the ticks of each node in `marks` to those of its number, of which it marks that they are counted. */
export function addMarked(
  length: i32,
  marks: usize,
  ofNode: usize,
  ticks: usize,
  sums: usize,
  isCounted: usize,
): void {
  for (let node = 1; node < length; node++) {
    if (!load<u8>(marks + node)) continue;
    const number = entry(ofNode, node);
    add(sums, number, double(ticks, node));
    store<u8>(isCounted + number, 1);
  }
}
