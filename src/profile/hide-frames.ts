import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import { type FramePredicate, moveSamples } from "./filter.js";
import type { Frame } from "./frame.js";
import { frameKeys } from "./frame-keys.js";
import { FrameTable } from "./frame-table.js";
import type { Profile } from "./profile.js";

/**
 * Returns the profile without some frames; their ticks go to their callers. Stacks with no other frames count
 * as excluded. A function that was inlined into a hidden frame becomes a frame of its own. Frames and nodes
 * without ticks are removed, including those that had none before.
 */
export function hideFrames(profile: Profile, isHidden: FramePredicate): Profile {
  const { frames, tree, samples } = profile;
  const hasTicks = nodesWithTicks(profile);
  const table = new FrameTable<Frame>(frameKeys());
  /** By frame number: 0 not asked yet, 1 hidden, 2 shown. */
  const answers = new Uint8Array(frames.length);
  const numbers = new Int32Array(frames.length).fill(-1);
  const shown = new CallTreeBuilder();
  const nodes = new Int32Array(tree.length);
  /** By node: 1 if it is hidden together with the code that holds what is inlined into it. */
  const isLost = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) {
    if (hasTicks[node] === 0) continue;
    const parent = tree.parent[node]!;
    const number = tree.frame[node]!;
    const frame = frames[number]!;
    const isInlined = frame.kind === "js" && frame.inlined;
    if (answers[number] === 0) answers[number] = isHidden(number) ? 1 : 2;
    if (answers[number] === 1) {
      nodes[node] = nodes[parent]!;
      isLost[node] = isInlined ? isLost[parent]! : 1;
    } else {
      const isOnItsOwn = isInlined && isLost[parent] === 1;
      if (numbers[number] === -1 && !isOnItsOwn) numbers[number] = table.intern(frame);
      const own = isOnItsOwn ? table.intern({ ...frame, inlined: false }) : numbers[number]!;
      nodes[node] = shown.child(nodes[parent]!, own);
    }
  }
  const moved = moveSamples(profile, (sample) => nodes[samples.node[sample]!]!);
  return { ...moved, frames: table.frames, tree: shown.finish() };
}

/** Returns 1 for each node with a tick in it or in what it called. */
function nodesWithTicks({ tree, samples }: { tree: CallTree; samples: Profile["samples"] }): Uint8Array {
  const hasTicks = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++) if (samples.ticks[i]! > 0) hasTicks[samples.node[i]!] = 1;
  for (let node = tree.length - 1; node > ROOT; node--) hasTicks[tree.parent[node]!]! |= hasTicks[node]!;
  return hasTicks;
}
