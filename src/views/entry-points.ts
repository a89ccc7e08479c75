import { ROOT } from "../profile/call-tree.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import { categoryOf, compareLabelsDescending, labelOf } from "./label.js";

/** A C++ function that other code called, with the ticks spent in it and in the C++ below it. */
export interface EntryPoint {
  readonly label: string;
  readonly ticks: Ticks;
}

/**
 * Where native stacks were entered: the last C++ function on the way from a native leaf to the first frame
 * that is not C++. Most ticks first, then by label, descending.
 *
 * Source: V8, tools/profile.mjs, `Profile.resolveAndFilterFuncs_`.
 */
export function entryPoints({ frames, tree, samples }: Profile): EntryPoint[] {
  const ticks = new Map<string, number>();
  const entryOf = (leaf: number): string | undefined => {
    if (frames[tree.frame[leaf]!]!.kind !== "native") return undefined;
    let entry: string | undefined;
    for (let node = leaf; node !== ROOT; node = tree.parent[node]!) {
      const frame = frames[tree.frame[node]!]!;
      if (categoryOf(frame) === "cpp") entry = labelOf(frame);
      else if (entry !== undefined) return entry;
    }
    return undefined;
  };
  for (let i = 0; i < samples.length; i++) {
    const entry = entryOf(samples.node[i]!);
    if (entry !== undefined) ticks.set(entry, (ticks.get(entry) ?? 0) + samples.ticks[i]!);
  }
  return Array.from(ticks, ([label, n]) => ({ label, ticks: n })).sort(
    (a, b) => b.ticks - a.ticks || compareLabelsDescending(a.label, b.label),
  );
}
