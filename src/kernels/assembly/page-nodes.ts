// Chooses and orders the nodes of a page of flames: see src/exporters/flame/small-frames.ts and page-tree.ts. `ticks`
// are doubles, `kept` has 1 for each node of the tree that the page keeps.

import { entry, put } from "./columns";
import { double } from "./doubles";

/** The frame number of merged nodes. */
const MERGED: i32 = -2;
/** So many are sorted faster one by one. */
const FEW: i32 = 8;

/** How many nodes {@link keepAbove} has not kept. */
export let leftOut: i32 = 0;

/** What the callees that are sorted go by. */
let totals: usize = 0;
let frames: usize = 0;

/**
 * Keeps the nodes whose ticks are above `bound`, and, of those with just as many, the outermost: whole levels of the tree,
 * as long as there is `room` for them. `kept` is all 1; `depths` and `counts` have room for an integer for each node.
 * Returns the highest ticks of a node that is not kept; 0 if all are.
 */
export function keepAbove(
  length: i32,
  parent: usize,
  ticks: usize,
  bound: f64,
  room: i32,
  depths: usize,
  counts: usize,
  kept: usize,
): f64 {
  let left = room;
  let deepest = 0;
  let reached = -1;
  for (let node = 0; node < length; node++) {
    const depth = node === 0 ? 0 : entry(depths, entry(parent, node)) + 1;
    put(depths, node, depth);
    if (depth > reached) {
      reached = depth;
      put(counts, depth, 0);
    }
    const value = double(ticks, node);
    if (value > bound) left--;
    else if (value === bound) {
      put(counts, depth, entry(counts, depth) + 1);
      deepest = max(deepest, depth);
    }
  }
  let level = 0;
  while (level <= deepest && entry(counts, level) <= left) left -= entry(counts, level++);
  let largest: f64 = 0;
  leftOut = 0;
  for (let node = 1; node < length; node++) {
    const value = double(ticks, node);
    if (value > bound || (value === bound && entry(depths, node) < level)) continue;
    store<u8>(kept + node, 0);
    leftOut++;
    largest = max(largest, value);
  }
  return largest;
}

/**
 * Marks in `merging` the kept nodes with a callee that is not kept, and writes to `callees` the kept callees of all nodes,
 * and to `first` where those of each begin. `merging` and `first` are all 0; `first` has an integer more than there are
 * nodes. Returns the number of nodes of the page.
 */
export function gatherCallees(
  length: i32,
  parent: usize,
  kept: usize,
  merging: usize,
  first: usize,
  next: usize,
  callees: usize,
): i32 {
  let nodes = 1;
  for (let node = 1; node < length; node++) {
    const caller = entry(parent, node);
    if (load<u8>(kept + node)) {
      put(first, caller + 1, entry(first, caller + 1) + 1);
      nodes++;
    } else if (load<u8>(kept + caller) && !load<u8>(merging + caller)) {
      store<u8>(merging + caller, 1);
      nodes++;
    }
  }
  for (let node = 0; node < length; node++) {
    const from = entry(first, node);
    put(next, node, from);
    put(first, node + 1, entry(first, node + 1) + from);
  }
  for (let node = 1; node < length; node++) {
    if (!load<u8>(kept + node)) continue;
    const caller = entry(parent, node);
    const at = entry(next, caller);
    put(callees, at, node);
    put(next, caller, at + 1);
  }
  return nodes;
}

/**
 * Writes the caller, the depth and the frame of each of the page's `nodes`, in depth-first order, heaviest callees first
 * and merged nodes last, and to `pageNode` the node of the page that has the ticks of each node of the tree. `merging`,
 * `first` and `callees` are those of {@link gatherCallees}. `pending` has room for all nodes of the page, `merged` for
 * those of the tree.
 */
export function orderPage(
  nodes: i32,
  length: i32,
  parent: usize,
  frame: usize,
  ticks: usize,
  kept: usize,
  merging: usize,
  first: usize,
  callees: usize,
  pending: usize,
  merged: usize,
  pageParent: usize,
  pageDepth: usize,
  pageFrame: usize,
  pageNode: usize,
): void {
  totals = ticks;
  frames = frame;
  let waiting = 1;
  put(pending, 0, 0);
  for (let node = 0; node < nodes; node++) {
    const next = entry(pending, --waiting);
    // A node of the tree or, if negative, the merged node under it.
    const source = next < 0 ? -next - 1 : next;
    const caller = node === 0 ? -1 : entry(pageNode, next < 0 ? source : entry(parent, source));
    put(pageParent, node, caller);
    put(pageDepth, node, caller < 0 ? 0 : entry(pageDepth, caller) + 1);
    if (next < 0) {
      put(pageFrame, node, MERGED);
      put(merged, source, node);
      continue;
    }
    put(pageNode, source, node);
    put(pageFrame, node, node === 0 ? -1 : entry(frame, source));
    if (load<u8>(merging + source)) put(pending, waiting++, -source - 1);
    const from = entry(first, source);
    const to = entry(first, source + 1);
    sortCallees(callees, from, to);
    for (let at = to - 1; at >= from; at--) put(pending, waiting++, entry(callees, at));
  }
  for (let node = 1; node < length; node++) {
    if (load<u8>(kept + node)) continue;
    const caller = entry(parent, node);
    put(pageNode, node, entry(load<u8>(kept + caller) ? merged : pageNode, caller));
  }
}

/** Sorts callees from one index to another, heaviest first. */
function sortCallees(callees: usize, from: i32, to: i32): void {
  if (to - from > FEW) {
    sortMany(callees + ((<usize>from) << 2), to - from);
    return;
  }
  for (let end = from + 1; end < to; end++) {
    const node = entry(callees, end);
    let at = end;
    for (; at > from && isBefore(node, entry(callees, at - 1)); at--)
      put(callees, at, entry(callees, at - 1));
    put(callees, at, node);
  }
}

/** Sorts by a heap, whose first node is the one that comes last. */
function sortMany(heap: usize, count: i32): void {
  for (let at = (count >> 1) - 1; at >= 0; at--) sink(heap, at, count);
  for (let end = count - 1; end > 0; end--) {
    const last = entry(heap, 0);
    put(heap, 0, entry(heap, end));
    put(heap, end, last);
    sink(heap, 0, end);
  }
}

/** Moves the node at an index of a heap down to its place. */
function sink(heap: usize, index: i32, count: i32): void {
  const node = entry(heap, index);
  let at = index;
  for (let below = 2 * at + 1; below < count; below = 2 * at + 1) {
    if (below + 1 < count && isBefore(entry(heap, below), entry(heap, below + 1))) below++;
    if (!isBefore(node, entry(heap, below))) break;
    put(heap, at, entry(heap, below));
    at = below;
  }
  put(heap, at, node);
}

function isBefore(one: i32, other: i32): bool {
  const ticks = double(totals, one);
  const others = double(totals, other);
  return ticks > others || (ticks === others && entry(frames, one) < entry(frames, other));
}
