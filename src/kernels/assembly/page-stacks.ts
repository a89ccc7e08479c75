// Stacks of a page of flames by what V8 did, and their ticks: see src/exporters/flame/gc-stacks.ts and page-samples.ts.

import { entry, put } from "./columns";
import { add, double, putDouble, ticksAt } from "./doubles";

/**
 * Marks the nodes that have, or call what has, ticks of samples of the `wanted` kind. `kinds` has the kind of each VM
 * state; `ticks` are as in {@link ticksAt}; `needed` is all 0. Returns how many nodes that are, without the root; -1 if
 * there is no such sample.
 */
export function markNeeded(
  rows: i32,
  nodes: usize,
  vmState: usize,
  kinds: usize,
  wanted: u32,
  ticks: usize,
  isDouble: bool,
  length: i32,
  parent: usize,
  needed: usize,
): i32 {
  let count = -1;
  for (let row = 0; row < rows; row++) {
    if (load<u8>(kinds + load<u8>(vmState + row)) !== wanted) continue;
    count = 0;
    if (ticksAt(ticks, isDouble, row) > 0) store<u8>(needed + entry(nodes, row), 1);
  }
  if (count < 0) return count;
  for (let node = length - 1; node > 0; node--) {
    if (!load<u8>(needed + node)) continue;
    store<u8>(needed + entry(parent, node), 1);
    count++;
  }
  return count;
}

/**
 * Adds the `needed` nodes of a tree under the node `root` of another one that has `from` nodes, with `shift` added to their
 * frames. Writes the new node of each node to `numbers`, 0 for those not needed. Returns how many nodes the other tree has then.
 */
export function addNeeded(
  length: i32,
  parent: usize,
  frame: usize,
  needed: usize,
  root: i32,
  shift: i32,
  from: i32,
  numbers: usize,
  newParent: usize,
  newFrame: usize,
): i32 {
  let next = from;
  put(numbers, 0, root);
  for (let node = 1; node < length; node++) {
    if (!load<u8>(needed + node)) {
      put(numbers, node, 0);
      continue;
    }
    put(newParent, next, entry(numbers, entry(parent, node)));
    put(newFrame, next, entry(frame, node) + shift);
    put(numbers, node, next++);
  }
  return next;
}

/** Writes the new node of the samples of a kind, over their `nodes` in `newNodes`. */
export function moveNeeded(
  rows: i32,
  nodes: usize,
  vmState: usize,
  kinds: usize,
  wanted: u32,
  numbers: usize,
  newNodes: usize,
): void {
  for (let row = 0; row < rows; row++) {
    if (load<u8>(kinds + load<u8>(vmState + row)) === wanted)
      put(newNodes, row, entry(numbers, entry(nodes, row)));
  }
}

/** Adds up the ticks of samples by node. Writes the nodes that have some, and their ticks, and returns how many they are. */
export function ticksByNode(
  rows: i32,
  nodes: usize,
  ticks: usize,
  isDouble: bool,
  length: i32,
  sums: usize,
  found: usize,
  ofFound: usize,
): i32 {
  for (let row = 0; row < rows; row++) add(sums, entry(nodes, row), ticksAt(ticks, isDouble, row));
  let count = 0;
  for (let node = 0; node < length; node++) {
    const sum = double(sums, node);
    if (sum === 0) continue;
    put(found, count, node);
    putDouble(ofFound, count++, sum);
  }
  return count;
}

/**
 * Writes integers as numbers of one to five bytes, seven bits in each, the lowest first: see src/exporters/flame/pack-column.ts.
 * Returns the number of bytes; -1 if an integer is negative.
 */
export function packIntegers(count: i32, column: usize, bytes: usize): i32 {
  let to = bytes;
  for (let i = 0; i < count; i++) {
    let rest = <u32>entry(column, i);
    if (<i32>rest < 0) return -1;
    for (; rest >= 128; rest >>= 7) store<u8>(to++, (rest & 127) | 128);
    store<u8>(to++, rest);
  }
  return <i32>(to - bytes);
}
