import { type CallTree, ROOT } from "./call-tree.js";
import { zeros } from "./long-column.js";
import type { Profile } from "./profile.js";
import type { SampleTable } from "./sample-table.js";
import { shareTreeKernel } from "./shared-kernel.js";

/** By samples: the ticks of each stack, and the tree that they are of. */
const known = new WeakMap<SampleTable, { readonly tree: CallTree; readonly ticks: Float64Array }>();

/** Returns, by node, the ticks of its stack and of all stacks that go on from there. Several parts of a report ask for them. */
export function stackTicks({ tree, samples }: Pick<Profile, "tree" | "samples">): Float64Array {
  let found = known.get(samples);
  if (found?.tree !== tree) {
    found = { tree, ticks: sumInKernel(tree, samples) ?? sumTicks(tree, samples) };
    known.set(samples, found);
  }
  return found.ticks;
}

/** Does what {@link sumTicks} does. Returns undefined if there is no kernel for it. */
function sumInKernel(tree: CallTree, { length, node, ticks }: SampleTable): Float64Array | undefined {
  const kernel = shareTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const nodes = kernel.place(node.subarray(0, length));
  const counts = kernel.place(ticks.subarray(0, length));
  const totals = kernel.spare(tree.length * Float64Array.BYTES_PER_ELEMENT);
  const isDouble = ticks instanceof Float64Array;
  kernel.exports.sumTicks(tree.length, kernel.parent, length, nodes, counts, isDouble, totals);
  return kernel.doubles(totals, tree.length).slice();
}

function sumTicks({ length, parent }: CallTree, samples: SampleTable): Float64Array {
  const totals = zeros(Float64Array, length);
  for (let i = 0; i < samples.length; i++) totals[samples.node[i]!]! += samples.ticks[i]!;
  for (let node = length - 1; node > ROOT; node--) totals[parent[node]!]! += totals[node]!;
  return totals;
}
