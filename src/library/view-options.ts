import type { Profile } from "../profile/profile.js";
import { type StackOptions, shownStacks } from "../profile/shown-stacks.js";
import { withoutWaits } from "../views/filter-profile.js";

/** Which ticks and frames a view has. */
export interface ViewOptions extends StackOptions {
  /**
   * Whether ticks count in which the thread waited: it was idle, or in `Atomics.wait`. They use no CPU, so shares are of the other
   * ticks. Default: false, as on the command line; true for what shows when things happened: `REPORTERS.timeline` and `threads`.
   */
  readonly idle?: boolean | undefined;
}

/** Returns the profile that views show. What was left out of it before stays so. */
export function shownProfile(profile: Profile, options: ViewOptions): Profile {
  const shown = shownStacks(profile, options);
  return options.idle ? shown : withoutWaits(shown);
}
