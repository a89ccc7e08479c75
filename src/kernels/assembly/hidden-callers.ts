// Loops that find the callers that the sampler skipped, for src/symbolizer/stack-loops.ts.

import { entry, put } from "./columns";
import { add, double, putDouble } from "./doubles";
import { pairOf, pairs } from "./pairs";

/** Marks in `isCandidate` the frames that are at the top of a stack, `isTop`, called by a frame that `isAbove`. */
export function markTops(
  length: i32,
  parent: usize,
  frame: usize,
  isTop: usize,
  isAbove: usize,
  isCandidate: usize,
): void {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    const number = entry(frame, node);
    if (caller === 0 || !load<u8>(isTop + number)) continue;
    if (load<u8>(isAbove + entry(frame, caller))) store<u8>(isCandidate + number, 1);
  }
}

/** Writes the nodes whose frame `isTop`, called by a frame that `isAbove`. Returns how many there are. */
export function listTops(
  length: i32,
  parent: usize,
  frame: usize,
  isTop: usize,
  isAbove: usize,
  found: usize,
): i32 {
  let count = 0;
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller === 0 || !load<u8>(isTop + entry(frame, node))) continue;
    if (load<u8>(isAbove + entry(frame, caller))) put(found, count++, node);
  }
  return count;
}

/**
 * Numbers the distinct calls: pairs of a caller and what it called, as `callers` and `callees` name each frame; -1 for
 * frames to leave out. Returns 1 + how many there are.
 */
export function pairCalls(length: i32, parent: usize, frame: usize, callers: usize, callees: usize): i32 {
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller === 0) continue;
    const called = entry(callees, entry(frame, node));
    const above = entry(callers, entry(frame, caller));
    if (called >= 0 && above >= 0) pairOf(above, called);
  }
  return pairs;
}

/**
 * Numbers the distinct calls of callers that are `wanted`, as pairs of a frame and twice what it called, plus 1 if that called
 * something itself. Adds up their `totals` in `ticks`, and writes the most that one node has, and the first that does. Calls
 * without ticks do not count. `isInterior` is all 0; the columns by pair may have anything in them. Returns 1 + how many there
 * are.
 */
export function countCalls(
  length: i32,
  parent: usize,
  frame: usize,
  wanted: usize,
  totals: usize,
  isInterior: usize,
  ticks: usize,
  most: usize,
  nodes: usize,
): i32 {
  for (let node = 1; node < length; node++) store<u8>(isInterior + entry(parent, node), 1);
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (caller === 0 || !load<u8>(wanted + entry(frame, caller))) continue;
    const total = double(totals, node);
    if (total === 0) continue;
    const before = pairs;
    const pair = pairOf(entry(frame, caller), entry(frame, node) * 2 + load<u8>(isInterior + node));
    if (pair === before) {
      putDouble(ticks, pair, 0);
      putDouble(most, pair, 0);
    }
    add(ticks, pair, total);
    if (total <= double(most, pair)) continue;
    putDouble(most, pair, total);
    put(nodes, pair, node);
  }
  return pairs;
}

/**
 * Copies a tree with a frame between some nodes, `count` of them, and their callers. Equal ones become one. Writes the new
 * number of each node to `numbers`; `added` has room for the node of each pair. The columns that it writes may have anything
 * in them. Returns the new length.
 */
export function insertFrames(
  length: i32,
  parent: usize,
  frame: usize,
  count: i32,
  nodes: usize,
  inserted: usize,
  numbers: usize,
  added: usize,
  newParent: usize,
  newFrame: usize,
): i32 {
  put(newParent, 0, -1);
  put(newFrame, 0, -1);
  put(numbers, 0, 0);
  let made = 1;
  let next = 0;
  for (let node = 1; node < length; node++) {
    let caller = entry(numbers, entry(parent, node));
    if (next < count && entry(nodes, next) === node) {
      const number = entry(inserted, next++);
      const before = pairs;
      const pair = pairOf(caller, number);
      if (pair === before) {
        put(newParent, made, caller);
        put(newFrame, made, number);
        put(added, pair, made++);
      }
      caller = entry(added, pair);
    }
    put(newParent, made, caller);
    put(newFrame, made, entry(frame, node));
    put(numbers, node, made++);
  }
  return made;
}
