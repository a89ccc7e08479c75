import { HEAVY_TREE_NODES } from "../limits.js";
import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { pushTo } from "../profile/maps.js";
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

/** A tree of functions, whose nodes get the ticks of all nodes of a call tree that are the same function there. */
interface JoinedTree {
  /** Its frames are keys of {@link FunctionStacks}. */
  readonly tree: CallTree;
  /** By node: the ticks in the function itself. */
  readonly self: Float64Array;
  /** The ticks in which the function is inlined into its caller's code. */
  readonly inlined: Float64Array;
  /** The ticks in which the function is not in the log, but inferred. */
  readonly inferred: Float64Array;
  /** The greatest depth of direct recursion. */
  readonly recursion: Int32Array;
}

/** Stacks of native code alone in one VM state, or all other stacks. */
interface Part {
  /** A sample in that VM state; -1 for the other stacks. */
  readonly state: number;
  /** The samples with ticks. */
  readonly samples: readonly number[];
}

/** Returns the trees of stacks that have nothing in common: of native code alone, by VM state, and of all others. */
function joinedParts(tree: CallTree, samples: SampleTable, stacks: FunctionStacks): JoinedTree[] {
  const joiner = new PartJoiner(tree, samples, stacks);
  return partsOf(samples, stacks).map((part) => joiner.joined(part));
}

/** Returns one tree with the nodes of several, which share the root alone, one after the other. */
function treeOfParts(trees: readonly CallTree[]): CallTree {
  const length = trees.reduce((sum, part) => sum + part.length - 1, 1);
  const parent = new Int32Array(length);
  const frame = new Int32Array(length);
  parent[ROOT] = -1;
  frame[ROOT] = -1;
  let offset = 0;
  for (const part of trees) {
    frame.set(part.frame.subarray(1, part.length), offset + 1);
    for (let node = ROOT + 1; node < part.length; node++) {
      const caller = part.parent[node]!;
      parent[offset + node] = caller === ROOT ? ROOT : offset + caller;
    }
    offset += part.length - 1;
  }
  return { length, parent, frame };
}

/** Adds the numbers of all nodes to those of their parents, which come before them. */
function addSums(parent: Int32Array, numbers: Float64Array): void {
  for (let node = numbers.length - 1; node > ROOT; node--) numbers[parent[node]!]! += numbers[node]!;
}

function partsOf(samples: SampleTable, stacks: FunctionStacks): Part[] {
  /** By VM state, or -1. */
  const found = new Map<number, number[]>();
  for (let i = 0; i < samples.length; i++) {
    if (samples.ticks[i] === 0) continue;
    const state = stacks.isBare(samples.node[i]!) ? samples.vmState[i]! : -1;
    pushTo(found, state, i);
  }
  return Array.from(found, ([state, part]) => ({ state: state < 0 ? state : part[0]!, samples: part }));
}

/** Joins the nodes of parts, one part after the other. */
class PartJoiner {
  readonly #tree: CallTree;
  readonly #samples: SampleTable;
  readonly #stacks: FunctionStacks;
  /** By node: its index in the last part that had it, and 1 + the number of that part. */
  readonly #index: Int32Array;
  readonly #partOf: Uint8Array;
  #parts = 0;

  constructor(tree: CallTree, samples: SampleTable, stacks: FunctionStacks) {
    this.#tree = tree;
    this.#samples = samples;
    this.#stacks = stacks;
    this.#index = new Int32Array(tree.length);
    this.#partOf = new Uint8Array(tree.length);
  }

  joined(part: Part): JoinedTree {
    const samples = this.#samples;
    const stacks = this.#stacks;
    const nodes = this.#find(part);
    const parent = nodes.map((node) => (node === ROOT ? ROOT : this.#index[this.#tree.parent[node]!]!));
    const ticks = new Float64Array(nodes.length);
    for (const sample of part.samples) ticks[this.#index[samples.node[sample]!]!]! += samples.ticks[sample]!;
    const { tree, to } = this.#join(part, nodes, parent);
    const self = new Float64Array(tree.length);
    const inlined = new Float64Array(tree.length);
    const inferred = new Float64Array(tree.length);
    const recursion = new Int32Array(tree.length).fill(1);
    for (let i = 1; i < nodes.length; i++) self[to[i]!]! += ticks[i]!;
    addSums(parent, ticks);
    for (let i = 1; i < nodes.length; i++) {
      const [node, joined] = [nodes[i]!, to[i]!];
      const run = stacks.recursionAt(node);
      recursion[joined] = Math.max(recursion[joined]!, run);
      if (run > 1) continue;
      if (stacks.isInlined(node)) inlined[joined]! += ticks[i]!;
      if (stacks.isInferred(node)) inferred[joined]! += ticks[i]!;
    }
    return { tree, self, inlined, inferred, recursion };
  }

  /** Returns the nodes of a part's stacks, callers first: the root, then all others. */
  #find({ samples }: Part): Int32Array {
    const part = ++this.#parts;
    const found = [ROOT];
    this.#partOf[ROOT] = part;
    for (const sample of samples) {
      let node = this.#samples.node[sample]!;
      for (; this.#partOf[node] !== part; node = this.#tree.parent[node]!) {
        this.#partOf[node] = part;
        found.push(node);
      }
    }
    const nodes = new Int32Array(found).sort();
    for (let i = 0; i < nodes.length; i++) this.#index[nodes[i]!] = i;
    return nodes;
  }

  /** Returns the tree of a part's nodes, and by index of each its node there. */
  #join({ state }: Part, nodes: Int32Array, parent: Int32Array): { tree: CallTree; to: Int32Array } {
    const stacks = this.#stacks;
    const builder = new CallTreeBuilder();
    const to = new Int32Array(nodes.length);
    for (let i = 1; i < nodes.length; i++) {
      const node = nodes[i]!;
      if (state < 0 && stacks.isBare(node)) continue;
      const caller = to[parent[i]!]!;
      if (stacks.recursionAt(node) > 1) to[i] = caller;
      else {
        const isFirst = parent[i] === ROOT && state >= 0;
        const above = isFirst ? builder.child(ROOT, stacks.keyAt(stacks.callerOf(node, state))) : caller;
        to[i] = builder.child(above, stacks.keyAt(node));
      }
    }
    return { tree: builder.finish(), to };
  }
}
