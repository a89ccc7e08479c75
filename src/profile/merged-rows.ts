import { firstOf } from "./columns.js";
import type { SampleTable } from "./sample-table.js";

/** Samples of which some were merged. */
export interface MergedRows {
  readonly samples: SampleTable;
  /** By old row: the new one. */
  readonly numbers: Int32Array;
}

/**
 * Merges the rows of a table that became equal because their nodes did, and returns the new row of each old one.
 * Overwrites the columns. `isShared` has 1 for the nodes that may have equal rows. `last` is a column of zeros for 1 +
 * the last row of each of these nodes.
 */
export function mergeRows(
  { length, node, vmState, thread, ticks }: SampleTable,
  isShared: Uint8Array,
  last: Int32Array = new Int32Array(isShared.length),
): MergedRows {
  const numbers = new Int32Array(length);
  /** By row of a shared node: 1 + the row of the same node before it. */
  const before = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const owner = node[i]!;
    if (isShared[owner] === 1) {
      let equal = last[owner]! - 1;
      while (equal >= 0 && (vmState[equal] !== vmState[i] || thread[equal] !== thread[i]))
        equal = before[equal]! - 1;
      if (equal >= 0) {
        ticks[equal]! += ticks[i]!;
        numbers[i] = equal;
        continue;
      }
      if (last[owner] !== 0) before[kept] = last[owner]!;
      last[owner] = kept + 1;
    }
    node[kept] = owner;
    vmState[kept] = vmState[i]!;
    if (thread[kept] !== thread[i]) thread[kept] = thread[i]!; // Memory that is never written to takes no room.
    ticks[kept] = ticks[i]!;
    numbers[i] = kept++;
  }
  const samples = {
    length: kept,
    node: firstOf(node, kept),
    vmState: firstOf(vmState, kept),
    thread: firstOf(thread, kept),
    ticks: firstOf(ticks, kept),
  };
  return { samples, numbers };
}
