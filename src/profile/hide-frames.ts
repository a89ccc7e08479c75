import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type FramePredicate, moveSamples } from "./filter.js";
import type { Profile } from "./profile.js";

/**
 * The same profile with some frames out of its stacks: their ticks are their callers'. Stacks of nothing else count as
 * excluded. Frames and nodes without ticks are gone, also those that had none before.
 */
export function hideFrames(profile: Profile, isHidden: FramePredicate): Profile {
  const { frames, tree, samples } = profile;
  const hasTicks = nodesWithTicks(profile);
  const isShown = new Uint8Array(frames.length);
  for (let node = ROOT + 1; node < tree.length; node++)
    if (hasTicks[node] === 1) isShown[tree.frame[node]!] = 1;
  for (let frame = 0; frame < frames.length; frame++)
    if (isShown[frame] === 1 && isHidden(frame)) isShown[frame] = 0;
  // What is left keeps its order.
  const numbers = new Int32Array(frames.length);
  let count = 0;
  for (let frame = 0; frame < frames.length; frame++) if (isShown[frame] === 1) numbers[frame] = count++;

  const shown = new CallTreeBuilder();
  const nodes = new Int32Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (hasTicks[node] === 0) continue;
    const caller = nodes[tree.parent[node]!]!;
    const frame = tree.frame[node]!;
    nodes[node] = isShown[frame] === 1 ? shown.child(caller, numbers[frame]!) : caller;
  }
  const moved = moveSamples(profile, (sample) => nodes[samples.node[sample]!]!);
  return { ...moved, frames: frames.filter((_, frame) => isShown[frame] === 1), tree: shown.finish() };
}

/** By node: 1 where a tick is in it or in what it called. */
function nodesWithTicks({ tree, samples }: { tree: CallTree; samples: Profile["samples"] }): Uint8Array {
  const hasTicks = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) if (samples.ticks[i]! > 0) hasTicks[samples.node[i]!] = 1;
  for (let node = tree.length - 1; node > ROOT; node--) {
    if (hasTicks[node] === 1) hasTicks[tree.parent[node]!] = 1;
  }
  return hasTicks;
}
