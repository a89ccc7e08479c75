import { type CallTree, ROOT } from "../../profile/call-tree.js";
import { reaching } from "../../profile/columns.js";
import type { Profile } from "../../profile/profile.js";
import { GC, isIdle } from "../../profile/vm-state.js";

/** A call tree with garbage collection under one frame and idle time under another, and the node of each sample. */
export interface GcStacks {
  /**
   * Its frame numbers: below `frameCount` the profile's frames, below twice that the same frames during
   * garbage collection, exactly twice that for garbage collection as a whole, and one more for idle time. Nodes
   * without ticks are left out.
   */
  readonly tree: CallTree;
  readonly frameCount: number;
  /** By row of the samples. */
  readonly node: Int32Array;
}

/**
 * Puts all ticks in garbage collection under one outermost frame, and idle ones under another. V8 records no
 * JavaScript stack for them, so they would appear as many C++ functions without callers.
 */
export function gcStacks({ frames, tree, samples }: Profile): GcStacks {
  const frameCount = frames.length;
  const kind = samples.vmState.slice(0, samples.length).map(kindOf);
  const made = new MadeTree();
  const node = new Int32Array(samples.length);
  for (const { kind: wanted, outermost, shift } of PARTS) {
    if (!kind.includes(wanted)) continue;
    const root = outermost === undefined ? ROOT : made.child(ROOT, outermost(frameCount));
    const needed = neededNodes(tree, samples, kind, wanted);
    const nodes = made.add(tree, root, { needed, shift: shift * frameCount });
    for (let i = 0; i < node.length; i++) if (kind[i] === wanted) node[i] = nodes[samples.node[i]!]!;
  }
  return { tree: made, frameCount, node };
}

/** A part of the ticks. */
interface Part {
  /** What {@link kindOf} returns for it. */
  readonly kind: number;
  /** Returns the number of the frame above it; undefined if there is none. */
  readonly outermost: ((frameCount: number) => number) | undefined;
  /** What is added to its frames, in frame counts. */
  readonly shift: number;
}

/** Plain ticks, those in garbage collection, and idle ones. */
const PARTS: readonly Part[] = [
  { kind: 0, outermost: undefined, shift: 0 },
  { kind: 1, outermost: (frameCount) => 2 * frameCount, shift: 1 },
  { kind: 2, outermost: idleFrame, shift: 0 },
];

/** Returns the kind of the part with the ticks of a VM state. */
function kindOf(state: number): number {
  if (state === GC) return 1;
  return isIdle(state) ? 2 : 0;
}

/** Returns the number of the frame for idle time. */
export function idleFrame(frameCount: number): number {
  return 2 * frameCount + 1;
}

/** Returns 1 for each node that has, or calls what has, ticks of samples of a kind. */
function neededNodes(
  tree: CallTree,
  samples: Profile["samples"],
  kind: Uint8Array,
  wanted: number,
): Uint8Array {
  const needed = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    if (kind[i] === wanted && samples.ticks[i]! > 0) needed[samples.node[i]!] = 1;
  }
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (needed[node] === 1) needed[tree.parent[node]!] = 1;
  }
  return needed;
}

/** A tree that is made of parts of another one, which have no callers in common: no two of its nodes are equal. */
class MadeTree implements CallTree {
  length = 1;
  parent = new Int32Array(1).fill(-1);
  frame = new Int32Array(1).fill(-1);

  /** Adds a node. */
  child(caller: number, frame: number): number {
    this.#reach(this.length);
    this.parent[this.length] = caller;
    this.frame[this.length] = frame;
    return this.length++;
  }

  /**
   * Adds the needed nodes of a tree under `root`, with `shift` added to their frames. Returns the new node of each
   * node of the tree.
   */
  add(
    tree: CallTree,
    root: number,
    { needed, shift }: { readonly needed: Uint8Array; readonly shift: number },
  ): Int32Array {
    const nodes = new Int32Array(tree.length);
    nodes[ROOT] = root;
    let count = 0;
    for (let node = ROOT + 1; node < tree.length; node++) count += needed[node]!;
    if (count === 0) return nodes;
    this.#reach(this.length + count);
    const { parent, frame } = this;
    let next = this.length;
    for (let node = ROOT + 1; node < tree.length; node++) {
      if (needed[node] !== 1) continue;
      parent[next] = nodes[tree.parent[node]!]!;
      frame[next] = tree.frame[node]! + shift;
      nodes[node] = next++;
    }
    this.length = next;
    return nodes;
  }

  #reach(index: number): void {
    this.parent = reaching(this.parent, index);
    this.frame = reaching(this.frame, index);
  }
}
