import type { Tier } from "../../profile/frame.js";
import type { ProfileInfo } from "../../profile/profile.js";
import { hasCrankshaft } from "../../profile/v8-era.js";

/** The titles of the tiers. */
export type TierTitles = Readonly<Record<Tier, string>>;

const TIER_TITLES: TierTitles = {
  "": "none",
  "~": "Ignition",
  "^": "Sparkplug",
  "-": "TurboProp",
  "+": "Maglev",
  "*": "TurboFan",
};
const OLD_TITLES: TierTitles = { ...TIER_TITLES, "~": "full-codegen", "*": "Crankshaft" };

/** Returns the titles of tiers in the V8 of some logs. */
export function tierTitlesOf(info: Pick<ProfileInfo, "v8" | "isUnversioned">): TierTitles {
  return hasCrankshaft(info) ? OLD_TITLES : TIER_TITLES;
}
