import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { zeros } from "../profile/long-column.js";
import type { Profile } from "../profile/profile.js";
import type { VmState } from "../profile/vm-state.js";

/** The stacks of a profile with the frames of a format, which may distinguish less or more than ours. */
export interface ExportStacks {
  /** Its `frame` column has the format's frame numbers. A parent comes before its children. */
  readonly tree: CallTree;
  /** By row of the profile's samples: the node of its stack. */
  readonly nodeOf: Int32Array;
}

/**
 * Rebuilds the stacks for a format. `frameAt` returns the format's frame for a node of the profile's tree and
 * is called for callers first; stacks that become equal are merged. `leafOf` returns a frame to append for a
 * VM state, or -1.
 */
export function exportStacks(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  frameAt: (node: number) => number,
  leafOf: (state: VmState) => number = () => -1,
): ExportStacks {
  const builder = new CallTreeBuilder(tree.length);
  const nodes = zeros(Int32Array, tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    nodes[node] = builder.child(nodes[tree.parent[node]!]!, frameAt(node));
  }
  const nodeOf = zeros(Int32Array, samples.length);
  for (let i = 0; i < samples.length; i++) {
    const node = nodes[samples.node[i]!]!;
    const leaf = leafOf(samples.vmState[i]!);
    nodeOf[i] = leaf < 0 ? node : builder.child(node, leaf);
  }
  return { tree: builder.finish(), nodeOf };
}

/** Returns the self ticks of each node of {@link ExportStacks}. */
export function selfTicks(
  { samples }: Pick<Profile, "samples">,
  { tree, nodeOf }: ExportStacks,
): Float64Array {
  const ticks = zeros(Float64Array, tree.length);
  for (let i = 0; i < samples.length; i++) ticks[nodeOf[i]!]! += samples.ticks[i]!;
  return ticks;
}
