import type { Profile } from "../profile/profile.js";
import { shownStacks } from "../profile/shown-stacks.js";
import type { ViewOptions } from "../reports/report-options.js";
import { withoutWaits } from "../views/filter-profile.js";

/** Returns the profile that views show. What was left out of it before stays so. */
export function shownProfile(profile: Profile, options: ViewOptions): Profile {
  const shown = shownStacks(profile, options);
  return options.idle ? shown : withoutWaits(shown);
}
