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
}

/** The options of {@link kernelStacks}. */
interface KernelStacksOptions {
  /** Returns a frame to append for a VM state, or -1. Default: none. */
  readonly leafOf?: ((state: VmState) => number) | undefined;
  /** Whether to count the self ticks of each node. Default: false. */
  readonly hasTicks?: boolean | undefined;
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
  /** Frames from `count` on: that of the caller, and the frame. */
  readonly inlined: { readonly length: number; readonly outers: number; readonly inners: number };
}

/** Rebuilds stacks for a format, as exportStacks() does. Returns undefined if there is no kernel for it. */
export function kernelStacks(
  { frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">,
  { ofFrame, count, isInner }: FormatNumbers,
  { leafOf, onTree, hasTicks = false }: KernelStacksOptions = {},
): KernelStacks | undefined {
  const leaves = leafOf && leavesOf(samples, leafOf);
  const more = leaves === undefined ? 0 : samples.length;
  const kernel = openTreeKernel(tree, more);
  if (kernel === undefined) return undefined;
  const { exports, parent, frame } = kernel;
  const { length } = tree;
  const nodes = kernel.place(samples.node.subarray(0, samples.length));
  onTree?.(kernel, nodes);
  const numbers = kernel.place(ofFrame);
  const mayMerge = kernel.room(length);
  const shared = kernel.place(sharedFrames(ofFrame, { count, leaves }));
  const marked = exports.markShared(length, parent, frame, numbers, shared, mayMerge);
  const inner = isInner === undefined ? kernel.room(frames.length) : kernel.place(isInner);
  const ofNode = kernel.room(length * BYTES);
  const inlined = { length: 0, outers: 0, inners: 0 };
  if (isInner === undefined) {
    exports.takeEntries(length - 1, frame + BYTES, numbers, ofNode + BYTES); // The root has no frame.
  } else {
    const most = exports.countNodes(length, frame, inner);
    const slots = slotsFor(most);
    const [outers, inners, table] = [
      kernel.room(most * BYTES),
      kernel.room(most * BYTES),
      kernel.room(slots * BYTES),
    ];
    inlined.length = exports.numberInlined(
      ...([length, parent, frame, numbers, count, inner, ofNode] as const),
      ...([outers, inners, table, slots] as const),
    );
    Object.assign(inlined, { outers, inners });
  }
  const moved = kernel.room(length * BYTES);
  const wasMerged = kernel.room(length + more);
  const slots = slotsFor(marked + more);
  const table = kernel.room(slots * BYTES);
  const kept = exports.mergeNumbered(
    ...([length, parent, frame, ofNode, inner, mayMerge] as const),
    ...([moved, wasMerged, table, slots] as const),
  );
  const rest = { kernel, parent, frame, nodeOf: nodes, wasMerged, inlined };
  if (leaves === undefined) {
    exports.takeEntries(samples.length, nodes, moved, nodes);
    const ticks = hasTicks ? selfTicks(samples, { ...rest, length: kept }) : 0;
    return { ...rest, ticks, length: kept };
  }
  const states = kernel.place(samples.vmState.subarray(0, samples.length));
  const all = exports.placeSamples(
    ...([samples.length, nodes, states, kernel.place(leaves), moved, kept] as const),
    ...([parent, frame, table, slots, nodes] as const),
  );
  const ticks = hasTicks ? selfTicks(samples, { ...rest, length: all }) : 0;
  return { ...rest, ticks, length: all };
}

/** Returns the tree in the kernel; valid until the kernel gets more columns. */
export function treeOf({ kernel, length, parent, frame }: KernelStacks): CallTree {
  return { length, parent: kernel.integers(parent, length), frame: kernel.integers(frame, length) };
}

/** Returns the frame to append for each VM state; undefined if no sample has one. */
function leavesOf(
  { length, vmState }: Profile["samples"],
  leafOf: (state: VmState) => number,
): Int32Array | undefined {
  const states = vmState.subarray(0, length);
  const first = VM_STATES.map((_, state) => ({ state, at: states.indexOf(state) })).filter(
    ({ at }) => at >= 0,
  );
  const leaves = new Int32Array(STATES).fill(-1);
  // In the order of their first samples, in which a format numbers them.
  for (const { state } of first.sort((a, b) => a.at - b.at)) leaves[state] = leafOf(state);
  return leaves.every((leaf) => leaf < 0) ? undefined : leaves;
}

/** As many as a byte can tell apart. */
const STATES = 256;

interface SharedOptions {
  readonly count: number;
  readonly leaves: Int32Array | undefined;
}

/** Returns 1 for each frame of a format that stands for several. */
function sharedFrames(ofFrame: Int32Array, { count, leaves = new Int32Array(0) }: SharedOptions): Uint8Array {
  const isThere = new Uint8Array(leaves.reduce((most, leaf) => Math.max(most, leaf + 1), count));
  const isShared = new Uint8Array(isThere.length);
  for (const number of ofFrame) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  for (const leaf of leaves) if (leaf >= 0) isShared[leaf] = 1;
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
