// Loops of the views over the nodes and samples of a profile. Each passes over all nodes once, callers first or last. Columns
// are as in the kernel's other loops; `ticks` are doubles, or integers of 32 bits without a sign.

import { entry, put } from "./columns";
import { add, double, ticksAt } from "./doubles";

/** Writes the nodes in depth-first order, and where those below each end. `sizes` and `next` are all 0. */
export function orderNodes(
  length: i32,
  parent: usize,
  sizes: usize,
  next: usize,
  nodes: usize,
  ends: usize,
): void {
  for (let node = length - 1; node > 0; node--) {
    const size = entry(sizes, node) + 1;
    put(sizes, node, size);
    const caller = entry(parent, node);
    put(sizes, caller, entry(sizes, caller) + size);
  }
  put(next, 0, 1);
  put(ends, 0, length);
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    const position = entry(next, caller);
    const end = position + entry(sizes, node);
    put(next, caller, end);
    put(next, node, position + 1);
    put(nodes, position, node);
    put(ends, position, end);
  }
}

/**
 * Adds the ticks below each node to its group, once for each stack. `groups` has the group of each frame, -1 for none. `under`
 * has the ticks of each node and of those below it. `open` has an integer for each group, all 0.
 */
export function addTotals(
  length: i32,
  frame: usize,
  groups: usize,
  nodes: usize,
  ends: usize,
  under: usize,
  open: usize,
  totals: usize,
): void {
  for (let at = 1; at < length; at++) {
    const node = entry(nodes, at);
    const group = entry(groups, entry(frame, node));
    if (group < 0 || at < entry(open, group)) continue;
    put(open, group, entry(ends, at));
    add(totals, group, double(under, node));
  }
}

/** Writes the innermost node of each stack whose frame is `wanted`; the root for none. */
export function innermostNodes(
  length: i32,
  parent: usize,
  frame: usize,
  wanted: usize,
  innermost: usize,
): void {
  put(innermost, 0, 0);
  for (let node = 1; node < length; node++)
    put(
      innermost,
      node,
      load<u8>(wanted + entry(frame, node)) ? node : entry(innermost, entry(parent, node)),
    );
}

/**
 * Counts each sample at the frame of the node that `nodeOf` has for its own; the root stands for none. Writes to `own` the part
 * of them in that node itself, to `order` the frames in the order of the samples, and over the samples' `nodes` 1 + the frame of
 * each; 0 for none. `isSeen` is all 0. Returns how many frames there are.
 */
export function countFrames(
  rows: i32,
  nodes: usize,
  ticks: usize,
  isDouble: bool,
  frame: usize,
  nodeOf: usize,
  totals: usize,
  own: usize,
  isSeen: usize,
  order: usize,
): i32 {
  let seen = 0;
  for (let row = 0; row < rows; row++) {
    const leaf = entry(nodes, row);
    const node = entry(nodeOf, leaf);
    if (node === 0) {
      put(nodes, row, 0);
      continue;
    }
    const number = entry(frame, node);
    const count = ticksAt(ticks, isDouble, row);
    if (!load<u8>(isSeen + number)) {
      store<u8>(isSeen + number, 1);
      put(order, seen++, number);
    }
    add(totals, number, count);
    if (node === leaf) add(own, number, count);
    put(nodes, row, number + 1);
  }
  return seen;
}

/**
 * Counts each sample at the frame of its leaf: all, those that do not idle, and those of a state without a category; and by
 * VM state. `kinds` has, by VM state, 0 for no category, 1 for another, 2 for idle. The root's samples count only by state.
 */
export function countLeaves(
  rows: i32,
  nodes: usize,
  vmState: usize,
  ticks: usize,
  isDouble: bool,
  frame: usize,
  kinds: usize,
  all: usize,
  busy: usize,
  plain: usize,
  states: usize,
): void {
  for (let row = 0; row < rows; row++) {
    const state = load<u8>(vmState + row);
    const count = ticksAt(ticks, isDouble, row);
    add(states, state, count);
    const node = entry(nodes, row);
    if (node === 0) continue;
    const number = entry(frame, node);
    const kind = load<u8>(kinds + state);
    add(all, number, count);
    if (kind !== 2) add(busy, number, count);
    if (kind === 0) add(plain, number, count);
  }
}

/**
 * Counts how often each whole number below `least` is in a column of doubles, none of which is negative. Returns how many are
 * higher, or -1 if not all are whole.
 */
export function tally(length: i32, column: usize, least: i32, counts: usize): i32 {
  let others = 0;
  for (let i = 0; i < length; i++) {
    const value = double(column, i);
    if (value >= <f64>least) {
      others++;
      continue;
    }
    const number = <i32>value;
    if (<f64>number !== value || number < 0) return -1;
    put(counts, number, entry(counts, number) + 1);
  }
  return others;
}

/** Adds up the ticks of samples by VM state. */
export function countStates(rows: i32, vmState: usize, ticks: usize, isDouble: bool, states: usize): void {
  for (let row = 0; row < rows; row++) add(states, load<u8>(vmState + row), ticksAt(ticks, isDouble, row));
}

/** Writes, by node, the bits of all frames of its stack. */
export function markStacks(length: i32, parent: usize, frame: usize, bits: usize, marks: usize): void {
  for (let node = 1; node < length; node++)
    put(marks, node, entry(marks, entry(parent, node)) | entry(bits, entry(frame, node)));
}

/**
 * Adds, by group, the ticks of stacks that pass it before the first node whose frame is `wanted`. `inside` and `below` are all 0,
 * the other columns as in {@link addTotals}.
 */
export function addTotalsAbove(
  length: i32,
  parent: usize,
  frame: usize,
  wanted: usize,
  groups: usize,
  nodes: usize,
  ends: usize,
  under: usize,
  inside: usize,
  below: usize,
  open: usize,
  totals: usize,
): void {
  for (let node = 1; node < length; node++)
    store<u8>(inside + node, load<u8>(inside + entry(parent, node)) | load<u8>(wanted + entry(frame, node)));
  for (let node = length - 1; node > 0; node--) {
    const caller = entry(parent, node);
    if (load<u8>(inside + caller)) continue;
    add(below, caller, double(load<u8>(wanted + entry(frame, node)) ? under : below, node));
  }
  for (let at = 1; at < length; at++) {
    const node = entry(nodes, at);
    if (load<u8>(inside + node)) continue;
    const group = entry(groups, entry(frame, node));
    if (at < entry(open, group)) continue;
    put(open, group, entry(ends, at));
    add(totals, group, double(below, node));
  }
}

/**
 * Writes the package that each node's ticks belong to; `outside` for none. `packages` has the package of each frame, -1 for none;
 * `node` is that of Node's JavaScript, whose loader works for the package that called it. `isLoading` is all 0.
 */
export function ownNodes(
  length: i32,
  parent: usize,
  frame: usize,
  packages: usize,
  isLoader: usize,
  nodes: i32,
  outside: i32,
  owner: usize,
  isLoading: usize,
): void {
  put(owner, 0, outside);
  for (let node = 1; node < length; node++) {
    const number = entry(frame, node);
    const caller = entry(parent, node);
    const own = entry(packages, number);
    const above = entry(owner, caller);
    const wasLoading = load<u8>(isLoading + caller);
    let to = own;
    if (own < 0) {
      to = above;
      store<u8>(isLoading + node, wasLoading);
    } else if (own === nodes && (wasLoading || load<u8>(isLoader + number))) {
      store<u8>(isLoading + node, 1);
      if (above !== outside) to = above;
    }
    put(owner, node, to);
  }
}
