import type { CallTree } from "../profile/call-tree.js";
import { slotsFor } from "../profile/child-table.js";
import type { SampleTable } from "../profile/sample-table.js";
import { shareTreeKernel } from "../profile/shared-kernel.js";
import { callsOf, type StackLoops } from "./call-pairs.js";

/**
 * Returns the loops in the kernel, with one copy of the tree for all; undefined if there is no kernel for them. They are valid
 * until another kernel is shared.
 */
export function kernelLoops(tree: CallTree, samples: SampleTable): StackLoops | undefined {
  const kernel = shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { length } = tree;
  const { exports, parent, frame } = kernel;
  const integers = (rows: number) => kernel.room(rows * Int32Array.BYTES_PER_ELEMENT);
  const doubles = (rows: number) => kernel.room(rows * Float64Array.BYTES_PER_ELEMENT);
  /** Begins pairs, of which a node makes one at most, and returns where they are. */
  const openPairs = () => {
    const [first, second] = [integers(length), integers(length)];
    const slots = slotsFor(length);
    exports.openPairs(first, second, kernel.spare(slots * Int32Array.BYTES_PER_ELEMENT), slots);
    return { first, second };
  };
  /** Returns a column by pair, whose numbers begin at 1. */
  const ofPairs = (column: number, count: number) => kernel.copied(column, count).subarray(1);
  return {
    topFrames(isTop, isAbove) {
      const isFound = kernel.room(isTop.length);
      exports.markTops(length, parent, frame, kernel.place(isTop), kernel.place(isAbove), isFound);
      return kernel.bytes(isFound, isTop.length).slice();
    },
    topNodes(isTop, isAbove) {
      const found = integers(length);
      const [top, above] = [kernel.place(isTop), kernel.place(isAbove)];
      const count = exports.listTops(length, parent, frame, top, above, found);
      return kernel.copied(found, count);
    },
    callsBetween(names) {
      openPairs();
      const named = kernel.place(names);
      exports.pairCalls(length, parent, frame, named, named);
      return (caller, called) => exports.findPair(caller, called) !== 0;
    },
    counted(wanted) {
      const { length: rows, node, ticks } = samples;
      const totals = doubles(length);
      const [leaves, counts] = [node, ticks].map((column) => kernel.place(column.subarray(0, rows)));
      exports.sumTicks(length, parent, rows, leaves!, counts!, ticks instanceof Float64Array, totals);
      const { first, second } = openPairs();
      const [sums, most, nodes] = [doubles(length), doubles(length), integers(length)];
      const isInterior = kernel.room(length);
      const marks = kernel.place(wanted);
      const { countCalls } = exports;
      const count = countCalls(length, parent, frame, marks, totals, isInterior, sums, most, nodes);
      return callsOf({
        length: count - 1,
        caller: ofPairs(first, count),
        called: ofPairs(second, count),
        ticks: kernel.doubles(sums, count).slice(1),
        most: kernel.doubles(most, count).slice(1),
        node: ofPairs(nodes, count),
      });
    },
    widened(inserted) {
      openPairs();
      const [numbers, nodes] = [integers(length), integers(length)];
      const between = kernel.place(inserted);
      const [newParent, newFrame] = [integers(2 * length), integers(2 * length)];
      const { insertFrames } = exports;
      const made = insertFrames(length, parent, frame, between, numbers, nodes, newParent, newFrame);
      return {
        tree: {
          length: made,
          parent: kernel.copied(newParent, made),
          frame: kernel.copied(newFrame, made),
        },
        numbers: kernel.copied(numbers, length),
      };
    },
  };
}
