import type { Profile } from "./profile.js";
import { SampleTableBuilder } from "./sample-table.js";
import type { VmState } from "./vm-state.js";

/** The same profile with only the samples of some VM states; the others count as excluded. */
export function filterStates(profile: Profile, isWanted: (state: VmState) => boolean): Profile {
  const { samples, info } = profile;
  const kept = new SampleTableBuilder();
  let excluded = info.excluded;
  for (let i = 0; i < samples.length; i++) {
    const state = samples.vmState[i]!;
    if (isWanted(state)) kept.add(samples.node[i]!, state, samples.ticks[i]!);
    else excluded += samples.ticks[i]!;
  }
  return { ...profile, samples: kept, info: { ...info, excluded } };
}
