import { columnOf } from "../base/columns.js";
import { HEAVY_TREE_NODES } from "../base/limits.js";
import type { Ticks } from "../base/units.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import { stackTicks } from "../profile/sample-table.js";
import { regroup } from "../profile/stacks.js";
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
  const under = stackTicks(tree, samples);
  const builder = new CallTreeBuilder(tree.length);
  const nodes = regroup(tree, builder, (into, caller, node) => {
    const isPassed = under[node] === 0 || stacks.isBare(node) || stacks.recursionAt(node) > 1;
    return isPassed ? caller : into.child(caller, stacks.keyAt(node));
  });
  const bare = new BareStacks(tree, stacks, builder);
  const ofSample = columnOf(Int32Array, samples.node.subarray(0, samples.length), (node, i) =>
    stacks.isBare(node) && samples.ticks[i]! > 0 ? bare.place(node, samples.vmState[i]!) : nodes[node]!,
  );
  const result = emptyTree(builder.finish());
  const { ticks, self, inlined, inferred, recursion } = result;
  for (let i = 0; i < samples.length; i++) if (ofSample[i] !== ROOT) self[ofSample[i]!]! += samples.ticks[i]!;
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (under[node] === 0 || stacks.isBare(node)) continue;
    const to = nodes[node]!;
    const run = stacks.recursionAt(node);
    recursion[to] = Math.max(recursion[to]!, run);
    if (run > 1) continue;
    if (stacks.isInlined(node)) inlined[to]! += under[node]!;
    if (stacks.isInferred(node)) inferred[to]! += under[node]!;
  }
  for (const [node, to] of bare.placed()) recursion[to] = Math.max(recursion[to]!, stacks.recursionAt(node));
  ticks.set(self);
  for (let node = ticks.length - 1; node > ROOT; node--) ticks[result.tree.parent[node]!]! += ticks[node]!;
  return result;
}

/** Stacks of native code alone: one of several VM states is in several places, below each of them. */
class BareStacks {
  readonly #tree: CallTree;
  readonly #stacks: FunctionStacks;
  readonly #into: CallTreeBuilder;
  /** By VM state and node. */
  readonly #placed = new Map<number, number>();

  constructor(tree: CallTree, stacks: FunctionStacks, into: CallTreeBuilder) {
    this.#tree = tree;
    this.#stacks = stacks;
    this.#into = into;
  }

  /** Returns the place of a node below a VM state. */
  place(leaf: number, state: number): number {
    const start = state * this.#tree.length;
    const path: number[] = [];
    let node = leaf;
    for (; node !== ROOT && !this.#placed.has(start + node); node = this.#tree.parent[node]!) path.push(node);
    let to = this.#placed.get(start + node) ?? this.#into.child(ROOT, this.#stacks.keyAt(-1 - state));
    for (const next of path.reverse()) {
      if (this.#stacks.recursionAt(next) === 1) to = this.#into.child(to, this.#stacks.keyAt(next));
      this.#placed.set(start + next, to);
    }
    return to;
  }

  /** Yields the nodes that have places, with each of these. */
  *placed(): Iterable<readonly [node: number, place: number]> {
    for (const [at, to] of this.#placed) yield [at % this.#tree.length, to];
  }
}

/** A tree with callers below their callees. */
interface HeavyFunctionTree extends FunctionTree {
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
