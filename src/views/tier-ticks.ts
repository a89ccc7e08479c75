import { TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { Ticks } from "../profile/units.js";
import type { FunctionTable } from "./function-table.js";

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
  { frames, tree, samples }: Profile,
  { functions, ofFrame }: FunctionTable,
): readonly (readonly TierTicks[])[] {
  const ticks = new Float64Array(functions.length * TIERS.length);
  const ofLeaf = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) ofLeaf[tree.frame[samples.node[i]!]!]! += samples.ticks[i]!;
  for (const [number, frame] of frames.entries()) {
    if (frame.kind !== "js") continue;
    ticks[ofFrame[number]! * TIERS.length + TIERS.indexOf(frame.tier)]! += ofLeaf[number]!;
  }
  return functions.map((_, id) =>
    TIERS.map((tier, i) => ({ tier, ticks: ticks[id * TIERS.length + i]! })).filter((row) => row.ticks > 0),
  );
}
