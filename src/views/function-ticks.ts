import type { CallTree } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { depthFirst } from "../profile/depth-first.js";
import { isInferred } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/stack-ticks.js";
import type { FunctionTable } from "./function-table.js";
import { innermostTicks } from "./innermost-ticks.js";

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

/** By table: the ticks of its functions, which several parts of a report ask for, and what they were counted in. */
const known = new WeakMap<
  FunctionTable,
  Pick<Profile, "tree" | "samples"> & { readonly ticks: GroupTicks }
>();

/** Returns the ticks of each function of a table. `self` sums to the ticks of the profile. */
export function functionTicks(profile: Pick<Profile, "tree" | "samples">, table: FunctionTable): GroupTicks {
  const { tree, samples } = profile;
  let found = known.get(table);
  if (found?.tree !== tree || found.samples !== samples) {
    const groups = { count: table.functions.length, ofFrame: table.ofFrame };
    found = { tree, samples, ticks: groupTicks(profile, groups) };
    known.set(table, found);
  }
  return found.ticks;
}

/**
 * Returns the ticks of each function in stacks in which it is inferred. Of several inferred functions in a stack,
 * only the innermost counts.
 */
export function inferredTicks(
  profile: Pick<Profile, "frames" | "tree" | "samples">,
  { functions, ofFrame }: FunctionTable,
): Float64Array {
  const ticks = new Float64Array(functions.length);
  const isMarked = columnOf(Uint8Array, profile.frames, (frame) => (isInferred(frame) ? 1 : 0));
  if (!isMarked.includes(1)) return ticks;
  const innermost = innermostTicks(profile, isMarked);
  for (const frame of innermost.order) ticks[ofFrame[frame]!]! += innermost.ticks[frame]!;
  return ticks;
}

/** Returns the ticks of each group. */
export function groupTicks(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  { count, ofFrame }: FrameGroups,
): GroupTicks {
  const { frame } = tree;
  const self = new Float64Array(count);
  for (let i = 0; i < samples.length; i++) {
    const group = ofFrame[frame[samples.node[i]!]!]!;
    if (group >= 0) self[group]! += samples.ticks[i]!;
  }
  const under = stackTicks({ tree, samples });
  const groups = { count, ofFrame };
  return { self, total: totalsOf(tree, under, groups) };
}

function totalsOf(tree: CallTree, under: Float64Array, { count, ofFrame }: FrameGroups): Float64Array {
  const total = new Float64Array(count);
  const { nodes, ends } = depthFirst(tree);
  /** By group: where the nodes below its last one end. */
  const open = new Int32Array(count);
  for (let at = 1; at < tree.length; at++) {
    const node = nodes[at]!;
    const group = ofFrame[tree.frame[node]!]!;
    if (group < 0 || at < open[group]!) continue;
    open[group] = ends[at]!;
    total[group]! += under[node]!;
  }
  return total;
}
