import type { CallTree } from "../profile/call-tree.js";
import { slotsFor } from "../profile/child-table.js";
import type { SampleTable } from "../profile/sample-table.js";
import { shareTreeKernel } from "../profile/shared-kernel.js";
import type { TreeKernel } from "../profile/tree-kernel.js";
import { callsOf, type StackLoops } from "./call-pairs.js";

/**
 * Returns the loops in the kernel, with one copy of the tree for all; undefined if there is no kernel for them. Each uses the
 * memory of the one before.
 */
export function kernelLoops(tree: CallTree, samples: SampleTable): StackLoops | undefined {
  const opened = shareTreeKernel(tree);
  if (opened === undefined) return undefined;
  const { length } = tree;
  const open = (): TreeKernel => shareTreeKernel(tree) ?? opened;
  return {
    topFrames(isTop, isAbove) {
      const kernel = open();
      const { exports, parent, frame } = kernel;
      const isFound = kernel.room(isTop.length);
      exports.markTops(length, parent, frame, kernel.place(isTop), kernel.place(isAbove), isFound);
      return kernel.bytes(isFound, isTop.length).slice();
    },
    topNodes(isTop, isAbove) {
      const kernel = open();
      const { exports, parent, frame } = kernel;
      const found = integers(kernel, length);
      const [top, above] = [kernel.place(isTop), kernel.place(isAbove)];
      const count = exports.listTops(length, parent, frame, top, above, found);
      return kernel.copied(found, count);
    },
    callsBetween(names) {
      const kernel = open();
      const { exports, parent, frame } = kernel;
      openPairs(kernel, length);
      const named = kernel.place(names);
      exports.pairCalls(length, parent, frame, named, named);
      return (caller, called) => exports.findPair(caller, called) !== 0;
    },
    counted(wanted) {
      const kernel = open();
      const { exports, parent, frame } = kernel;
      const { length: rows, node, ticks } = samples;
      const totals = doubles(kernel, length);
      const [leaves, counts] = [node, ticks].map((column) => kernel.place(column.subarray(0, rows)));
      exports.sumTicks(length, parent, rows, leaves!, counts!, ticks instanceof Float64Array, totals);
      const isInterior = kernel.room(length);
      const marks = kernel.place(wanted);
      const { first, second } = openPairs(kernel, length);
      const [sums, most] = [doubles(kernel, length), doubles(kernel, length)];
      const nodes = integers(kernel, length);
      const { countCalls } = exports;
      const count = countCalls(length, parent, frame, marks, totals, isInterior, sums, most, nodes);
      /** Returns a column by pair, whose numbers begin at 1. */
      const ofPairs = (column: number) => kernel.copied(column, count).subarray(1);
      return callsOf({
        length: count - 1,
        caller: ofPairs(first),
        called: ofPairs(second),
        ticks: kernel.doubles(sums, count).slice(1),
        most: kernel.doubles(most, count).slice(1),
        node: ofPairs(nodes),
      });
    },
    widened({ nodes, frames }, rows) {
      const kernel = open();
      const { exports, parent, frame } = kernel;
      const most = length + nodes.length;
      const [newParent, newFrame, numbers] = [most, most, length].map((count) => integers(kernel, count)) as [
        number,
        number,
        number,
      ];
      const [below, inserted, ofRows] = [kernel.place(nodes), kernel.place(frames), kernel.place(rows)];
      const added = integers(kernel, nodes.length + 1);
      openPairs(kernel, length);
      const made = exports.insertFrames(
        length,
        parent,
        frame,
        nodes.length,
        below,
        inserted,
        numbers,
        added,
        newParent,
        newFrame,
      );
      exports.renumber(rows.length, ofRows, numbers);
      const tree = {
        length: made,
        parent: kernel.copied(newParent, made),
        frame: kernel.copied(newFrame, made),
      };
      return { tree, rows: kernel.copied(ofRows, rows.length) };
    },
  };
}

/** Returns where room for integers begins, with anything in them. */
function integers(kernel: TreeKernel, count: number): number {
  return kernel.spare(count * Int32Array.BYTES_PER_ELEMENT);
}

/** Returns where room for doubles begins, with anything in them. */
function doubles(kernel: TreeKernel, count: number): number {
  return kernel.spare(count * Float64Array.BYTES_PER_ELEMENT);
}

/** Begins pairs, of which a node makes one at most, and returns where they are. */
function openPairs(kernel: TreeKernel, nodes: number) {
  const [first, second] = [integers(kernel, nodes), integers(kernel, nodes)];
  const slots = slotsFor(nodes);
  kernel.exports.openPairs(first, second, integers(kernel, slots), slots);
  return { first, second };
}
