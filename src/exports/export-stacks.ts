import { type CallTree, CallTreeBuilder } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { regroup } from "../profile/stacks.js";
import type { VmState } from "../profile/vm-state.js";

/** The stacks of a profile with the frames of a format, which may distinguish less or more than ours. */
export interface ExportStacks {
  /** Its `frame` column has the format's frame numbers. A parent comes before its children. */
  readonly tree: CallTree;
  /** By row of the profile's samples: the node of its stack. */
  readonly nodeOf: Int32Array;
}

/** Returns the format's frame for a node of the profile's tree, -1 for none. `caller` is that of its caller, -1 for the root. */
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
  const merged = new CallTreeBuilder(tree.length);
  const nodes = regroup(tree, merged, (into, caller, node) => {
    const frame = frameAt(node, into.frame[caller]!);
    return frame < 0 ? caller : into.child(isInner(node) ? into.parent[caller]! : caller, frame);
  });
  const nodeOf = new Int32Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const node = nodes[samples.node[i]!]!;
    const leaf = leafOf(samples.vmState[i]!);
    nodeOf[i] = leaf < 0 ? node : merged.child(node, leaf);
  }
  return { tree: merged.finish(), nodeOf };
}

/** Returns the self ticks of each node of {@link ExportStacks}. */
export function selfTicks(
  { samples }: Pick<Profile, "samples">,
  { tree, nodeOf }: ExportStacks,
): Float64Array {
  const ticks = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) ticks[nodeOf[i]!]! += samples.ticks[i]!;
  return ticks;
}
