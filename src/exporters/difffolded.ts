import { ROOT } from "../profile/call-tree.js";
import { printable } from "../views/label.js";
import { stableKeys } from "../views/stable-key.js";
import { numberedStacks } from "./export-stacks.js";
import { foldedLines } from "./folded-lines.js";
import { roundedSums, type StackDifference } from "./stack-difference.js";

/**
 * Writes a difference as `difffolded.pl` does: `root;caller;leaf BEFORE AFTER`, for `flamegraph.pl` and
 * `inferno-flamegraph`. Frames are named by the stable keys of their functions, without lines and tiers, so that
 * the same stack is one line; `;` in a name becomes `:`. The numbers of each side sum to what it has.
 *
 * Source: FlameGraph, difffolded.pl.
 */
export function* difffolded({ profile, sides }: StackDifference): Iterable<Uint8Array> {
  const { samples } = profile;
  const { table, keys } = stableKeys(profile);
  const names = new Map<string, number>();
  const ofFunction = keys.map(({ key }) => {
    const name = printable(key).replaceAll(";", ":");
    const number = names.get(name) ?? names.size;
    names.set(name, number);
    return number;
  });
  const ofFrame = table.ofFrame.map((of) => ofFunction[of]!);
  const stacks = numberedStacks(profile, ofFrame);
  const values = {
    before: new Float64Array(stacks.tree.length),
    after: new Float64Array(stacks.tree.length),
  };
  for (let i = 0; i < samples.length; i++)
    values[sides[samples.thread[i]!]!][stacks.nodeOf[i]!]! += samples.ticks[i]!;
  const [before, after] = [roundedSums(), roundedSums()];
  // Ticks without any frame cannot be a line.
  values.before[ROOT] = 0;
  values.after[ROOT] = 0;
  yield* foldedLines(stacks.tree, Array.from(names.keys()), (leaf) => {
    const counts = [before(values.before[leaf]!), after(values.after[leaf]!)];
    return counts.every((count) => count === 0) ? undefined : counts.join(" ");
  });
}
