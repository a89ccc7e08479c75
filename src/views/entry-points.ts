import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { addTo } from "../profile/maps.js";
import type { Profile } from "../profile/profile.js";
import { compareTexts } from "../profile/sorted.js";
import type { Ticks } from "../profile/units.js";
import { kindOf, labelOf } from "./label.js";

/** A C++ function called from other code, with the ticks in it and in the C++ that it called. */
interface EntryPoint {
  readonly label: string;
  readonly ticks: Ticks;
}

/**
 * Returns where native code was entered: the last C++ function on the way from a native leaf to the first
 * frame that is not C++. Sorted by ticks, then by label; both descending.
 *
 * Source: V8, tools/profile.mjs, `Profile.resolveAndFilterFuncs_`.
 */
export function entryPoints({ frames, tree, samples }: Profile): EntryPoint[] {
  const isCpp = columnOf(Uint8Array, frames, (frame) => (kindOf(frame) === "native" ? 1 : 0));
  const isNative = columnOf(Uint8Array, frames, ({ kind }) => (kind === "native" ? 1 : 0));
  const entries = entriesOf(tree, isCpp);
  const byFrame = new Float64Array(frames.length);
  const { length, node, ticks: counts } = samples;
  const { frame: frameOf } = tree;
  for (let i = 0; i < length; i++) {
    const leaf = node[i]!;
    if (isNative[frameOf[leaf]!] !== 1) continue;
    const entry = entries[leaf]!;
    if (entry !== NONE) byFrame[entry]! += counts[i]!;
  }
  const ticks = new Map<string, number>();
  for (let i = 0; i < frames.length; i++) {
    const frame = frames[i]!;
    if (byFrame[i] === 0) continue;
    const label = labelOf(frame);
    addTo(ticks, label, byFrame[i]!);
  }
  return Array.from(ticks, ([label, n]) => ({ label, ticks: n })).sort(
    (a, b) => b.ticks - a.ticks || compareTexts(b.label, a.label),
  );
}

const NONE = -1;

/**
 * Returns, by node, the frame of the C++ function that other code entered last on the way from the root;
 * `NONE` if there is none.
 */
function entriesOf({ length, parent, frame }: CallTree, isCpp: Uint8Array): Int32Array {
  const entries = new Int32Array(length).fill(NONE);
  // A plain loop, since this is cold code that runs once over all nodes.
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller === ROOT) continue;
    const called = frame[node]!;
    const isEntry = isCpp[called] === 1 && isCpp[frame[caller]!] === 0;
    entries[node] = isEntry ? called : entries[caller]!;
  }
  return entries;
}
