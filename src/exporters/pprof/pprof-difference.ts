import { printable } from "../../views/label.js";
import { roundedSums, type StackDifference } from "../stack-difference.js";
import { CPU, message, type PprofCounts, packed } from "./pprof.js";

/** What pprof's tools know the samples of the base by. Source: pprof, profile/profile.go, `Profile.SetLabel`. */
const BASE_LABEL = { "pprof::base": "true" };
/** A share in this unit is an integer with four decimals of a percent. */
const SHARE = { type: "share", unit: "ppm" };
const NANOSECONDS_PER_MICROSECOND = 1000;

/**
 * Writes a difference as `go tool pprof -proto -diff_base=BEFORE AFTER` does: the samples after, and those before
 * with negative values and the label `pprof::base`. Shares are in millionths, so that those of a side sum to
 * 1,000,000; times are in nanoseconds. Threads and logs are not told apart: values are means over the runs.
 *
 * Source: pprof, internal/driver/fetch.go, `fetchProfiles`.
 */
export function pprofDifference(difference: StackDifference): AsyncIterable<Uint8Array> {
  const { profile, unit, sides, title } = difference;
  const factor = unit === "ppm" ? 1 : NANOSECONDS_PER_MICROSECOND;
  const round = sides.map(() => roundedSums());
  const counts: PprofCounts = {
    types: [unit === "ppm" ? SHARE : CPU],
    valuesOf: (value, side) => {
      const rounded = round[side]!(value * factor);
      // A side that is 0 has no sign.
      return [sides[side] === "before" && rounded !== 0 ? -rounded : rounded];
    },
    labelsOf: (side) => (sides[side] === "before" ? BASE_LABEL : {}),
    comments: title.map(printable),
  };
  return packed(message(profile, {}, counts));
}
