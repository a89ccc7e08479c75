import { type CallTree, CallTreeBuilder, ROOT } from "../../profile/call-tree.js";
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
  const builder = new CallTreeBuilder();
  const inGc = (sample: number) => samples.vmState[sample] === GC;
  const inIdle = (sample: number) => isIdle(samples.vmState[sample]!);
  const plain = addNodes(builder, tree, ROOT, {
    needed: neededNodes(tree, samples, (sample) => !inGc(sample) && !inIdle(sample)),
    shift: 0,
  });
  const all = Array.from({ length: samples.length }, (_, i) => i);
  const collector = all.some(inGc) ? builder.child(ROOT, 2 * frameCount) : ROOT;
  const collecting = addNodes(builder, tree, collector, {
    needed: neededNodes(tree, samples, inGc),
    shift: frameCount,
  });
  const idling = addNodes(
    builder,
    tree,
    all.some(inIdle) ? builder.child(ROOT, idleFrame(frameCount)) : ROOT,
    {
      needed: neededNodes(tree, samples, inIdle),
      shift: 0,
    },
  );
  const node = Int32Array.from({ length: samples.length }, (_, i) => {
    return (inGc(i) ? collecting : inIdle(i) ? idling : plain)[samples.node[i]!]!;
  });
  return { tree: builder.finish(), frameCount, node };
}

/** Returns the number of the frame for idle time. */
export function idleFrame(frameCount: number): number {
  return 2 * frameCount + 1;
}

/** Returns 1 for each node that has, or calls what has, ticks of samples that count. */
function neededNodes(
  tree: CallTree,
  samples: Profile["samples"],
  counts: (sample: number) => boolean,
): Uint8Array {
  const needed = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) {
    if (counts(i) && samples.ticks[i]! > 0) needed[samples.node[i]!] = 1;
  }
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (needed[node] === 1) needed[tree.parent[node]!] = 1;
  }
  return needed;
}

/**
 * Adds the needed nodes under `root`, with `shift` added to their frames. Returns the new node of each node
 * of `tree`.
 */
function addNodes(
  builder: CallTreeBuilder,
  tree: CallTree,
  root: number,
  { needed, shift }: { readonly needed: Uint8Array; readonly shift: number },
): Int32Array {
  const nodes = new Int32Array(tree.length);
  nodes[ROOT] = root;
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (needed[node] !== 1) continue;
    nodes[node] = builder.child(nodes[tree.parent[node]!]!, tree.frame[node]! + shift);
  }
  return nodes;
}
