import { columnOf } from "../profile/columns.js";
import { ProfileMerger } from "../profile/merge.js";
import type { Profile } from "../profile/profile.js";
import { SampleTableBuilder } from "../profile/sample-table.js";

/** The stacks of two sets of runs. */
export interface StackDifference {
  /** Its threads are the sides, and its ticks are means over the runs of a side, in `unit`; they can be fractions. */
  readonly profile: Profile;
  /** By thread of the profile. */
  readonly sides: readonly ("before" | "after")[];
  /** `ppm`: millionths of all ticks; `µs`: microseconds of CPU time. */
  readonly unit: "ppm" | "µs";
  /** What the sides are, line by line. */
  readonly title: readonly string[];
}

/** A run of one side. */
export interface WeighedRun {
  readonly profile: Profile;
  /** What a tick is, in the unit of the difference. */
  readonly factor: number;
}

/** Merges the runs of both sides. A function of both keeps the identity that it has after. */
export function stackDifference(
  before: readonly WeighedRun[],
  after: readonly WeighedRun[],
  rest: Pick<StackDifference, "unit" | "title">,
): StackDifference {
  const merger = new ProfileMerger({ byName: true });
  merger.add(meanOf(after));
  merger.add(meanOf(before));
  return { profile: merger.finish(), sides: ["after", "before"], ...rest };
}

/** Returns the mean of runs as a profile of one thread. */
function meanOf(runs: readonly WeighedRun[]): Profile {
  const merger = new ProfileMerger({ byName: true });
  for (const { profile, factor } of runs) {
    const { samples } = profile;
    const counts = samples.ticks.subarray(0, samples.length);
    const ticks = columnOf(Float64Array, counts, (count) => (count * factor) / runs.length);
    merger.add({ ...profile, samples: { ...samples, ticks }, timeline: undefined, deopts: undefined });
  }
  const merged = merger.finish();
  const builder = new SampleTableBuilder();
  for (let i = 0; i < merged.samples.length; i++) {
    builder.add(merged.samples.node[i]!, merged.samples.vmState[i]!, merged.samples.ticks[i]!);
  }
  const thread = { ...merged.info.threads[0]!, name: "", log: "" };
  return { ...merged, samples: builder.finish(), info: { ...merged.info, threads: [thread] } };
}

/**
 * Returns a function that rounds numbers so that their sum is that of the numbers before, rounded: what a number
 * loses the next one gets.
 */
export function roundedSums(): (value: number) => number {
  let [exact, given] = [0, 0];
  return (value) => {
    exact += value;
    const rounded = Math.round(exact) - given;
    given += rounded;
    return rounded;
  };
}
