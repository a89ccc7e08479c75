import { valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { clampedTimeline } from "../profile/clamped-numbers.js";
import { TIERS, type Tier } from "../profile/frame.js";
import type { Profile } from "../profile/profile.js";
import type { FunctionNodes } from "./function-calls.js";

/** When a function ran in one tier, by ticks in it and in what it called. */
interface TierTime {
  readonly tier: Tier;
  /** Time of the first tick. */
  readonly first: Micros;
  /** Time of the last tick. */
  readonly last: Micros;
  /** Ticks by slice; they sum to the total of the tier. */
  readonly slices: readonly Ticks[];
}

/**
 * When a function ran in which tier, between the first and the last tick of the profile. Each thread's time
 * starts with its log.
 */
export interface TierTimes {
  readonly from: Micros;
  readonly to: Micros;
  /** Slowest tier first. */
  readonly tiers: readonly TierTime[];
}

/**
 * Returns when a function ran in which tier, in `slices` slices; undefined if the profile has no timeline.
 */
export function tierTimes(
  { frames, tree, samples, ...profile }: Pick<Profile, "frames" | "tree" | "samples" | "timeline">,
  { innermost }: FunctionNodes,
  slices: number,
): TierTimes | undefined {
  if (profile.timeline === undefined || profile.timeline.length === 0) return undefined;
  const timeline = clampedTimeline(profile.timeline);
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < timeline.length; i++) {
    from = Math.min(from, timeline.timestamp[i]!);
    to = Math.max(to, timeline.timestamp[i]!);
  }
  const tiers = new Map<Tier, { first: Micros; last: Micros; slices: Ticks[] }>();
  for (let i = 0; i < timeline.length; i++) {
    const node = innermost[samples.node[timeline.sample[i]!]!]!;
    if (node === ROOT) continue;
    const frame = frames[tree.frame[node]!]!;
    if (frame.kind !== "js") continue;
    const at = timeline.timestamp[i]!;
    const times = valueAt(tiers, frame.tier, () => ({
      first: at,
      last: at,
      slices: new Array<Ticks>(slices).fill(0),
    }));
    times.first = Math.min(times.first, at);
    times.last = Math.max(times.last, at);
    // The last tick belongs to the last slice.
    const slice = to === from ? 0 : Math.min(slices - 1, Math.floor(((at - from) / (to - from)) * slices));
    times.slices[slice]! += timeline.ticks?.[i] ?? 1;
  }
  return {
    from,
    to,
    tiers: TIERS.flatMap((tier) => {
      const times = tiers.get(tier);
      return times === undefined ? [] : [{ tier, ...times }];
    }),
  };
}
