import { columnOf, marksOf } from "../base/columns.js";
import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { Analysis } from "./analysis.js";
import type { FunctionTable } from "./function-table.js";

/** Returns, by function, 1 for JavaScript of the program or of a package, which its author can change. */
export function programFunctions({ functions }: FunctionTable): Uint8Array {
  return marksOf(
    functions,
    ({ frame, origin }) => frame.kind === "js" && (origin.kind === "app" || origin.kind === "deps"),
  );
}

/** Returns, by function, 1 for JavaScript of the program itself. */
export function appFunctions({ functions }: FunctionTable): Uint8Array {
  return marksOf(functions, ({ frame, origin }) => frame.kind === "js" && origin.kind === "app");
}

/**
 * Returns, by function, the ticks of stacks that pass it before the first function of the program. Code that
 * starts the program or dispatches its events has such ticks.
 */
export function ticksAboveProgram(profile: Profile): Float64Array {
  const { tree, table, under, order } = Analysis.of(profile);
  const isProgram = programFunctions(table);
  const isWanted = columnOf(Uint8Array, table.ofFrame, (id) => isProgram[id]!);
  const { length, parent, frame } = tree;
  const ticks = new Float64Array(table.functions.length);
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
  const { nodes, ends } = order;
  /** By function: where the nodes below its last one end. One that is there twice in a stack counts once. */
  const open = new Int32Array(table.functions.length);
  for (let at = 1; at < length; at++) {
    const node = nodes[at]!;
    if (inside[node] === 1) continue;
    const id = table.ofFrame[frame[node]!]!;
    if (at < open[id]!) continue;
    open[id] = ends[at]!;
    ticks[id]! += below[node]!;
  }
  return ticks;
}
