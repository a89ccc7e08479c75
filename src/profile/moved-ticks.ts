import { PackedTimeline } from "./packed-timeline.js";
import { soundTime } from "./sound-numbers.js";
import { type TickColumns, type Timeline, TimelineBuilder } from "./timeline.js";

/**
 * Returns the timeline for renumbered samples: `rows` maps old rows to new ones, -1 for a removed sample, whose
 * ticks are left out. The times are shared if no tick is left out. Do not change `rows` afterwards.
 */
export function moveTicks(timeline: Timeline, rows: Int32Array): Timeline {
  if (timeline instanceof PackedTimeline) return timeline.moved(rows);
  const { length, sample, timestamp } = timeline;
  const moved = new Int32Array(length);
  let kept = 0;
  for (let i = 0; i < length; i++) {
    const row = rows[sample[i]!]!;
    if (row >= 0) moved[kept++] = row;
  }
  if (kept === length) return { length, sample: moved, timestamp };
  const times = new Float64Array(kept);
  for (let i = 0, to = 0; i < length; i++) if (rows[sample[i]!]! >= 0) times[to++] = timestamp[i]!;
  return { length: kept, sample: moved.subarray(0, kept), timestamp: times };
}

/** Joins timelines one after the other. */
export class TimelineJoiner {
  /** The ticks so far. Those of a single timeline stay where they are. */
  timeline: Timeline | undefined;
  #copy: TimelineBuilder | undefined;

  add(next: Timeline): void {
    const { timeline } = this;
    if (timeline === undefined) this.timeline = next;
    else if (timeline instanceof PackedTimeline && next instanceof PackedTimeline) {
      this.timeline = timeline.followedBy(next);
    } else {
      this.#copy ??= copied(new TimelineBuilder(), timeline);
      this.timeline = copied(this.#copy, next);
    }
  }
}

function copied(builder: TimelineBuilder, timeline: Timeline): TimelineBuilder {
  for (const { length, sample, timestamp } of ticksOf(timeline)) {
    for (let i = 0; i < length; i++) builder.add(sample[i]!, timestamp[i]!);
  }
  return builder;
}

/** The most ticks in a batch. */
const BATCH = 1 << 12;

/** Yields all ticks of a timeline, some at a time. A batch is valid until the next one; none is empty. */
export function* ticksOf(timeline: Timeline): Iterable<TickColumns> {
  if (timeline instanceof PackedTimeline) {
    yield* timeline.batches();
    return;
  }
  const { length, sample, timestamp } = timeline;
  for (let start = 0; start < length; start += BATCH) {
    const end = Math.min(length, start + BATCH);
    yield {
      length: end - start,
      sample: sample.subarray(start, end),
      timestamp: timestamp.subarray(start, end),
    };
  }
}

/** Yields the same ticks with sound times: see {@link soundTime}. */
export function* soundTicksOf(timeline: Timeline): Iterable<TickColumns> {
  for (const batch of ticksOf(timeline)) {
    const { length, sample, timestamp } = batch;
    let i = 0;
    while (i < length && soundTime(timestamp[i]!) === timestamp[i]) i++;
    yield i === length ? batch : { length, sample, timestamp: timestamp.slice(0, length).map(soundTime) };
  }
}
