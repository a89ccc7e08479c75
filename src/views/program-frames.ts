import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { depthFirst } from "../profile/depth-first.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/stack-ticks.js";
import type { FunctionTable } from "./function-table.js";

/** Returns, by function, 1 for JavaScript of the program or of a package, which its author can change. */
export function programFunctions({ functions }: FunctionTable): Uint8Array {
  return columnOf(Uint8Array, functions, ({ frame, origin }) => {
    return frame.kind === "js" && (origin.kind === "app" || origin.kind === "deps") ? 1 : 0;
  });
}

/** Returns, by function, 1 for JavaScript of the program itself. */
export function appFunctions({ functions }: FunctionTable): Uint8Array {
  return columnOf(Uint8Array, functions, ({ frame, origin }) => {
    return frame.kind === "js" && origin.kind === "app" ? 1 : 0;
  });
}

/**
 * Returns, by function, the ticks of stacks that pass it before the first function of the program. Code that
 * starts the program or dispatches its events has such ticks.
 */
export function ticksAboveProgram(profile: Profile, table: FunctionTable): Float64Array {
  const isProgram = programFunctions(table);
  const functions = {
    count: table.functions.length,
    ofFrame: table.ofFrame,
    isWanted: columnOf(Uint8Array, table.ofFrame, (id) => isProgram[id]!),
  };
  const under = stackTicks(profile);
  return ticksAbove(profile.tree, under, functions);
}

/** Functions by frame, and 1 for the frames of the program. */
interface ProgramFrames {
  readonly count: number;
  readonly ofFrame: Int32Array;
  readonly isWanted: Uint8Array;
}

function ticksAbove(
  tree: CallTree,
  under: Float64Array,
  { count, ofFrame, isWanted }: ProgramFrames,
): Float64Array {
  const { length, parent, frame } = tree;
  const ticks = new Float64Array(count);
  /** By node: 1 if it is in or below a function of the program. */
  const inside = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++)
    inside[node] = inside[parent[node]!]! | isWanted[frame[node]!]!;
  // By node above the program: the ticks under the first functions of the program below it.
  const below = new Float64Array(length);
  for (let node = length - 1; node > ROOT; node--) {
    const caller = parent[node]!;
    if (inside[caller] === 1) continue;
    below[caller]! += isWanted[frame[node]!] === 1 ? under[node]! : below[node]!;
  }
  const { nodes, ends } = depthFirst(tree);
  /** By function: where the nodes below its last one end. One that is there twice in a stack counts once. */
  const open = new Int32Array(count);
  for (let at = 1; at < length; at++) {
    const node = nodes[at]!;
    if (inside[node] === 1) continue;
    const id = ofFrame[frame[node]!]!;
    if (at < open[id]!) continue;
    open[id] = ends[at]!;
    ticks[id]! += below[node]!;
  }
  return ticks;
}
