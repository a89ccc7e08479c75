import { ROOT, visitDepthFirst } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";

/** Ticks by function, in columns indexed as the functions of a {@link FunctionTable}. */
export interface FunctionTicks {
  /** In the function itself. Sums up to the ticks of the profile. */
  readonly self: Float64Array;
  /** In the function and in what it called; a recursive function counts once a stack. */
  readonly total: Float64Array;
}

/** The ticks of each function. */
export function functionTicks(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  { functions, ofFrame }: FunctionTable,
): FunctionTicks {
  const self = new Float64Array(functions.length);
  const total = new Float64Array(functions.length);
  const nodeTicks = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    self[ofFrame[tree.frame[node]!]!]! += samples.ticks[i]!;
    nodeTicks[node]! += samples.ticks[i]!;
  }
  for (let node = tree.length - 1; node > ROOT; node--) nodeTicks[tree.parent[node]!]! += nodeTicks[node]!;
  const onPath = new Int32Array(functions.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const id = ofFrame[tree.frame[node]!]!;
    if (!isEntering) onPath[id]!--;
    else if (onPath[id]!++ === 0) total[id]! += nodeTicks[node]!;
  });
  return { self, total };
}
