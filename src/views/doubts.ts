import type { Profile } from "../profile/profile.js";
import type { Micros, Ticks } from "../profile/units.js";
import { trust } from "./trust.js";

/** A reason to read the numbers of a profile with care. */
export type Doubt =
  | { readonly kind: "no-function"; readonly ticks: Ticks; readonly percent: number }
  | { readonly kind: "few-ticks"; readonly ticks: Ticks }
  | { readonly kind: "slow-sampling"; readonly asked: Micros; readonly got: Micros }
  | { readonly kind: "lost-ticks"; readonly times: number }
  | { readonly kind: "faults"; readonly faults: number };

/** From this share of ticks without a function on, in percent, it is worth a warning: what `ticks doctor` refuses. */
const UNKNOWN_PERCENT = 5;
/** Of 100 ticks a share of 10 % is uncertain by 3 points either way; of fewer by more. */
const FEW_TICKS = 100;
/** A sampler that is this much slower than asked for has trouble. */
const SLOW = 1.5;

/** The reasons to read the numbers of a profile with care; none for a good one, or for one without ticks. */
export function doubtsOf(profile: Profile): Doubt[] {
  const { ticks, unknown } = trust(profile);
  if (ticks === 0) return [];
  const doubts: Doubt[] = [];
  const percent = (unknown * 100) / ticks;
  if (percent > UNKNOWN_PERCENT) doubts.push({ kind: "no-function", ticks: unknown, percent });
  if (ticks < FEW_TICKS) doubts.push({ kind: "few-ticks", ticks });
  const { asked, got, overflows } = profile.info.sampling;
  if (asked !== undefined && got !== undefined && got > asked * SLOW)
    doubts.push({ kind: "slow-sampling", asked, got });
  if (overflows > 0) doubts.push({ kind: "lost-ticks", times: overflows });
  const faults = profile.info.diagnostics.reduce((sum, { count }) => sum + count, 0);
  if (faults > 0) doubts.push({ kind: "faults", faults });
  return doubts;
}
