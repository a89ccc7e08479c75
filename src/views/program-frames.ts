import { ROOT } from "../profile/call-tree.js";
import { depthFirst } from "../profile/depth-first.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionTable } from "./function-table.js";

/** Returns, by function, 1 for JavaScript of the program or of a package, which its author can change. */
export function programFunctions({ functions }: FunctionTable): Uint8Array {
  return Uint8Array.from(functions, ({ frame, origin }) => {
    return frame.kind === "js" && (origin.kind === "app" || origin.kind === "deps") ? 1 : 0;
  });
}

/** Returns, by function, 1 for JavaScript of the program itself. */
export function appFunctions({ functions }: FunctionTable): Uint8Array {
  return Uint8Array.from(functions, ({ frame, origin }) => {
    return frame.kind === "js" && origin.kind === "app" ? 1 : 0;
  });
}

/**
 * Returns, by node, the innermost node of its stack that is of the program or a package; the root for none.
 */
export function innermostProgram(profile: Pick<Profile, "tree">, table: FunctionTable): Int32Array {
  return innermostOf(profile, table, programFunctions(table));
}

/** Returns, by node, the innermost node of its stack whose function is in `isMine`; the root for none. */
export function innermostOf(
  { tree }: Pick<Profile, "tree">,
  table: FunctionTable,
  isMine: Uint8Array,
): Int32Array {
  const innermost = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const is = isMine[table.ofFrame[tree.frame[node]!]!] === 1;
    innermost[node] = is ? node : innermost[tree.parent[node]!]!;
  }
  return innermost;
}

/**
 * Returns, by function, the ticks of stacks that pass it before the first function of the program. Code that
 * starts the program or dispatches its events has such ticks.
 */
export function ticksAboveProgram({ tree, samples }: Profile, table: FunctionTable): Float64Array {
  const isProgram = programFunctions(table);
  const ticks = new Float64Array(table.functions.length);
  const under = new Float64Array(tree.length);
  for (let i = 0; i < samples.length; i++) under[samples.node[i]!]! += samples.ticks[i]!;
  for (let node = tree.length - 1; node > ROOT; node--) under[tree.parent[node]!]! += under[node]!;
  const first = innermostProgram({ tree }, table);
  // By node above the program: the ticks under the first functions of the program below it.
  const below = new Float64Array(tree.length);
  for (let node = tree.length - 1; node > ROOT; node--) {
    const parent = tree.parent[node]!;
    if (first[parent] !== ROOT) continue;
    below[parent]! += isProgram[table.ofFrame[tree.frame[node]!]!] === 1 ? under[node]! : below[node]!;
  }
  const { nodes, ends } = depthFirst(tree);
  /** By function: where the nodes below its last one end. One that is there twice in a stack counts once. */
  const open = new Int32Array(table.functions.length);
  for (let at = 1; at < tree.length; at++) {
    const node = nodes[at]!;
    if (first[node] !== ROOT) continue;
    const id = table.ofFrame[tree.frame[node]!]!;
    if (at < open[id]!) continue;
    open[id] = ends[at]!;
    ticks[id]! += below[node]!;
  }
  return ticks;
}
