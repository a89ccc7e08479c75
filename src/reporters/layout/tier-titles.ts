import type { Tier } from "../../profile/frame.js";

/** The names of the tiers. */
export const TIER_TITLES: Record<Tier, string> = {
  "": "none",
  "~": "Ignition",
  "^": "Sparkplug",
  "-": "TurboProp",
  "+": "Maglev",
  "*": "TurboFan",
};
