import { type CallTree, ROOT } from "./call-tree.js";
import { moveCharges } from "./deopt.js";
import { moveIcs } from "./inline-caches.js";
import { mergeRows } from "./merged-rows.js";
import { moveTicks } from "./moved-ticks.js";
import type { Profile } from "./profile.js";
import { SampleTableBuilder } from "./sample-table.js";
import type { VmState } from "./vm-state.js";

/** A test of a frame, by its number in the profile. */
export type FramePredicate = (frame: number) => boolean;

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
  const { samples, timeline, deopts, ics, info } = profile;
  const moved = new SampleTableBuilder(Math.max(1, samples.length));
  let excluded = info.excluded;
  const rows = new Int32Array(samples.length).fill(-1);
  for (let i = 0; i < samples.length; i++) {
    const ticks = samples.ticks[i]!;
    const node = nodeFor(i);
    if (node === ROOT) excluded += ticks;
    else rows[i] = moved.add(node, samples.vmState[i]!, ticks, samples.thread[i]!);
  }
  const changed = {
    ...profile,
    samples: moved.finish(),
    deopts: deopts && moveCharges(deopts, rows),
    ics: ics && moveIcs(ics, rows),
    info: { ...info, excluded },
  };
  return timeline === undefined ? changed : { ...changed, timeline: moveTicks(timeline, rows) };
}

interface RenumberOptions {
  /** By new node: 1 if it may have got several samples. */
  readonly isShared: Uint8Array;
  /** Whether the other columns of the samples may be overwritten too. */
  readonly overwrites: boolean;
}

/**
 * Returns the profile with each sample moved to a node of another tree, none to the root; equal ones are merged.
 * Overwrites `nodes`, the new node of each sample.
 */
export function renumberSamples(
  profile: Profile,
  nodes: Int32Array,
  { isShared, overwrites }: RenumberOptions,
): Profile {
  const { samples, timeline, deopts, ics, info } = profile;
  // Several threads may have samples of one node, in any order: only the builder finds equal ones fast.
  if (info.threads.length > 1) return moveSamples(profile, (sample) => nodes[sample]!);
  const { length } = samples;
  const others = overwrites
    ? samples
    : {
        vmState: samples.vmState.slice(0, length),
        thread: samples.thread.slice(0, length),
        ticks: samples.ticks.slice(0, length),
      };
  const { samples: merged, numbers: rows } = mergeRows({ ...others, length, node: nodes }, isShared);
  if (merged.length === length) return { ...profile, samples: merged };
  return {
    ...profile,
    samples: merged,
    timeline: timeline && moveTicks(timeline, rows),
    deopts: deopts && moveCharges(deopts, rows),
    ics: ics && moveIcs(ics, rows),
  };
}

/** Returns 1 for each node where it or one of its callers has a matching frame. */
function nodesUnder({ length, parent, frame }: CallTree, matches: FramePredicate): Uint8Array {
  const isIn = new Uint8Array(length);
  const answers = new Map<number, boolean>();
  for (let node = ROOT + 1; node < length; node++) {
    const number = frame[node]!;
    let answer = answers.get(number);
    if (answer === undefined) {
      answer = matches(number);
      answers.set(number, answer);
    }
    isIn[node] = answer ? 1 : isIn[parent[node]!]!;
  }
  return isIn;
}
