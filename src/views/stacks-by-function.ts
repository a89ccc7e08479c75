import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { zeros } from "../profile/long-column.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";

/** The stacks of a profile by function. */
export interface StacksByFunction {
  /** The profile with one frame for each function. Its samples are those of the profile, in the same rows. */
  readonly profile: Profile;
  /** The functions of the table, by the frames of {@link profile}. */
  readonly table: FunctionTable;
}

/**
 * Merges the stacks of a profile that differ only in what the functions of a table leave out: lines, tiers, and
 * whether a function was inlined. There are far fewer of them, so lists of functions are best made from these.
 */
export function stacksByFunction(profile: Profile, { functions, ofFrame }: FunctionTable): StacksByFunction {
  const { tree, samples } = profile;
  const merged = new CallTreeBuilder();
  const { length, parent, frame } = tree;
  const nodes = zeros(Int32Array, length);
  for (let node = ROOT + 1; node < length; node++)
    nodes[node] = merged.child(nodes[parent[node]!]!, ofFrame[frame[node]!]!);
  const { length: rows, node: leaves } = samples;
  const node = zeros(Int32Array, rows);
  for (let i = 0; i < rows; i++) node[i] = nodes[leaves[i]!]!;
  return {
    profile: {
      ...profile,
      frames: functions.map((found) => found.frame),
      tree: merged.finish(),
      samples: { ...samples, node },
    },
    table: { functions, ofFrame: Int32Array.from(functions.keys()) },
  };
}
