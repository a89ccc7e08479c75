import type { Frame, Tier } from "../profile/frame.js";

/** What each tier is called where a mark would not do; null for code that is in none. */
export const TIER_NAMES: Readonly<Record<Tier, string | null>> = {
  "": null,
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
};

/** The tier that runs when a frame's code does: a function's own, Ignition for a bytecode handler; null for other code. */
export function tierNameOf(frame: Frame): string | null {
  if (frame.kind === "js") return TIER_NAMES[frame.tier];
  return frame.kind === "code" && frame.type === "BytecodeHandler" ? TIER_NAMES["~"] : null;
}
