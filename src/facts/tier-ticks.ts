import type { Ticks } from "../base/units.js";
import { TIERS, type Tier } from "../profile/frame.js";
import type { Analysis } from "./analysis.js";

export interface TierTicks {
  readonly tier: Tier;
  readonly ticks: Ticks;
}

/**
 * Returns each function's self ticks by tier, slowest tier first; empty for functions that are not
 * JavaScript. Indexed as its functions.
 */
export function tierTicks({
  frames,
  leaves,
  table: { functions, ofFrame },
}: Analysis): readonly (readonly TierTicks[])[] {
  const ticks = new Float64Array(functions.length * TIERS.length);
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    if (frame.kind !== "js") continue;
    ticks[ofFrame[number]! * TIERS.length + TIERS.indexOf(frame.tier)]! += leaves.all[number]!;
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
