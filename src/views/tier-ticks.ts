import { TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable } from "./function-table.js";
import { leafTicks } from "./leaf-ticks.js";

/** Ticks in the code of one tier. */
export interface TierTicks {
  readonly tier: Tier;
  readonly ticks: Ticks;
}

/**
 * Returns each function's self ticks by tier, slowest tier first; empty for functions that are not
 * JavaScript. Indexed like the functions of the table.
 */
export function tierTicks(
  profile: Profile,
  { functions, ofFrame }: FunctionTable,
): readonly (readonly TierTicks[])[] {
  const ticks = new Float64Array(functions.length * TIERS.length);
  const { all: ofLeaf } = leafTicks(profile);
  const { frames } = profile;
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    if (frame.kind !== "js") continue;
    ticks[ofFrame[number]! * TIERS.length + TIERS.indexOf(frame.tier)]! += ofLeaf[number]!;
  }
  return functions.map((_, id) => {
    const tiers: TierTicks[] = [];
    for (let i = 0; i < TIERS.length; i++) {
      const own = ticks[id * TIERS.length + i]!;
      if (own > 0) tiers.push({ tier: TIERS[i]!, ticks: own });
    }
    return tiers;
  });
}
