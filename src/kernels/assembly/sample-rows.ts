// Loops over the samples of a profile.

import { entry, put } from "./columns";
import { add, double, putDouble, ticksAt } from "./doubles";

/**
 * Merges the rows of samples that are equal by now, over their columns, and writes the new row of each to `numbers`. `isShared`
 * has 1 for the nodes that may have equal rows. `ticks` are doubles or integers of 32 bits. `last` has room for an integer for
 * each node, and `before` for one for each row. Returns the number of rows.
 */
export function mergeRows(
  rows: i32,
  nodes: usize,
  vmState: usize,
  thread: usize,
  ticks: usize,
  isDouble: bool,
  isShared: usize,
  last: usize,
  before: usize,
  numbers: usize,
): i32 {
  let kept = 0;
  for (let row = 0; row < rows; row++) {
    const node = entry(nodes, row);
    const state = load<u8>(vmState + row);
    const owner = load<u16>(thread + ((<usize>row) << 1));
    if (load<u8>(isShared + node)) {
      let equal = entry(last, node) - 1;
      while (
        equal >= 0 &&
        (load<u8>(vmState + equal) !== state || load<u16>(thread + ((<usize>equal) << 1)) !== owner)
      ) {
        equal = entry(before, equal) - 1;
      }
      if (equal >= 0) {
        if (isDouble) add(ticks, equal, double(ticks, row));
        else put(ticks, equal, entry(ticks, equal) + entry(ticks, row));
        put(numbers, row, equal);
        continue;
      }
      put(before, kept, entry(last, node));
      put(last, node, kept + 1);
    }
    put(nodes, kept, node);
    store<u8>(vmState + kept, state);
    store<u16>(thread + ((<usize>kept) << 1), owner);
    if (isDouble) putDouble(ticks, kept, double(ticks, row));
    else put(ticks, kept, entry(ticks, row));
    put(numbers, row, kept++);
  }
  return kept;
}

/**
 * Adds up the ticks of each node's stack with those of the stacks that go on from there: see `mergeRows` for `ticks`. `totals`
 * may have anything in them.
 */
export function sumTicks(
  length: i32,
  parent: usize,
  rows: i32,
  nodes: usize,
  ticks: usize,
  isDouble: bool,
  totals: usize,
): void {
  // Memory that is read before it is written to makes the system find a page twice.
  memory.fill(totals, 0, (<usize>length) << 3);
  for (let row = 0; row < rows; row++) add(totals, entry(nodes, row), ticksAt(ticks, isDouble, row));
  for (let node = length - 1; node > 0; node--) add(totals, entry(parent, node), double(totals, node));
}
