import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";

/** The stacks of the samples of a profile, walked from the leaf to the root; `ROOT` as a place ends a stack. */
export interface LeafFirstStacks {
  /** Where the stack of a sample begins. */
  leafOf(sample: number): number;
  /** The next place of the stack of a sample. */
  callerOf(place: number, sample: number): number;
  /** What a place is shown as: places of one key under one parent are one node. */
  keyAt(place: number): number;
}

export interface HeavyOptions {
  /** What the top level is a share of. */
  readonly whole: Ticks;
  /** How many levels there are at most. */
  readonly levels: number;
  /** Whether a node gets callers, by its ticks and those of the node above it. */
  readonly isOpen: (ticks: Ticks, above: Ticks) => boolean;
  /** Told of each sample at each node that it has ticks in. Default: nobody. */
  readonly onPlace?: ((node: number, place: number, sample: number) => void) | undefined;
}

/** The heavy tree: the leaves below the root, under each its callers. */
export interface HeavyTree {
  /** Its frames are keys of {@link LeafFirstStacks.keyAt}. */
  readonly tree: CallTree;
  /** By node; the root has the whole. */
  readonly ticks: readonly Ticks[];
}

/** Grows the heavy tree level by level, so that what is not open never gets callers. */
export function growHeavyTree(
  samples: SampleTable,
  stacks: LeafFirstStacks,
  { whole, levels, isOpen, onPlace }: HeavyOptions,
): HeavyTree {
  const tree = new CallTreeBuilder();
  const ticks: Ticks[] = [whole];
  // The samples that still climb, each with where it is in the heavy tree and where in its own stack it goes next.
  // Plain loops: they run once over all samples, and are cold.
  const climbing = Int32Array.from({ length: samples.length }, (_, sample) => sample);
  const at = new Int32Array(samples.length);
  const next = climbing.map((sample) => stacks.leafOf(sample));
  let count = climbing.length;
  for (let level = 0; level < levels && count > 0; level++) {
    let arrived = 0;
    for (let i = 0; i < count; i++) {
      const sample = climbing[i]!;
      const place = next[sample]!;
      if (place === ROOT) continue;
      const node = tree.child(at[sample]!, stacks.keyAt(place));
      ticks[node] = (ticks[node] ?? 0) + samples.ticks[sample]!;
      onPlace?.(node, place, sample);
      at[sample] = node;
      next[sample] = stacks.callerOf(place, sample);
      climbing[arrived++] = sample;
    }
    count = 0;
    for (let i = 0; i < arrived; i++) {
      const node = at[climbing[i]!]!;
      if (isOpen(ticks[node]!, ticks[tree.parent[node]!]!)) climbing[count++] = climbing[i]!;
    }
  }
  return { tree, ticks };
}
