import type { Tier } from "../profile/frame.js";

/** What each tier is called where a mark would not do; null for code that is in none. */
export const TIER_NAMES: Readonly<Record<Tier, string | null>> = {
  "": null,
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
};
