import type { Frame, Tier } from "../profile/frame.js";

/** The name of each tier; null for code in none. */
export const TIER_NAMES: Readonly<Record<Tier, string | null>> = {
  "": null,
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
};

/** Returns the tier of a frame: a function's own, Ignition for a bytecode handler, null for other code. */
export function tierNameOf(frame: Frame): string | null {
  if (frame.kind === "js") return TIER_NAMES[frame.tier];
  return frame.kind === "code" && frame.type === "BytecodeHandler" ? TIER_NAMES["~"] : null;
}
