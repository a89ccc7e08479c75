import type { CallTree } from "../profile/call-tree.js";
import { slotsFor } from "../profile/child-table.js";
import type { Profile } from "../profile/profile.js";
import { openTreeKernel, type TreeKernel } from "../profile/tree-kernel.js";
import { VM_STATES, type VmState } from "../profile/vm-state.js";

const BYTES = Int32Array.BYTES_PER_ELEMENT;

/** The frames of a format. */
export interface FormatNumbers {
  /** By frame of the profile: that of the format. */
  readonly ofFrame: Int32Array;
  /** How many there are. */
  readonly count: number;
  /**
   * By frame of the profile: 1 if it stands for its caller's too, and has the caller's caller. It then has a number from
   * `count` on.
   */
  readonly isInner?: Uint8Array | undefined;
  /**
   * By frame of the profile: 1 if it is inlined into its caller, if it has one. Each number with each depth of inlining is then
   * numbered from 0, in the order in which they come.
   */
  readonly isInlined?: Uint8Array | undefined;
}

/** The options of {@link kernelStacks}. */
interface KernelStacksOptions {
  /**
   * Returns a frame to append for a VM state, or -1: one that no frame of the profile has. Called when those are numbered.
   * Default: none.
   */
  readonly leafOf?: ((state: VmState) => number) | undefined;
  /** Whether to count the self ticks of each node. Default: false. */
  readonly hasTicks?: boolean | undefined;
  /** Called with the pairs that {@link FormatNumbers.isInlined} leads to: by frame its number and its depth. */
  readonly onPairs?: ((numbers: Int32Array, depths: Int32Array) => void) | undefined;
  /** Called before the tree is overwritten. `nodes` has the nodes of the samples. */
  readonly onTree?: ((kernel: TreeKernel, nodes: number) => void) | undefined;
}

/** The stacks of a format in the memory of a kernel: offsets of columns. */
export interface KernelStacks {
  readonly kernel: TreeKernel;
  /** The tree. */
  readonly length: number;
  readonly parent: number;
  readonly frame: number;
  /** By sample: its node. */
  readonly nodeOf: number;
  /** By node: 1 if several became it. */
  readonly wasMerged: number;
  /** By node: its self ticks, of 64 bits; 0 if they were not asked for. */
  readonly ticks: number;
  /** With `isInner`: by frame from `count` on that of the caller, and the frame. */
  readonly pairs: PairColumns;
}

/** The offsets of two columns, and their length. */
interface PairColumns {
  readonly length: number;
  readonly first: number;
  readonly second: number;
}

