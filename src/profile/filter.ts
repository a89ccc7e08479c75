import type { Profile } from "./profile.js";
import { SampleTableBuilder } from "./sample-table.js";
import { TimelineBuilder } from "./timeline.js";
import type { VmState } from "./vm-state.js";

/** The same profile with only the samples of some VM states; the others count as excluded. */
export function filterStates(profile: Profile, isWanted: (state: VmState) => boolean): Profile {
  return keepSamples(profile, (sample) => isWanted(profile.samples.vmState[sample]!));
}

/** The same profile with only some rows of its samples; the others count as excluded. */
export function keepSamples(profile: Profile, isKept: (sample: number) => boolean): Profile {
  const { samples, timeline, info } = profile;
  const kept = new SampleTableBuilder();
  let excluded = info.excluded;
  const rows = new Int32Array(samples.length).fill(-1);
  for (let i = 0; i < samples.length; i++) {
    const ticks = samples.ticks[i]!;
    if (isKept(i)) rows[i] = kept.add(samples.node[i]!, samples.vmState[i]!, ticks, samples.thread[i]!);
    else excluded += ticks;
  }
  const changed = { ...profile, samples: kept, info: { ...info, excluded } };
  if (timeline === undefined) return changed;
  const times = new TimelineBuilder();
  for (let i = 0; i < timeline.length; i++) {
    const row = rows[timeline.sample[i]!]!;
    if (row >= 0) times.add(row, timeline.timestamp[i]!);
  }
  return { ...changed, timeline: times };
}
