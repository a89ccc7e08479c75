import { type Timeline, TimelineBuilder } from "./timeline.js";

/**
 * Returns the timeline for renumbered samples: `rows` maps old rows to new ones, -1 for a removed sample, whose
 * ticks are left out. The times are shared if no tick is left out. Do not change `rows` afterwards.
 */
export function moveTicks(timeline: Timeline, rows: Int32Array): Timeline {
  const { length, sample, timestamp, ticks } = timeline;
  const moved = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const row = rows[sample[i]!]!;
    if (row >= 0) moved[kept++] = row;
  }
  if (kept === length) return { length, sample: moved, timestamp, ticks };
  const keptOf = (column: Float64Array) => {
    const left = new Float64Array(kept);
    for (let i = 0, to = 0; i < length; i++) if (rows[sample[i]!]! >= 0) left[to++] = column[i]!;
    return left;
  };
  return {
    length: kept,
    sample: moved.subarray(0, kept),
    timestamp: keptOf(timestamp),
    ticks: ticks && keptOf(ticks),
  };
}

/** Joins timelines one after the other. */
export class TimelineJoiner {
  /** The ticks so far. Those of a single timeline stay where they are. */
  timeline: Timeline | undefined;
  #copy: TimelineBuilder | undefined;

  add(next: Timeline): void {
    if (this.timeline === undefined) {
      this.timeline = next;
      return;
    }
    this.#copy ??= copied(new TimelineBuilder(), this.timeline);
    this.timeline = copied(this.#copy, next);
  }
}

function copied(builder: TimelineBuilder, { length, sample, timestamp, ticks }: Timeline): TimelineBuilder {
  for (let i = 0; i < length; i++) builder.add(sample[i]!, timestamp[i]!, ticks?.[i]);
  return builder;
}
