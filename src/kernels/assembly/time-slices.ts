// Counts what the chart over time of a page would have: see src/exporters/flame/time-slices.ts.

import { entry, put } from "./columns";

/** What was counted so far: stacks, boxes and slices; and the thread of the last slice and how many ticks it has room for. */
let rows = 0;
let boxes = 0;
let slice = 0;
let thread = -1;
let left = 0;

/** Begins to count. */
export function openSlices(): void {
  rows = 0;
  boxes = 0;
  slice = 0;
  thread = -1;
  left = 0;
}

/**
 * Counts the ticks that follow, of the samples `sampleOf`, in slices of `size`. `nodes` and `threads` go by sample. `ends` and
 * `passes` have, by node, the last slice with a stack that ends at it, and with one through it. Returns whether there are at most
 * so many rows and boxes.
 */
export function countSlices(
  ticks: i32,
  sampleOf: usize,
  nodes: usize,
  threads: usize,
  parent: usize,
  ends: usize,
  passes: usize,
  size: i32,
  mostRows: i32,
  mostBoxes: i32,
): bool {
  for (let tick = 0; tick < ticks; tick++) {
    const sample = entry(sampleOf, tick);
    const owner = <i32>load<u16>(threads + ((<usize>sample) << 1));
    if (left === 0 || owner !== thread) {
      slice++;
      left = size;
      thread = owner;
    }
    left--;
    const node = entry(nodes, sample);
    if (entry(ends, node) === slice) continue;
    put(ends, node, slice);
    for (let at = node; at >= 0 && entry(passes, at) !== slice; at = entry(parent, at)) {
      put(passes, at, slice);
      boxes++;
    }
    if (++rows > mostRows || boxes > mostBoxes) return false;
  }
  return true;
}
