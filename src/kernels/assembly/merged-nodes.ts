// Builds a call tree from another one, with other frames in place of each.

import { entry, hashOf, put } from "./columns";

/** The columns of the tree that is built, and by node 1 if it may stand for several of the other tree. */
let parents: usize = 0;
let frames: usize = 0;
let isShared: usize = 0;
let length: i32 = 1;
/** A hash table of its nodes by parent and frame. It has room for twice as many slots as nodes can be, from `table` on. */
let table: usize = 0;
let mask: i32 = 0;

/** The slots of the hash table at first: a power of two. */
const FIRST_SLOTS = 1 << 12;

/** Returns how many nodes a tree can have in which each frame stands for a chain of others. */
export function chainedLength(length: i32, frame: usize, starts: usize, ends: usize): f64 {
  let all: f64 = 1;
  for (let node = 1; node < length; node++) {
    const number = entry(frame, node);
    all += <f64>(entry(ends, number) - entry(starts, number));
  }
  return all;
}

/** Begins a tree, which has only its root. Its columns have room for all nodes. */
export function openMerged(parentColumn: usize, frameColumn: usize, shared: usize, slots: usize): void {
  parents = parentColumn;
  frames = frameColumn;
  isShared = shared;
  table = slots;
  mask = FIRST_SLOTS - 1;
  length = 1;
  put(parents, 0, -1);
  put(frames, 0, -1);
}

/**
 * Builds the tree in which each frame stands for a chain of others, outermost first; those of an empty one are left out.
 * Writes the new number of each node to `numbers`. `isUsed` has 1 for the nodes to keep; 0 for all. Where `extra` has a
 * frame, not -1, the caller of a node gets a child with that frame, whose number is written to `extraNumbers`; 0 for none.
 * Returns the length.
 */
export function mergeChains(
  nodes: i32,
  parent: usize,
  frame: usize,
  starts: usize,
  ends: usize,
  chains: usize,
  isUsed: usize,
  extra: usize,
  extraNumbers: usize,
  numbers: usize,
): i32 {
  for (let node = 1; node < nodes; node++) {
    const caller = entry(numbers, entry(parent, node));
    if (extra !== 0 && entry(extra, node) >= 0) {
      put(extraNumbers, node, sharedChild(caller, entry(extra, node)));
    }
    if (isUsed !== 0 && !load<u8>(isUsed + node)) continue;
    const number = entry(frame, node);
    const end = entry(ends, number);
    const before = length;
    let to = caller;
    for (let i = entry(starts, number); i < end; i++) to = childOf(to, entry(chains, i));
    if (to < before) store<u8>(isShared + to, 1);
    put(numbers, node, to);
  }
  return length;
}

/**
 * Moves samples to the nodes of the new tree. One whose frame `isOutside` becomes a child of its new node, with its new frame
 * of `ofFrame`. Returns the length.
 */
export function moveRows(
  rows: i32,
  nodes: usize,
  frame: usize,
  isOutside: usize,
  ofFrame: usize,
  numbers: usize,
): i32 {
  for (let row = 0; row < rows; row++) {
    const node = entry(nodes, row);
    const to = entry(numbers, node);
    const number = entry(frame, node);
    const isMoved = node !== 0 && load<u8>(isOutside + number);
    put(nodes, row, isMoved ? sharedChild(to, entry(ofFrame, number)) : to);
  }
  return length;
}

/** Writes `numbers` of each entry over a column. */
export function renumber(count: i32, column: usize, numbers: usize): void {
  for (let i = 0; i < count; i++) put(column, i, entry(numbers, entry(column, i)));
}

function sharedChild(caller: i32, frame: i32): i32 {
  const child = childOf(caller, frame);
  store<u8>(isShared + child, 1);
  return child;
}

function childOf(caller: i32, frame: i32): i32 {
  let slot = hashOf(caller, frame) & mask;
  for (let node = entry(table, slot); node !== 0; node = entry(table, slot)) {
    if (entry(frames, node) === frame && entry(parents, node) === caller) return node;
    slot = (slot + 1) & mask;
  }
  const child = length++;
  put(parents, child, caller);
  put(frames, child, frame);
  put(table, slot, child);
  if (length * 2 > mask) widen();
  return child;
}

/** Doubles the hash table, in place. */
function widen(): void {
  const slots = (mask + 1) * 2;
  mask = slots - 1;
  memory.fill(table, 0, (<usize>slots) << 2);
  for (let node = 1; node < length; node++) {
    let slot = hashOf(entry(parents, node), entry(frames, node)) & mask;
    while (entry(table, slot) !== 0) slot = (slot + 1) & mask;
    put(table, slot, node);
  }
}
