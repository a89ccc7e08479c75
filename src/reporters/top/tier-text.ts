import type { TierTicks } from "../../views/tier-ticks.js";

/** Returns ticks by tier: `~12 ^3 +40 *510`; empty for code without tiers, such as stubs. */
export function tierText(tiers: readonly TierTicks[]): string {
  if (tiers.every(({ tier }) => tier === "")) return "";
  return tiers.map(({ tier, ticks }) => `${tier}${ticks}`).join(" ");
}
