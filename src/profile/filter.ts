import { valueAt } from "../base/maps.js";
import { type CallTree, CallTreeBuilder, ROOT } from "./call-tree.js";
import type { Frame } from "./frame.js";
import { FrameTable, frameKeys } from "./frame-keys.js";
import type { Profile } from "./profile.js";
import { moveFacts, moveRows, regroup } from "./stacks.js";
import type { VmState } from "./vm-state.js";

/** A test of a frame, by its number in the profile. */
type FramePredicate = (frame: number) => boolean;

/** Returns the profile with only the samples of some VM states; the others count as excluded. */
export function filterStates(profile: Profile, isKept: (state: VmState) => boolean): Profile {
  return keepSamples(profile, (sample) => isKept(profile.samples.vmState[sample]!));
}

/** Returns the profile with only the stacks that have a matching frame; the others count as excluded. */
export function focusStacks(profile: Profile, matches: FramePredicate): Profile {
  const isIn = nodesUnder(profile.tree, matches);
  return keepSamples(profile, (sample) => isIn[profile.samples.node[sample]!] === 1);
}

/** Returns the profile without the stacks that have a matching frame; they count as excluded. */
export function ignoreStacks(profile: Profile, matches: FramePredicate): Profile {
  const isIn = nodesUnder(profile.tree, matches);
  return keepSamples(profile, (sample) => isIn[profile.samples.node[sample]!] === 0);
}

/** Returns the profile with only some rows of its samples; the others count as excluded. */
export function keepSamples(profile: Profile, isKept: (sample: number) => boolean): Profile {
  return moveSamples(profile, (sample) => (isKept(sample) ? profile.samples.node[sample]! : ROOT));
}

/**
 * Returns the profile with each sample moved to the node that `nodeFor` returns. Samples moved to the root
 * count as excluded. Samples that become equal are merged.
 */
export function moveSamples(profile: Profile, nodeFor: (sample: number) => number): Profile {
  const { samples, info } = profile;
  let { excluded } = info;
  const moved = moveRows(samples, (sample) => {
    const node = nodeFor(sample);
    if (node !== ROOT) return node;
    excluded += samples.ticks[sample]!;
    return -1;
  });
  return {
    ...profile,
    ...moveFacts(profile, moved.rows),
    samples: moved.samples,
    info: { ...info, excluded },
  };
}

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
  /** By node: 1 if it is hidden together with the code that holds what is inlined into it. */
  const isLost = new Uint8Array(tree.length);
  const nodes = regroup(tree, shown, (shown, caller, node) => {
    if (hasTicks[node] === 0) return ROOT;
    const isInCaller = isLost[tree.parent[node]!]!;
    const number = tree.frame[node]!;
    const frame = frames[number]!;
    const isInlined = frame.kind === "js" && frame.inlined;
    if (answers[number] === 0) answers[number] = isHidden(number) ? 1 : 2;
    if (answers[number] === 1) {
      isLost[node] = isInlined ? isInCaller : 1;
      return caller;
    }
    const isOnItsOwn = isInlined && isInCaller === 1;
    if (numbers[number] === -1 && !isOnItsOwn) numbers[number] = table.intern(frame);
    return shown.child(caller, isOnItsOwn ? table.intern({ ...frame, inlined: false }) : numbers[number]!);
  });
  const moved = moveSamples(profile, (sample) => nodes[samples.node[sample]!]!);
  return { ...moved, frames: table.frames, tree: shown.finish() };
}

/**
 * Returns the profile with only the samples of some VM states; the others count as excluded. Frames and nodes without ticks are
 * removed, including those that had none before.
 */
export function onlyStates(profile: Profile, isKept: (state: VmState) => boolean): Profile {
  const { frames, tree, samples } = profile;
  const hasTicks = nodesWithTicks(profile, isKept);
  const table = new FrameTable<Frame>(frameKeys());
  const numbers = new Int32Array(frames.length).fill(-1);
  let used = 0;
  for (let node = ROOT + 1; node < tree.length; node++) {
    const number = tree.frame[node]!;
    if (hasTicks[node] === 0 || numbers[number] !== -1) continue;
    numbers[number] = table.intern(frames[number]!);
    used++;
  }
  // Stacks that differ only in equal frames are one.
  if (table.frames.length < used) return hideFrames(filterStates(profile, isKept), () => false);
  const nodes = new Int32Array(tree.length);
  let length = 1;
  for (let node = ROOT + 1; node < tree.length; node++) if (hasTicks[node] === 1) nodes[node] = length++;
  const left = { length, parent: new Int32Array(length).fill(-1), frame: new Int32Array(length).fill(-1) };
  for (let node = ROOT + 1; node < tree.length; node++) {
    const to = nodes[node]!;
    if (to === ROOT) continue;
    left.parent[to] = nodes[tree.parent[node]!]!;
    left.frame[to] = numbers[tree.frame[node]!]!;
  }
  const moved = moveSamples(profile, (sample) =>
    isKept(samples.vmState[sample]!) ? nodes[samples.node[sample]!]! : ROOT,
  );
  return { ...moved, frames: table.frames, tree: left };
}

/** Returns 1 for each node where it or one of its callers has a matching frame. */
function nodesUnder({ length, parent, frame }: CallTree, matches: FramePredicate): Uint8Array {
  const isIn = new Uint8Array(length);
  const answers = new Map<number, boolean>();
  for (let node = ROOT + 1; node < length; node++) {
    const number = frame[node]!;
    const answer = valueAt(answers, number, () => matches(number));
    isIn[node] = answer ? 1 : isIn[parent[node]!]!;
  }
  return isIn;
}

/** Returns 1 for each node with a tick, in some VM states, in it or in what it called. */
function nodesWithTicks(
  { tree, samples }: { tree: CallTree; samples: Profile["samples"] },
  isKept: (state: VmState) => boolean = () => true,
): Uint8Array {
  const hasTicks = new Uint8Array(tree.length);
  for (let i = 0; i < samples.length; i++)
    if (samples.ticks[i]! > 0 && isKept(samples.vmState[i]!)) hasTicks[samples.node[i]!] = 1;
  for (let node = tree.length - 1; node > ROOT; node--) hasTicks[tree.parent[node]!]! |= hasTicks[node]!;
  return hasTicks;
}
