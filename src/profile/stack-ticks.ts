import { type CallTree, ROOT } from "./call-tree.js";
import type { Profile } from "./profile.js";
import type { SampleTable } from "./sample-table.js";

/** By samples: the ticks of each stack, and the tree that they are of. */
const known = new WeakMap<SampleTable, { readonly tree: CallTree; readonly ticks: Float64Array }>();

/** Returns, by node, the ticks of its stack and of all stacks that go on from there. Several parts of a report ask for them. */
export function stackTicks({ tree, samples }: Pick<Profile, "tree" | "samples">): Float64Array {
  let found = known.get(samples);
  if (found?.tree !== tree) {
    found = { tree, ticks: sumTicks(tree, samples) };
    known.set(samples, found);
  }
  return found.ticks;
}

function sumTicks({ length, parent }: CallTree, samples: SampleTable): Float64Array {
  const totals = new Float64Array(length);
  for (let i = 0; i < samples.length; i++) totals[samples.node[i]!]! += samples.ticks[i]!;
  for (let node = length - 1; node > ROOT; node--) totals[parent[node]!]! += totals[node]!;
  return totals;
}
