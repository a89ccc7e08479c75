import { type CallTree, ROOT } from "./call-tree.js";
import { SiblingTable } from "./child-table.js";
import { firstOf } from "./columns.js";
import { moveCharges } from "./deopt.js";
import type { Frame } from "./frame.js";
import { frameKeys } from "./frame-keys.js";
import { FrameTable } from "./frame-table.js";
import { moveIcs } from "./inline-caches.js";
import { mergeRows } from "./merged-rows.js";
import { renumberTicks } from "./moved-ticks.js";
import type { Stacks } from "./remap.js";
import { renumber } from "./renumbered.js";

/**
 * Merges equal frames, and the stacks that differed only in them. Reuses and overwrites the columns it is
 * given: few stacks merge, and the others move up.
 */
export function mergeEqualFrames({ frames, tree, samples, timeline, deopts, ics }: Stacks): Stacks {
  const table = new FrameTable<Frame>(frameKeys());
  const numbers = table.internAll(frames);
  if (table.frames.length === frames.length) return { frames, tree, samples, timeline, deopts, ics };
  const isShared = sharedNumbers(numbers, table.frames.length);
  const merged = mergeNodes(tree, numbers, isShared);
  const { length, node } = samples;
  const { numbers: nodes } = merged;
  renumber(node.subarray(0, length), nodes);
  const rows = mergeRows(samples, merged.wasMerged, nodes.fill(0));
  return {
    frames: table.frames,
    tree: merged.tree,
    samples: rows.samples,
    timeline: timeline && renumberTicks(timeline, rows.numbers),
    deopts: deopts && moveCharges(deopts, rows.numbers),
    ics: ics && moveIcs(ics, rows.numbers),
  };
}

interface MergedNodes {
  readonly tree: CallTree;
  /** New node numbers by old node number. */
  readonly numbers: Int32Array;
  /** By new node number: 1 if several nodes were merged into it. */
  readonly wasMerged: Uint8Array;
}

function mergeNodes(
  { length, parent, frame }: CallTree,
  frames: Int32Array,
  isShared: Uint8Array,
): MergedNodes {
  const numbers = new Int32Array(length);
  const wasMerged = new Uint8Array(length);
  /** By old node number: 1 if its stack has a frame that was merged. Only such stacks can be equal to others. */
  const mayMerge = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) {
    mayMerge[node] = mayMerge[parent[node]!]! | isShared[frames[frame[node]!]!]!;
  }
  const known = new SiblingTable({ parent, frame }, length);
  let kept = ROOT + 1;
  for (let node = ROOT + 1; node < length; node++) {
    const caller = numbers[parent[node]!]!;
    const number = frames[frame[node]!]!;
    if (mayMerge[node] === 1) {
      const equal = known.find(caller, number);
      if (equal !== 0) {
        numbers[node] = equal;
        wasMerged[equal] = 1;
        continue;
      }
    }
    parent[kept] = caller;
    frame[kept] = number;
    if (mayMerge[node] === 1) known.add(kept);
    numbers[node] = kept++;
  }
  const tree = { length: kept, parent: firstOf(parent, kept), frame: firstOf(frame, kept) };
  return { tree, numbers, wasMerged };
}

/** Returns 1 for each number that occurs more than once. */
function sharedNumbers(numbers: Int32Array, count: number): Uint8Array {
  const isThere = new Uint8Array(count);
  const isShared = new Uint8Array(count);
  for (const number of numbers) {
    isShared[number]! |= isThere[number]!;
    isThere[number] = 1;
  }
  return isShared;
}
