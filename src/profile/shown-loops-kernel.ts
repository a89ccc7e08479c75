import type { CallTree } from "./call-tree.js";
import { columnOf } from "./columns.js";
import { zeros } from "./long-column.js";
import { openMergedTree } from "./merged-tree.js";
import type { SampleTable } from "./sample-table.js";
import { shareTreeKernel } from "./shared-kernel.js";
import { linelessNodes, ownerMarks, type ShownLoops, type StackChange } from "./shown-change.js";
import { lowerBound } from "./sorted.js";

/** With more samples, their copy in the kernel's memory counts more than the time. */
const MOST_SAMPLES = 1 << 19;

/**
 * Returns the loops in the kernel, with one copy of the tree for all; undefined if there is no kernel for them. They are valid
 * until another kernel is shared.
 */
export function kernelShownLoops(tree: CallTree, samples: SampleTable): ShownLoops | undefined {
  const rows = samples.length;
  const kernel = rows > MOST_SAMPLES ? undefined : shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { length } = tree;
  const { exports, parent, frame } = kernel;
  const leaves = kernel.place(samples.node.subarray(0, rows));
  const integers = (count: number) => kernel.spare(count * Int32Array.BYTES_PER_ELEMENT);
  return {
    hasCaller: (isMarked) => exports.hasCaller(length, parent, frame, kernel.place(isMarked)) !== 0,
    calledRows(isMarked, isCaller) {
      const found = integers(rows);
      const [marked, callers] = [kernel.place(isMarked), kernel.place(isCaller)];
      return kernel.copied(found, exports.calledRows(rows, leaves, parent, frame, marked, callers, found));
    },
    used(owners, frames) {
      const isOwned = new Uint8Array(rows);
      for (let i = 0; i < owners.length; i++) isOwned[owners.sample[i]!] = 1;
      const isUsed = kernel.place(ownerMarks(length, owners, 1));
      const [owned, lineless] = [kernel.place(isOwned), kernel.place(ownerMarks(length, owners, 0))];
      const hasNode = kernel.room(frames);
      exports.markUsed(length, parent, frame, rows, leaves, owned, lineless, isUsed, hasNode);
      return { isUsed: kernel.bytes(isUsed, length).slice(), hasNode: kernel.bytes(hasNode, frames).slice() };
    },
    thinned({ isUnknown, owners, isUsed, frames, overwrites }: StackChange) {
      const lineless = linelessNodes(owners);
      const ofLineless = lineless.map((node) => frames.withoutLine(tree.frame[node]!));
      const ofFrame = columnOf(Int32Array, isUnknown, (_, number) => frames.numberOf(number));
      const starts = columnOf(Int32Array, isUnknown, (_, number) => number);
      const ends = starts.map((start) => start + 1 - isUnknown[start]!);
      const [first, last, chain] = [kernel.place(starts), kernel.place(ends), kernel.place(ofFrame)];
      const numbers = integers(length);
      const used = isUsed ? kernel.place(isUsed) : 0;
      const extras = lineless.length;
      const [below, extraFrames, extraNumbers] = [
        kernel.place(lineless),
        kernel.place(ofLineless),
        integers(extras),
      ];
      const merged = openMergedTree(kernel, length + extras + rows);
      exports.mergeChains(
        length,
        parent,
        frame,
        first,
        last,
        chain,
        used,
        extras,
        below,
        extraFrames,
        extraNumbers,
        numbers,
      );
      const unknown = kernel.place(isUnknown);
      const made = exports.moveRows(rows, leaves, frame, unknown, chain, numbers);
      const { tree: shown, isShared } = merged.finish(made, overwrites ? tree : undefined);
      const nodes = overwrites ? samples.node : zeros(Int32Array, rows);
      nodes.set(kernel.integers(leaves, rows));
      const [ofNode, ofExtra] = [kernel.integers(numbers, length), kernel.integers(extraNumbers, extras)];
      for (let i = 0; i < owners.length; i++) {
        const owner = owners.node[i]!;
        const node = owners.hasLine[i] === 1 ? ofNode[owner]! : ofExtra[lowerBound(lineless, owner)]!;
        nodes[owners.sample[i]!] = node;
        isShared[node] = 1;
      }
      return { tree: shown, nodes, isShared };
    },
  };
}
