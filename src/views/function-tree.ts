import { HEAVY_TREE_NODES } from "../limits.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionStacks } from "./function-stacks.js";
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
  const builder = new CallTreeBuilder();
  const parts = partsOf(samples, tree, stacks);
  const nodes = parts.map((part) => nodesByFunction(tree, stacks, builder, part));
  const result = emptyTree(builder.finish());
  for (const [i, { ticks }] of parts.entries()) {
    const nodeOf = nodes[i]!;
    for (let node = ROOT + 1; node < tree.length; node++) result.self[nodeOf[node]!]! += ticks[node]!;
    addSums(tree, ticks);
    for (let node = ROOT + 1; node < tree.length; node++) {
      if (ticks[node] === 0) continue;
      const to = nodeOf[node]!;
      result.recursion[to] = Math.max(result.recursion[to]!, stacks.recursionAt(node));
      if (stacks.recursionAt(node) > 1) continue;
      if (stacks.isInlined(node)) result.inlined[to]! += ticks[node]!;
      if (stacks.isInferred(node)) result.inferred[to]! += ticks[node]!;
    }
  }
  result.ticks.set(result.self);
  addSums(result.tree, result.ticks);
  return result;
}

/** Stacks of native code alone in one VM state, or all other stacks. */
interface Part {
  /** A sample in that VM state; -1 for the other stacks. */
  readonly state: number;
  /** By node of the profile's tree: the ticks of the stacks that end there. */
  readonly ticks: Float64Array;
}

function partsOf(samples: SampleTable, tree: CallTree, stacks: FunctionStacks): Part[] {
  const parts = new Map<number, Part>();
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const isBare = stacks.isBare(leaf);
    const key = isBare ? samples.vmState[i]! : -1;
    let part = parts.get(key);
    if (part === undefined) {
      part = { state: isBare ? i : -1, ticks: new Float64Array(tree.length) };
      parts.set(key, part);
    }
    part.ticks[leaf]! += samples.ticks[i]!;
  }
  return Array.from(parts.values());
}

/** Adds the stacks of a part that have ticks to a tree by function. Returns its nodes, by node of `tree`. */
function nodesByFunction(
  tree: CallTree,
  stacks: FunctionStacks,
  builder: CallTreeBuilder,
  { state, ticks }: Part,
): Int32Array {
  const hasTicks = new Uint8Array(tree.length);
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (ticks[node]! > 0) hasTicks[node] = 1;
    hasTicks[tree.parent[node]!]! |= hasTicks[node]!;
  }
  const nodeOf = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (hasTicks[node] === 0 || (state < 0 && stacks.isBare(node))) continue;
    const caller = tree.parent[node]!;
    const parent =
      caller === ROOT && state >= 0
        ? builder.child(ROOT, stacks.keyAt(stacks.callerOf(node, state)))
        : nodeOf[caller]!;
    nodeOf[node] = stacks.recursionAt(node) > 1 ? nodeOf[caller]! : builder.child(parent, stacks.keyAt(node));
  }
  return nodeOf;
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

/** Adds the numbers of all nodes to those of their parents. */
function addSums(tree: CallTree, numbers: Float64Array): void {
  for (let node = tree.length - 1; node > ROOT; node--) numbers[tree.parent[node]!]! += numbers[node]!;
}
