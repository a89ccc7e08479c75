// Loops over the ticks of a log in batches, to tell how sure shares are: see src/views/tick-batches.ts.

import { entry, put } from "./columns";
import { add } from "./doubles";

/**
 * Counts the ticks of a batch by number: writes each number and its ticks from `at` on, once. `weights` has the ticks of each
 * entry, one of each if it is 0; `renumbered` the number in place of each number, if it is not 0. `counts` is all 0 before and
 * after. Returns where the numbers end.
 */
export function countTicks(
  from: i32,
  to: i32,
  numbers: usize,
  weights: usize,
  renumbered: usize,
  counts: usize,
  distinct: usize,
  ticks: usize,
  at: i32,
): i32 {
  const first = at;
  for (let i = from; i < to; i++) {
    let number = entry(numbers, i);
    if (renumbered !== 0) number = entry(renumbered, number);
    const count = entry(counts, number);
    if (count === 0) put(distinct, at++, number);
    put(counts, number, count + (weights !== 0 ? entry(weights, i) : 1));
  }
  for (let i = first; i < at; i++) {
    const number = entry(distinct, i);
    put(ticks, i, entry(counts, number));
    put(counts, number, 0);
  }
  return at;
}

/** How many rows have ticks in this run. */
let touched = 0;

/**
 * Adds the squares of a batch of `size` ticks to those of its rows. `rowOf` has the row of each number, or, with `isMask`, a bit
 * for each of its rows. `counts` and `inRun` have room for an integer for each row, all 0; `rowsOfBatch` and `rowsOfRun` for a
 * list of all rows.
 */
export function addSquares(
  from: i32,
  to: i32,
  numbers: usize,
  ticks: usize,
  rowOf: usize,
  isMask: bool,
  rows: i32,
  size: f64,
  counts: usize,
  rowsOfBatch: usize,
  inRun: usize,
  rowsOfRun: usize,
  found: usize,
): void {
  let inBatch = 0;
  for (let i = from; i < to; i++) {
    const own = entry(ticks, i);
    let left = entry(rowOf, entry(numbers, i));
    if (!isMask) {
      if (<u32>left >= <u32>rows) continue;
      const count = entry(counts, left);
      if (count === 0) put(rowsOfBatch, inBatch++, left);
      put(counts, left, count + own);
      continue;
    }
    for (; left !== 0; left &= left - 1) {
      const row = ctz(left);
      if (row >= rows) break;
      const count = entry(counts, row);
      if (count === 0) put(rowsOfBatch, inBatch++, row);
      put(counts, row, count + own);
    }
  }
  for (let i = 0; i < inBatch; i++) {
    const row = entry(rowsOfBatch, i);
    const count = <f64>(<u32>entry(counts, row));
    put(counts, row, 0);
    add(found, row, (count * count) / size);
    const before = entry(inRun, row);
    if (before === 0) put(rowsOfRun, touched++, row);
    put(inRun, row, before + <i32>(<u32>count));
  }
}

/** Ends a run of `size` ticks in so many batches. */
export function endRun(
  batches: i32,
  size: f64,
  inRun: usize,
  rowsOfRun: usize,
  found: usize,
  expected: usize,
): void {
  for (let i = 0; i < touched; i++) {
    const row = entry(rowsOfRun, i);
    const count = <f64>(<u32>entry(inRun, row));
    put(inRun, row, 0);
    add(found, row, -((count * count) / size));
    add(expected, row, <f64>(batches - 1) * (count / size) * (1 - count / size));
  }
  touched = 0;
}
