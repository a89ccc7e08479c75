import { HEAVY_TREE_NODES } from "../limits.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionStacks } from "./function-stacks.js";
import { addSums, joinedParts, treeOfParts } from "./function-tree-parts.js";
import { growHeavyTree } from "./heavy-tree.js";

/**
 * A tree of functions in columns indexed by node, top-down or heavy. At every node but the root
 * `ticks = self + withoutCaller + the ticks of the children`, unless the node is closed.
 */
export interface FunctionTree {
  /** Its frames are keys of {@link FunctionStacks}. */
  readonly tree: CallTree;
  readonly ticks: Float64Array;
  /** Top-down: ticks in the function itself. Heavy: 0. */
  readonly self: Float64Array;
  /** Heavy: ticks of the stacks that begin with the function. Top-down: 0. */
  readonly withoutCaller: Float64Array;
  /** The part of `ticks` in which the function is inlined into its caller's code. */
  readonly inlined: Float64Array;
  /** The part of `ticks` in which the function is not in the log, but inferred. */
  readonly inferred: Float64Array;
  /** The greatest depth of direct recursion; 1 if there is none. */
  readonly recursion: Int32Array;
}

/** Returns the tree with callees below their callers. The roots sum to the ticks of the profile. */
export function topDown(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  stacks: FunctionStacks,
): FunctionTree {
  const trees = joinedParts(tree, samples, stacks);
  const result = emptyTree(treeOfParts(trees.map((part) => part.tree)));
  let offset = 1;
  for (const part of trees) {
    for (const column of ["self", "inlined", "inferred", "recursion"] as const)
      result[column].set(part[column].subarray(1), offset);
    offset += part.tree.length - 1;
  }
  result.ticks.set(result.self);
  addSums(result.tree.parent, result.ticks);
  return result;
}
/** A tree with callers below their callees. */
export interface HeavyFunctionTree extends FunctionTree {
  /** Nodes with fewer ticks have no callers: those that were asked for, or more if the tree had too many nodes. */
  readonly least: Ticks;
}

/** By how much the least ticks of a node are raised while the tree has too many nodes. */
const RAISE = 4;

/** Returns the tree with callers below their callees, and the functions with self ticks at the top. */
export function heavy(
  { samples }: Pick<Profile, "samples">,
  stacks: FunctionStacks,
  { depth, least }: { readonly depth: number; readonly least: Ticks },
  nodes = HEAVY_TREE_NODES,
): HeavyFunctionTree {
  const withoutCaller: Ticks[] = [];
  const inlined: Ticks[] = [];
  const inferred: Ticks[] = [];
  const recursion: number[] = [];
  const grown = growHeavyTree(samples, stacks, {
    whole: 0,
    // One more level, so that what is left out can be counted.
    levels: depth + 1,
    nodes,
    isOpen: (ticks) => ticks >= least,
    onSample(node, stackNode, sample) {
      const ticks = samples.ticks[sample]!;
      if (stacks.callerOf(stackNode, sample) === ROOT)
        withoutCaller[node] = (withoutCaller[node] ?? 0) + ticks;
      if (stacks.isInlined(stackNode)) inlined[node] = (inlined[node] ?? 0) + ticks;
      if (stacks.isInferred(stackNode)) inferred[node] = (inferred[node] ?? 0) + ticks;
      recursion[node] = Math.max(recursion[node] ?? 0, stacks.recursionAt(stackNode));
    },
  });
  if (grown === undefined)
    return heavy({ samples }, stacks, { depth, least: RAISE * Math.max(least, 1) }, nodes);
  const result = emptyTree(grown.tree);
  for (let node = ROOT + 1; node < result.tree.length; node++) {
    result.ticks[node] = grown.ticks[node]!;
    result.withoutCaller[node] = withoutCaller[node] ?? 0;
    result.inlined[node] = inlined[node] ?? 0;
    result.inferred[node] = inferred[node] ?? 0;
    result.recursion[node] = recursion[node]!;
    if (result.tree.parent[node] === ROOT) result.ticks[ROOT]! += result.ticks[node]!;
  }
  return { ...result, least };
}

function emptyTree(tree: CallTree): FunctionTree {
  return {
    tree,
    ticks: new Float64Array(tree.length),
    self: new Float64Array(tree.length),
    withoutCaller: new Float64Array(tree.length),
    inlined: new Float64Array(tree.length),
    inferred: new Float64Array(tree.length),
    recursion: new Int32Array(tree.length).fill(1),
  };
}
