import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionStacks } from "./function-stacks.js";
import { growHeavyTree } from "./heavy-tree.js";

/**
 * A tree of functions in columns indexed by node, top-down or heavy. At every node but the root
 * `ticks = own + the ticks of the children`, unless the node is closed.
 */
export interface FunctionTree {
  /** Its frames are keys of {@link FunctionStacks}. */
  readonly tree: CallTree;
  readonly ticks: Float64Array;
  /** Ticks that no child has: top-down in the function itself, heavy in stacks that begin with it. */
  readonly own: Float64Array;
  /** Of `ticks`, those in which the caller's code holds the function. */
  readonly inlined: Float64Array;
  /** How deep the function calls itself at most; 1 where it does not. */
  readonly recursion: Int32Array;
}

/** Callees below their callers; the roots sum to the ticks of the profile. */
export function topDown(
  { tree, samples }: Pick<Profile, "tree" | "samples">,
  stacks: FunctionStacks,
): FunctionTree {
  const builder = new CallTreeBuilder();
  // The ticks of the stacks that a node of the profile's tree ends, then of all that lie below it.
  const below = new Float64Array(tree.length);
  const nodeOf = nodesByFunction(tree, stacks, builder);
  const bare: [place: number, node: number, ticks: Ticks][] = [];
  const own: Ticks[] = [];
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const ticks = samples.ticks[i]!;
    let node = nodeOf[leaf]!;
    if (stacks.isBare(leaf)) {
      const places: number[] = [];
      for (let place = leaf; place !== ROOT; place = stacks.callerOf(place, i)) places.push(place);
      node = ROOT;
      for (const place of places.reverse()) {
        node = builder.child(node, stacks.keyAt(place));
        bare.push([place, node, ticks]);
      }
    } else {
      below[leaf]! += ticks;
    }
    own[node] = (own[node] ?? 0) + ticks;
  }
  const result = emptyTree(builder.finish());
  for (const [node, ticks] of own.entries()) result.own[node] = ticks ?? 0;
  addSums(tree, below);
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (below[node] === 0) continue;
    const to = nodeOf[node]!;
    result.recursion[to] = Math.max(result.recursion[to]!, stacks.recursionAt(node));
    if (stacks.recursionAt(node) === 1 && stacks.isInlined(node)) result.inlined[to]! += below[node]!;
  }
  for (const [place, node] of bare) {
    result.recursion[node] = Math.max(result.recursion[node]!, stacks.recursionAt(place));
  }
  result.ticks.set(result.own);
  addSums(result.tree, result.ticks);
  return result;
}

/** Puts the stacks that are not of native code alone into a tree by function; the result is by node of `tree`. */
function nodesByFunction(tree: CallTree, stacks: FunctionStacks, builder: CallTreeBuilder): Int32Array {
  const nodeOf = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (stacks.isBare(node)) continue;
    const parent = nodeOf[tree.parent[node]!]!;
    nodeOf[node] = stacks.recursionAt(node) > 1 ? parent : builder.child(parent, stacks.keyAt(node));
  }
  return nodeOf;
}

/** Callers below their callees, the functions with ticks of their own on top. */
export function heavy(
  { samples }: Pick<Profile, "samples">,
  stacks: FunctionStacks,
  { depth, least }: { readonly depth: number; readonly least: Ticks },
): FunctionTree {
  const own: Ticks[] = [];
  const inlined: Ticks[] = [];
  const recursion: number[] = [];
  const grown = growHeavyTree(samples, stacks, {
    whole: 0,
    // A level more, so that what is left out can be counted.
    levels: depth + 1,
    isOpen: (ticks) => ticks >= least,
    onPlace(node, place, sample) {
      const ticks = samples.ticks[sample]!;
      if (stacks.callerOf(place, sample) === ROOT) own[node] = (own[node] ?? 0) + ticks;
      if (stacks.isInlined(place)) inlined[node] = (inlined[node] ?? 0) + ticks;
      recursion[node] = Math.max(recursion[node] ?? 0, stacks.recursionAt(place));
    },
  });
  const result = emptyTree(grown.tree);
  for (let node = ROOT + 1; node < result.tree.length; node++) {
    result.ticks[node] = grown.ticks[node]!;
    result.own[node] = own[node] ?? 0;
    result.inlined[node] = inlined[node] ?? 0;
    result.recursion[node] = recursion[node]!;
    if (result.tree.parent[node] === ROOT) result.ticks[ROOT]! += result.ticks[node]!;
  }
  return result;
}

function emptyTree(tree: CallTree): FunctionTree {
  return {
    tree,
    ticks: new Float64Array(tree.length),
    own: new Float64Array(tree.length),
    inlined: new Float64Array(tree.length),
    recursion: new Int32Array(tree.length).fill(1),
  };
}

/** Adds the numbers of all nodes to those of their parents. */
function addSums(tree: CallTree, numbers: Float64Array): void {
  for (let node = tree.length - 1; node > ROOT; node--) numbers[tree.parent[node]!]! += numbers[node]!;
}
