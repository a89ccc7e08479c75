import { moveCharges } from "./deopt.js";
import type { Frame } from "./frame.js";
import { frameKeys } from "./frame-keys.js";
import { FrameTable } from "./frame-table.js";
import { moveIcs } from "./inline-caches.js";
import { mergeRows } from "./merged-rows.js";
import { chainsOf, mergedTree } from "./merged-tree.js";
import { renumberTicks } from "./moved-ticks.js";
import type { Stacks } from "./remap.js";
import { SharedLists } from "./shared-lists.js";

/** Stacks in which a frame of the tree can stand for several frames. */
export interface ExpandedStacks extends Omit<Stacks, "frames"> {
  /** By frame number of `tree`: the frames that it stands for, outermost first; at least one. */
  readonly frames: readonly (readonly Frame[])[];
}

/**
 * Returns the stacks with all the frames, and equal stacks as one. Overwrites the columns of the samples and the timeline: a
 * long one is a large part of all memory.
 */
export function mergeExpanded(stacks: ExpandedStacks): Stacks {
  const { samples, timeline, deopts, ics } = stacks;
  const table = new FrameTable<Frame>(frameKeys());
  const lists = new SharedLists((frame: Frame) => table.intern(frame));
  const chains = chainsOf(stacks.frames.map((chain) => lists.of(chain)));
  const { tree, isShared } = mergedTree(stacks.tree, chains, samples.node.subarray(0, samples.length));
  const rows = mergeRows(samples, isShared);
  return {
    frames: table.frames,
    tree,
    samples: rows.samples,
    timeline: timeline && renumberTicks(timeline, rows.numbers),
    deopts: deopts && moveCharges(deopts, rows.numbers),
    ics: ics && moveIcs(ics, rows.numbers),
  };
}
