import { marksOf } from "../base/columns.js";
import { addTo } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { sectionOf } from "../profile/categories.js";
import type { Profile } from "../profile/profile.js";
import { labelOf } from "./label.js";

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
  const isCpp = marksOf(frames, (frame) => sectionOf(frame) === "native");
  const { length, parent, frame: frameOf } = tree;
  /** By node: the frame of the C++ function that other code entered last on the way from the root; -1 for none. */
  const entries = new Int32Array(length).fill(-1);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller === ROOT) continue;
    const called = frameOf[node]!;
    entries[node] = isCpp[called] === 1 && isCpp[frameOf[caller]!] === 0 ? called : entries[caller]!;
  }
  const byFrame = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const leaf = samples.node[i]!;
    const entry = entries[leaf]!;
    if (entry >= 0 && frames[frameOf[leaf]!]!.kind === "native") byFrame[entry]! += samples.ticks[i]!;
  }
  const ticks = new Map<string, number>();
  for (let i = 0; i < frames.length; i++) if (byFrame[i]! > 0) addTo(ticks, labelOf(frames[i]!), byFrame[i]!);
  return Array.from(ticks, ([label, n]) => ({ label, ticks: n })).sort(
    (a, b) => b.ticks - a.ticks || compareTexts(b.label, a.label),
  );
}
