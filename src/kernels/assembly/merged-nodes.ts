// Builds a call tree from another one, with other frames in place of each.

import { entry, hashOf, put } from "./columns";
import { nodeSlot } from "./node-slots";

/** The columns of the tree that is built. */
let parents: usize = 0;
let frames: usize = 0;
let length: i32 = 1;
/** By node: 1 if it may stand for several of the other tree. */
let isShared: usize = 0;
/** The children of a node: a list with the last hit in front, where real stacks nearly always find it. */
let firstChild: usize = 0;
let nextSibling: usize = 0;
/** By node: the number of its children; `IN_TABLE` once they are in the table. */
let childCount: usize = 0;
/**
 * A hash table by parent and frame, of the nodes that have many siblings. There is room for three times as many slots as
 * nodes can be, from `table` on.
 */
let table: usize = 0;
let mask: i32 = 0;
let inTable: i32 = 0;

/** A node with more children than this finds them by the hash table. */
const LIST_LIMIT = 16;
const IN_TABLE = 255;
/** The slots of the hash table at first: a power of two. */
const FIRST_SLOTS = 1 << 10;

/** Returns how many nodes a tree can have in which each frame stands for a chain of others. */
export function chainedLength(length: i32, frame: usize, starts: usize, ends: usize): f64 {
  let all: f64 = 1;
  for (let node = 1; node < length; node++) {
    const number = entry(frame, node);
    all += <f64>(entry(ends, number) - entry(starts, number));
  }
  return all;
}

/**
 * Begins a tree, which has only its root. There is room for all nodes in its columns, in those of their children and in the hash
 * table, see above, with anything in it.
 */
export function openMerged(
  parent: usize,
  frame: usize,
  shared: usize,
  first: usize,
  next: usize,
  count: usize,
  slots: usize,
): void {
  parents = parent;
  frames = frame;
  isShared = shared;
  firstChild = first;
  nextSibling = next;
  childCount = count;
  table = slots;
  mask = FIRST_SLOTS - 1;
  memory.fill(table, 0, FIRST_SLOTS << 2);
  inTable = 0;
  length = 0;
  add(-1, -1);
}

/**
 * Builds the tree in which each frame stands for a chain of others, outermost first; those of an empty one are left out.
 * Writes the new number of each node to `numbers`. `isUsed` has 1 for the nodes to keep; 0 for all. The callers of
 * `extraNodes`, ascending, `extras` of them, get a child with the frame in `extraFrames`, whose number is written to
 * `extraNumbers`. What is written may have anything in it before.
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
  extras: i32,
  extraNodes: usize,
  extraFrames: usize,
  extraNumbers: usize,
  numbers: usize,
): i32 {
  put(numbers, 0, 0);
  let extra = 0;
  for (let node = 1; node < nodes; node++) {
    const caller = entry(numbers, entry(parent, node));
    if (extra < extras && entry(extraNodes, extra) === node) {
      put(extraNumbers, extra, sharedChild(caller, entry(extraFrames, extra)));
      extra++;
    }
    if (isUsed !== 0 && !load<u8>(isUsed + node)) {
      put(numbers, node, 0);
      continue;
    }
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
  const first = entry(firstChild, caller);
  if (first !== 0 && entry(frames, first) === frame) return first;
  if (load<u8>(childCount + caller) === IN_TABLE) {
    const child = hashedChild(caller, frame);
    put(firstChild, caller, child); // No list any more: this is just the last hit.
    return child;
  }
  let previous = first;
  let node = first === 0 ? 0 : entry(nextSibling, first);
  while (node !== 0) {
    const next = entry(nextSibling, node);
    if (entry(frames, node) === frame) {
      put(nextSibling, previous, next);
      put(nextSibling, node, first);
      put(firstChild, caller, node);
      return node;
    }
    previous = node;
    node = next;
  }
  const child = add(caller, frame);
  put(nextSibling, child, first);
  put(firstChild, caller, child);
  const count = load<u8>(childCount + caller) + 1;
  store<u8>(childCount + caller, count);
  if (<i32>count > LIST_LIMIT) moveToTable(caller);
  return child;
}

function add(caller: i32, frame: i32): i32 {
  put(parents, length, caller);
  put(frames, length, frame);
  put(firstChild, length, 0);
  store<u8>(isShared + length, 0);
  store<u8>(childCount + length, 0);
  return length++;
}

function hashedChild(caller: i32, frame: i32): i32 {
  const known = entry(table, nodeSlot(caller, frame, parents, frames, table, mask));
  if (known !== 0) return known;
  const child = add(caller, frame);
  addToTable(child);
  return child;
}

function moveToTable(caller: i32): void {
  for (let node = entry(firstChild, caller); node !== 0; node = entry(nextSibling, node)) addToTable(node);
  store<u8>(childCount + caller, IN_TABLE);
}

function addToTable(node: i32): void {
  if (++inTable * 2 > mask) widen();
  place(node);
}

/** Doubles the hash table, in place. */
function widen(): void {
  const slots = (mask + 1) * 2;
  // What is there moves behind the room of the new table, and from there into it.
  const old = table + ((<usize>slots) << 2);
  memory.copy(old, table, (<usize>mask + 1) << 2);
  memory.fill(table, 0, (<usize>slots) << 2);
  const end = mask;
  mask = slots - 1;
  for (let slot = 0; slot <= end; slot++) {
    const node = entry(old, slot);
    if (node !== 0) place(node);
  }
}

function place(node: i32): void {
  let slot = hashOf(entry(parents, node), entry(frames, node)) & mask;
  while (entry(table, slot) !== 0) slot = (slot + 1) & mask;
  put(table, slot, node);
}
