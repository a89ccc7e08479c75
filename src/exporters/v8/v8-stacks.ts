import { ROOT } from "../../profile/call-tree.js";
import { columnOf } from "../../profile/columns.js";
import type { Profile } from "../../profile/profile.js";
import { VM_STATES } from "../../profile/vm-state.js";
import { FunctionTable } from "../../views/function-table.js";
import { type ExportStacks, numberedStacks } from "../export-stacks.js";
import { V8CallFrames } from "./v8-call-frames.js";

/**
 * The stacks of a profile as in V8's own profiler: one node for a function under a caller, whatever its
 * tiers.
 */
export interface V8Stacks extends ExportStacks {
  /** By row of the profile's samples: the line that runs, from 1; 0 if unknown. */
  readonly lineOf: Int32Array;
  /** The node of `(idle)` under the root, for the time between ticks: it follows those of the tree. */
  readonly idle: number;
  /** Returns the function of a node, including the root and `idle`, as a JSON object. */
  callFrame(node: number): string;
}

/** Returns the stacks of a profile as V8's own profiler would have them. */
export function v8Stacks(profile: Profile): V8Stacks {
  const { frames, tree, samples } = profile;
  const table = new FunctionTable(frames);
  const callFrames = new V8CallFrames(table);
  const stacks = numberedStacks(profile, table.ofFrame, { leafOf: callFrames.leafOf });
  const lineOf = new Int32Array(samples.length);
  const lines = columnOf(Int32Array, frames, (frame) => (frame.kind === "js" ? frame.line : 0));
  const hasLeaf = Uint8Array.from(VM_STATES, (_, state) => (callFrames.leafOf(state) < 0 ? 0 : 1));
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    // Memory that is never written to takes no room.
    if (node !== ROOT && hasLeaf[samples.vmState[i]!] === 0) lineOf[i] = lines[tree.frame[node]!]!;
  }
  const idle = stacks.tree.length;
  const callFrame = (node: number) => {
    if (node === ROOT) return callFrames.root;
    return callFrames.json(node === idle ? callFrames.idle : stacks.tree.frame[node]!);
  };
  return { ...stacks, lineOf, idle, callFrame };
}
