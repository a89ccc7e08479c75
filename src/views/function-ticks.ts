import { ROOT } from "../profile/call-tree.js";
import { depthFirst } from "../profile/depth-first.js";
import { isInferred } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";

/** Ticks by group of frames, in columns indexed by group. */
export interface GroupTicks {
  /** Ticks in the frames of the group themselves. */
  readonly self: Float64Array;
  /** Ticks in the frames of the group and in what they called. A stack counts once per group. */
  readonly total: Float64Array;
}

/** Groups of the frames of a profile. */
export interface FrameGroups {
  readonly count: number;
  /** By frame: its group; -1 for none. */
  readonly ofFrame: Int32Array;
}

/** Returns the ticks of each function of a table. `self` sums to the ticks of the profile. */
export function functionTicks(
  profile: Pick<Profile, "tree" | "samples">,
  { functions, ofFrame }: FunctionTable,
): GroupTicks {
  return groupTicks(profile, { count: functions.length, ofFrame });
}

/**
 * Returns the ticks of each function in stacks in which it is inferred. Of several inferred functions in a stack,
 * only the innermost counts.
 */
export function inferredTicks(
  { frames, tree, samples }: Pick<Profile, "frames" | "tree" | "samples">,
  { functions, ofFrame }: FunctionTable,
): Float64Array {
  const ticks = new Float64Array(functions.length);
  const isMarked = Uint8Array.from(frames, (frame) => (isInferred(frame) ? 1 : 0));
  if (!isMarked.includes(1)) return ticks;
  /** By node: 1 + the innermost inferred function; 0 for none. */
  const innermost = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const frame = tree.frame[node]!;
    innermost[node] = isMarked[frame] === 1 ? 1 + ofFrame[frame]! : innermost[tree.parent[node]!]!;
  }
  for (let i = 0; i < samples.length; i++) {
    const found = innermost[samples.node[i]!]!;
    if (found > 0) ticks[found - 1]! += samples.ticks[i]!;
  }
  return ticks;
}

/** Returns the ticks of each group. */
export function groupTicks(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  { count, ofFrame }: FrameGroups,
): GroupTicks {
  const { length, parent, frame } = tree;
  const self = new Float64Array(count);
  const total = new Float64Array(count);
  const nodeTicks = new Float64Array(length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    const group = ofFrame[frame[node]!]!;
    if (group >= 0) self[group]! += samples.ticks[i]!;
    nodeTicks[node]! += samples.ticks[i]!;
  }
  for (let node = length - 1; node > ROOT; node--) nodeTicks[parent[node]!]! += nodeTicks[node]!;
  const { nodes, ends } = depthFirst(tree);
  /** By group: where the nodes below its last one end. */
  const open = new Int32Array(count);
  for (let at = 1; at < length; at++) {
    const node = nodes[at]!;
    const group = ofFrame[frame[node]!]!;
    if (group < 0 || at < open[group]!) continue;
    open[group] = ends[at]!;
    total[group]! += nodeTicks[node]!;
  }
  return { self, total };
}
