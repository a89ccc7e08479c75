import type { Frame, Tier } from "../profile/frame.js";
import type { ProfileInfo } from "../profile/profile.js";
import { hasCrankshaft } from "../profile/v8-era.js";

export type TierName =
  | "ignition"
  | "sparkplug"
  | "turboprop"
  | "maglev"
  | "turbofan"
  | "full-codegen"
  | "crankshaft";

/** The name of each tier; null for code in none. */
export type TierNames = Readonly<Record<Tier, TierName | null>>;

const TIER_NAMES: TierNames = {
  "": null,
  "~": "ignition",
  "^": "sparkplug",
  "-": "turboprop",
  "+": "maglev",
  "*": "turbofan",
};
const OLD_NAMES: TierNames = { ...TIER_NAMES, "~": "full-codegen", "*": "crankshaft" };

const MARKS: ReadonlyMap<TierName | null, Tier> = new Map(
  [TIER_NAMES, OLD_NAMES].flatMap((names) =>
    Object.entries(names).map(([mark, name]) => [name, mark as Tier] as const),
  ),
);

/** Returns V8's mark of a tier; empty for none. */
export function tierMark(name: TierName | null): Tier {
  return MARKS.get(name) ?? "";
}

/** Returns the names of tiers in the V8 of some logs. */
export function tierNamesOf(info: Pick<ProfileInfo, "v8" | "isUnversioned">): TierNames {
  return hasCrankshaft(info) ? OLD_NAMES : TIER_NAMES;
}

/** Returns the tier of a frame, as the V8 of its log calls it: a function's own, Ignition for a bytecode handler, null for other code. */
export function tierNameOf(frame: Frame): TierName | null {
  if (frame.kind === "js") return (frame.byOldCompilers ? OLD_NAMES : TIER_NAMES)[frame.tier];
  return frame.kind === "code" && frame.type === "BytecodeHandler" ? TIER_NAMES["~"] : null;
}
