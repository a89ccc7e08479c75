import type { Profile } from "../profile/profile.js";
import { VM_STATES, type VmStateName } from "../profile/vm-state.js";
import { CATEGORIES, type Category, categories } from "./breakdown.js";

/** What ticks are grouped by: what the tick was doing, as in `ticks top`, or the state that V8 says it was in. */
export type GroupBy = "category" | "state";

/** A group of ticks. Categories and states that mean the same have the same name. */
export type Lane = Category | VmStateName;

/** The groups of each grouping, in the order of reports. */
export const LANES: Readonly<Record<GroupBy, readonly Lane[]>> = {
  category: CATEGORIES.map(({ category }) => category),
  state: VM_STATES,
};

/** The groups of a profile's ticks. */
export interface Lanes {
  readonly by: GroupBy;
  /** Every group, in the order of reports. */
  readonly names: readonly Lane[];
  /** By row of the samples: an index into `names`. */
  readonly ofSample: Uint8Array;
}

/** Groups the ticks of a profile. */
export function lanesOf(profile: Profile, by: GroupBy): Lanes {
  const { samples } = profile;
  const ofSample = by === "category" ? categories(profile) : samples.vmState.subarray(0, samples.length);
  return { by, names: LANES[by], ofSample };
}
