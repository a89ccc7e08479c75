import { type CallTree, ROOT } from "../profile/call-tree.js";
import { ChildTable } from "../profile/child-table.js";
import { firstOf, reaching } from "../profile/columns.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { VmState } from "../profile/vm-state.js";

/** The stacks of a profile with the frames of a format, which may distinguish less or more than ours. */
export interface ExportStacks {
  /** Its `frame` column has the format's frame numbers. A parent comes before its children. */
  readonly tree: CallTree;
  /** By row of the profile's samples: the node of its stack. */
  readonly nodeOf: Int32Array;
  /** Returns whether several stacks of the profile became the one of a node. Not for appended frames. */
  isMerged(node: number): boolean;
}

/** Returns the format's frame for a node of the profile's tree. `caller` is that of its caller, 0 for the root. */
type FrameAt = (node: number, caller: number) => number;

/** The options of {@link exportStacks}. */
interface ExportStacksOptions {
  /** Returns a frame to append for a VM state, or -1. Default: none. */
  readonly leafOf?: ((state: VmState) => number) | undefined;
  /**
   * Returns whether the frame of a node stands for its caller's too: it then has the caller's caller. Such frames of two
   * callers' frames are two. Default: none does.
   */
  readonly isInner?: ((node: number) => boolean) | undefined;
}

/** Rebuilds the stacks for a format that has a frame for each frame of the profile: `ofFrame`. */
export function numberedStacks(
  profile: Pick<Profile, "tree" | "samples">,
  ofFrame: Int32Array,
  options: Pick<ExportStacksOptions, "leafOf"> = {},
): ExportStacks {
  const { frame } = profile.tree;
  return exportStacks(profile, (node) => ofFrame[frame[node]!]!, options);
}

/** Rebuilds the stacks for a format. Calls `frameAt` for callers first. Merges stacks that become equal. */
export function exportStacks(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  frameAt: FrameAt,
  { leafOf = () => -1, isInner = () => false }: ExportStacksOptions = {},
): ExportStacks {
  // Memory that is never written to takes no room.
  const room = tree.length + samples.length;
  const frames = formatFrames(tree, room, frameAt);
  const leaves: number[] = [];
  for (let i = 0; i < samples.length; i++) {
    const state = samples.vmState[i]!;
    const leaf = leaves[state] ?? leafOf(state);
    if (leaves[state] === undefined && leaf >= 0) frames.share(leaf);
    leaves[state] = leaf;
  }
  const { columns, numbers, known, state, ...merged } = mergedNodes(tree, frames, isInner);
  let { length } = merged;
  const nodeOf = new Int32Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const node = numbers[samples.node[i]!]!;
    const leaf = leaves[samples.vmState[i]!]!;
    const found = leaf < 0 ? node : known.find(node, leaf);
    nodeOf[i] = found === 0 && leaf >= 0 ? length : found;
    if (nodeOf[i] !== length) continue;
    columns.parent[length] = node;
    columns.frame[length] = leaf;
    known.add(length++);
  }
  const first = (column: Int32Array) => firstOf(column.subarray(0, Math.max(length, tree.length)), length);
  return {
    tree: { length, parent: first(columns.parent), frame: first(columns.frame) },
    nodeOf,
    isMerged: (node) => state[node] === MERGED,
  };
}

/** The frames of a format, and which of them stand for several frames of a profile. */
interface FormatFrames {
  /** By node of the profile's tree; longer than that. */
  readonly ofNode: Int32Array;
  /** Takes note that a frame stands for several. */
  share(frame: number): void;
  isShared(frame: number): boolean;
}

/** Returns the frames of nodes, in a column with `room` entries. */
function formatFrames(tree: CallTree, room: number, frameAt: FrameAt): FormatFrames {
  const ofNode = new Int32Array(room);
  /** By frame of the format: 1 + the frame of the profile that it stands for; 0 for none yet, -1 for several. */
  let origin = new Int32Array(64);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = frameAt(node, ofNode[tree.parent[node]!]!);
    const own = tree.frame[node]! + 1;
    ofNode[node] = frame;
    if (frame >= origin.length) origin = reaching(origin, frame);
    if (origin[frame] !== own) origin[frame] = origin[frame] === 0 ? own : -1;
  }
  return {
    ofNode,
    share(frame) {
      origin = reaching(origin, frame);
      origin[frame] = -1;
    },
    isShared: (frame) => origin[frame] === -1,
  };
}

/** A call tree in the making. */
interface MergedNodes {
  length: number;
  readonly columns: { readonly parent: Int32Array; readonly frame: Int32Array };
  /** By node of the profile's tree: its new node. */
  readonly numbers: Int32Array;
  /** By new node: what is known of its stack. */
  readonly state: Uint8Array;
  /** The nodes whose stacks have shared frames: no others can be equal. */
  readonly known: ChildTable;
}

// What is known of a stack: it has a shared frame; several stacks became it. 0 for neither.
const [SHARED, MERGED] = [1, 2];

/** Merges nodes that become equal. Overwrites the column of the frames: nodes only move up. */
function mergedNodes(
  { length, parent }: CallTree,
  frames: FormatFrames,
  isInner: (node: number) => boolean,
): MergedNodes {
  const columns = { parent: new Int32Array(frames.ofNode.length), frame: frames.ofNode };
  columns.parent[ROOT] = -1;
  columns.frame[ROOT] = -1;
  const numbers = new Int32Array(length);
  const known = new ChildTable(columns);
  const state = new Uint8Array(length);
  let kept = ROOT + 1;
  for (let node = ROOT + 1; node < length; node++) {
    const outer = numbers[parent[node]!]!;
    const caller = isInner(node) ? columns.parent[outer]! : outer;
    const frame = frames.ofNode[node]!;
    const mayMerge = state[outer] !== 0 || frames.isShared(frame);
    const equal = mayMerge ? known.find(caller, frame) : 0;
    if (equal !== 0) {
      numbers[node] = equal;
      state[equal] = MERGED;
      continue;
    }
    columns.parent[kept] = caller;
    columns.frame[kept] = frame;
    if (mayMerge) {
      known.add(kept);
      state[kept] = SHARED;
    }
    numbers[node] = kept++;
  }
  return { length: kept, columns, numbers, state, known };
}

/** Returns the self ticks of each node of {@link ExportStacks}. */
export function selfTicks(
  { samples }: Pick<Profile, "samples">,
  { tree, nodeOf }: ExportStacks,
): SampleTable["ticks"] {
  // All of them fit where those of the samples do: none is counted twice.
  const isShort = samples.ticks instanceof Uint32Array;
  const ticks = isShort ? new Uint32Array(tree.length) : new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) ticks[nodeOf[i]!]! += samples.ticks[i]!;
  return ticks;
}
