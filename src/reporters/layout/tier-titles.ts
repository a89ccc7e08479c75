import type { Tier } from "../../profile/frame.js";

/** What tiers are called. */
export const TIER_TITLES: Record<Tier, string> = {
  "": "none",
  "~": "Ignition",
  "^": "Sparkplug",
  "-": "TurboProp",
  "+": "Maglev",
  "*": "TurboFan",
};
