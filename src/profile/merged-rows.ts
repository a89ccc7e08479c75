import { firstOf } from "./columns.js";
import { zeros } from "./long-column.js";
import type { SampleTable } from "./sample-table.js";
import { shareColumnKernel } from "./shared-kernel.js";

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
export function mergeRows(table: SampleTable, isShared: Uint8Array, last?: Int32Array): MergedRows {
  const { kept, numbers } =
    mergeInKernel(table, isShared) ?? mergeInJs(table, isShared, last ?? zeros(Int32Array, isShared.length));
  const samples = {
    length: kept,
    node: firstOf(table.node, kept),
    vmState: firstOf(table.vmState, kept),
    thread: firstOf(table.thread, kept),
    ticks: firstOf(table.ticks, kept),
  };
  return { samples, numbers };
}

/** How many rows are left in the columns, and the new row of each old one. */
interface KeptRows {
  readonly kept: number;
  readonly numbers: Int32Array;
}

/** Does what {@link mergeInJs} does. Returns undefined if there is no kernel for it. */
function mergeInKernel(table: SampleTable, isShared: Uint8Array): KeptRows | undefined {
  const { length } = table;
  const kernel = shareColumnKernel(length);
  if (kernel === undefined) return undefined;
  const bytes = (rows: number) => rows * Int32Array.BYTES_PER_ELEMENT;
  const [node, vmState, thread, ticks] = [table.node, table.vmState, table.thread, table.ticks].map(
    (column) => kernel.place(column.subarray(0, length)),
  ) as [number, number, number, number];
  const isDouble = table.ticks instanceof Float64Array;
  const [shared, last] = [kernel.place(isShared), kernel.room(bytes(isShared.length))];
  const [before, numbers] = [kernel.room(bytes(length)), kernel.room(bytes(length))];
  const { mergeRows: merge } = kernel.exports;
  const kept = merge(length, node, vmState, thread, ticks, isDouble, shared, last, before, numbers);
  if (kept < length) {
    table.node.set(kernel.integers(node, kept));
    table.vmState.set(kernel.bytes(vmState, kept));
    table.thread.set(kernel.shorts(thread, kept));
    table.ticks.set(isDouble ? kernel.doubles(ticks, kept) : kernel.integers(ticks, kept));
  }
  return { kept, numbers: kernel.copied(numbers, length) };
}

function mergeInJs(
  { length, node, vmState, thread, ticks }: SampleTable,
  isShared: Uint8Array,
  last: Int32Array,
): KeptRows {
  const numbers = zeros(Int32Array, length);
  /** By row of a shared node: 1 + the row of the same node before it. */
  const before = zeros(Int32Array, length);
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
  return { kept, numbers };
}