/** Rebuilds stacks for a format, as exportStacks() does. Returns undefined if there is no kernel for it. */
export function kernelStacks(
  { frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">,
  numbers: FormatNumbers,
  { leafOf, onTree, onPairs, hasTicks = false }: KernelStacksOptions = {},
): KernelStacks | undefined {
  const more = leafOf === undefined ? 0 : samples.length;
  const kernel = openTreeKernel(tree, more);
  if (kernel === undefined) return undefined;
  const { exports, parent, frame } = kernel;
  const { length } = tree;
  const nodes = kernel.place(samples.node.subarray(0, samples.length));
  onTree?.(kernel, nodes);
  const ofFrame = kernel.place(numbers.ofFrame);
  const mayMerge = kernel.room(length);
  const isShared = kernel.place(sharedNumbers(numbers));
  const marked = exports.markShared(length, parent, frame, ofFrame, isShared, mayMerge);
  const { ofNode, pairs } = numberNodes(kernel, { tree, ofFrame, numbers });
  onPairs?.(kernel.integers(pairs.first, pairs.length), kernel.integers(pairs.second, pairs.length));
  const isInner = numbers.isInner === undefined ? kernel.room(frames.length) : kernel.place(numbers.isInner);
  const moved = kernel.room(length * BYTES);
  const wasMerged = kernel.room(length + more);
  const slots = slotsFor(marked + more);
  const table = kernel.room(slots * BYTES);
  const kept = exports.mergeNumbered(
    length,
    parent,
    frame,
    ofNode,
    isInner,
    mayMerge,
    moved,
    wasMerged,
    table,
    slots,
  );
  let all = kept;
  if (leafOf === undefined) {
    exports.takeEntries(samples.length, nodes, moved, nodes);
  } else {
    const leaves = kernel.place(leavesOf(samples, leafOf));
    const states = kernel.place(samples.vmState.subarray(0, samples.length));
    all = exports.placeSamples(
      samples.length,
      nodes,
      states,
      leaves,
      moved,
      kept,
      parent,
      frame,
      table,
      slots,
      nodes,
    );
  }
  const stacks = { kernel, length: all, parent, frame, nodeOf: nodes, wasMerged, pairs };
  return { ...stacks, ticks: hasTicks ? selfTicks(samples, stacks) : 0 };
}

interface NumberingOptions {
  readonly tree: CallTree;
  /** The offset of the numbers by frame. */
  readonly ofFrame: number;
  readonly numbers: FormatNumbers;
}

/** Returns a column of the numbers of nodes, and the pairs that they stand for. */
function numberNodes(
  kernel: TreeKernel,
  { tree: { length }, ofFrame, numbers: { count, isInner, isInlined } }: NumberingOptions,
): { readonly ofNode: number; readonly pairs: PairColumns } {
  const { exports, parent, frame } = kernel;
  const integers = (rows: number) => kernel.room(rows * BYTES);
  const ofNode = integers(length);
  if (isInner !== undefined) {
    const wanted = kernel.place(isInner);
    const most = exports.countNodes(length, frame, wanted);
    const slots = slotsFor(most);
    const [first, second, table] = [integers(most), integers(most), integers(slots)];
    const pairs = exports.numberInlined(
      length,
      parent,
      frame,
      ofFrame,
      count,
      wanted,
      ofNode,
      first,
      second,
      table,
      slots,
    );
    return { ofNode, pairs: { length: pairs, first, second } };
  }
  // The root has no frame.
  exports.takeEntries(length - 1, frame + BYTES, ofFrame, ofNode + BYTES);
  if (isInlined === undefined) return { ofNode, pairs: { length: 0, first: 0, second: 0 } };
  const depths = integers(length);
  exports.countInlined(length, parent, frame, kernel.place(isInlined), depths);
  const slots = slotsFor(length);
  const [first, second, table] = [integers(length), integers(length), integers(slots)];
  const pairs = exports.numberPairs(
    length - 1,
    ofNode + BYTES,
    depths + BYTES,
    ofNode + BYTES,
    first,
    second,
    table,
    slots,
  );
  return { ofNode, pairs: { length: pairs, first, second } };
}

/** Returns the tree in the kernel; valid until the kernel gets more columns. */
export function treeOf({ kernel, length, parent, frame }: KernelStacks): CallTree {
  return { length, parent: kernel.integers(parent, length), frame: kernel.integers(frame, length) };
}

/** Returns the frame to append for each VM state. */
function leavesOf({ length, vmState }: Profile["samples"], leafOf: (state: VmState) => number): Int32Array {
  const states = vmState.subarray(0, length);
  const first = VM_STATES.map((_, state) => ({ state, at: states.indexOf(state) })).filter(
    ({ at }) => at >= 0,
  );
  const leaves = new Int32Array(STATES).fill(-1);
  // In the order of their first samples, in which a format numbers them.
  for (const { state } of first.sort((a, b) => a.at - b.at)) leaves[state] = leafOf(state);
  return leaves;
}

/** As many as a byte can tell apart. */
const STATES = 256;

/** Returns 1 for each number that several frames have. */
function sharedNumbers({ ofFrame, count }: FormatNumbers): Uint8Array {
  const isThere = new Uint8Array(count);
  const isShared = new Uint8Array(count);
  for (const number of ofFrame) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  return isShared;
}

/** Returns the self ticks of each node. */
function selfTicks(
  samples: Profile["samples"],
  { kernel, length, nodeOf }: Pick<KernelStacks, "kernel" | "length" | "nodeOf">,
): number {
  const ticks = kernel.place(wideTicks(samples));
  const sums = kernel.room(length * Float64Array.BYTES_PER_ELEMENT);
  kernel.exports.addSelfTicks(samples.length, nodeOf, ticks, sums);
  return sums;
}

/** Returns the ticks of samples as numbers of 64 bits. */
export function wideTicks({ length, ticks }: Profile["samples"]): Float64Array {
  const first = ticks.subarray(0, length);
  return first instanceof Float64Array ? first : new Float64Array(first);
}
