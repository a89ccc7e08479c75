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
  const nodes = parts.map((part) => nodesByFunction(part, stacks, builder));
  const result = emptyTree(builder.finish());
  for (const [i, part] of parts.entries()) addPart(result, part, nodes[i]!, stacks);
  result.ticks.set(result.self);
  addSums(result.tree.parent, result.ticks);
  return result;
}

/**
 * The nodes of stacks of native code alone in one VM state, or of all other stacks. Its columns are indexed by their order,
 * which has callers before callees; 0 is the root.
 */
interface Part {
  /** A sample in that VM state; -1 for the other stacks. */
  readonly state: number;
  /** Nodes of the profile's tree. */
  readonly nodes: Int32Array;
  /** The callers, as indices of these columns. */
  readonly parent: Int32Array;
  /** The ticks of the part's stacks that end here. */
  readonly ticks: Float64Array;
}

function partsOf(samples: SampleTable, tree: CallTree, stacks: FunctionStacks): Part[] {
  /** By VM state, or -1: the samples with ticks. */
  const found = new Map<number, number[]>();
  for (let i = 0; i < samples.length; i++) {
    if (samples.ticks[i] === 0) continue;
    const state = stacks.isBare(samples.node[i]!) ? samples.vmState[i]! : -1;
    const known = found.get(state);
    if (known === undefined) found.set(state, [i]);
    else known.push(i);
  }
  const finder = new NodeFinder(tree);
  return Array.from(found, ([state, part]) => {
    const nodes = finder.find(part, samples);
    const parent = nodes.map((node) => (node === ROOT ? 0 : finder.indexOf(tree.parent[node]!)));
    const ticks = new Float64Array(nodes.length);
    for (const sample of part) ticks[finder.indexOf(samples.node[sample]!)]! += samples.ticks[sample]!;
    return { state: state < 0 ? state : part[0]!, nodes, parent, ticks };
  });
}

/** Finds the nodes of some stacks of a tree: first of these, then of those. */
class NodeFinder {
  readonly #tree: CallTree;
  /** By node: its index among those found last. */
  readonly #index: Int32Array;
  /** By node: how often stacks had been looked for when it was found last. */
  readonly #round: Uint8Array;
  #rounds = 0;

  constructor(tree: CallTree) {
    this.#tree = tree;
    this.#index = new Int32Array(tree.length);
    this.#round = new Uint8Array(tree.length);
  }

  /** Returns the nodes of the stacks of samples, callers first: the root, then all others. */
  find(part: readonly number[], samples: SampleTable): Int32Array {
    const round = ++this.#rounds;
    const found = [ROOT];
    this.#round[ROOT] = round;
    for (const sample of part) {
      let node = samples.node[sample]!;
      for (; this.#round[node] !== round; node = this.#tree.parent[node]!) {
        this.#round[node] = round;
        found.push(node);
      }
    }
    const nodes = new Int32Array(found).sort();
    for (let i = 0; i < nodes.length; i++) this.#index[nodes[i]!] = i;
    return nodes;
  }

  /** Returns the index of a node that was found last. */
  indexOf(node: number): number {
    return this.#index[node]!;
  }
}

/** Adds the stacks of a part to a tree by function. Returns its nodes, indexed as the part is. */
function nodesByFunction(
  { state, nodes, parent }: Part,
  stacks: FunctionStacks,
  builder: CallTreeBuilder,
): Int32Array {
  const nodeOf = new Int32Array(nodes.length);
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]!;
    if (state < 0 && stacks.isBare(node)) continue;
    const caller = parent[i]!;
    const to =
      caller === 0 && state >= 0
        ? builder.child(ROOT, stacks.keyAt(stacks.callerOf(node, state)))
        : nodeOf[caller]!;
    nodeOf[i] = stacks.recursionAt(node) > 1 ? nodeOf[caller]! : builder.child(to, stacks.keyAt(node));
  }
  return nodeOf;
}

/** Adds the ticks of a part, whose nodes in the tree are given, and how they come about. */
function addPart(
  { self, recursion, inlined, inferred }: FunctionTree,
  { nodes, parent, ticks }: Part,
  nodeOf: Int32Array,
  stacks: FunctionStacks,
): void {
  for (let i = 1; i < nodes.length; i++) self[nodeOf[i]!]! += ticks[i]!;
  addSums(parent, ticks);
  for (let i = 1; i < nodes.length; i++) {
    const [node, to] = [nodes[i]!, nodeOf[i]!];
    const run = stacks.recursionAt(node);
    recursion[to] = Math.max(recursion[to]!, run);
    if (run > 1) continue;
    if (stacks.isInlined(node)) inlined[to]! += ticks[i]!;
    if (stacks.isInferred(node)) inferred[to]! += ticks[i]!;
  }
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

/** Adds the numbers of all nodes to those of their parents, which come before them. */
function addSums(parent: Int32Array, numbers: Float64Array): void {
  for (let node = parent.length - 1; node > ROOT; node--) numbers[parent[node]!]! += numbers[node]!;
}
