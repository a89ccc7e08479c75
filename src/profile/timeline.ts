import { widened } from "../base/columns.js";
import type { Micros, Ticks } from "../base/units.js";

/** Ticks in columns. Only the first `length` entries count. */
export interface TickColumns {
  readonly length: number;
  /** The tick's row in the profile's samples, which has its stack, VM state and thread. */
  readonly sample: Int32Array;
  /** Microseconds since the log of the tick's thread was opened. */
  readonly timestamp: Float64Array;
  /** What each weighs; undefined where each is one tick. */
  readonly ticks?: Float64Array | undefined;
}

/** Every tick in the order of its log; the logs follow each other. */
export interface Timeline extends TickColumns {}

/** Builds a {@link Timeline}. */
export class TimelineBuilder implements Timeline {
  length = 0;
  sample: Int32Array;
  timestamp: Float64Array;
  ticks: Float64Array | undefined;

  /** `capacity` is the number of ticks that there is room for from the start, at least 1. */
  constructor(capacity = 1024) {
    this.sample = new Int32Array(capacity);
    this.timestamp = new Float64Array(capacity);
  }

  /** Spaces the ticks evenly: for logs without times. `first` is the time of the first tick. */
  space(first: Micros, interval: Micros): void {
    for (let i = 0; i < this.length; i++) this.timestamp[i] = first + i * interval;
  }

  /** `ticks`: 1, or what each of the ticks weighs. */
  add(sample: number, timestamp: Micros, ticks?: Ticks): void {
    if (this.length === this.sample.length) this.#grow();
    this.sample[this.length] = sample;
    if (ticks !== undefined) {
      this.ticks ??= new Float64Array(this.sample.length);
      this.ticks[this.length] = ticks;
    }
    this.timestamp[this.length++] = timestamp;
  }

  /** Gives the samples other rows: `rows` has them by the row that was added. */
  renumber(rows: Int32Array): void {
    for (let i = 0; i < this.length; i++) this.sample[i] = rows[this.sample[i]!]!;
  }

  finish(): Timeline {
    return this;
  }

  #grow(): void {
    this.sample = widened(this.sample, this.length * 2);
    this.timestamp = widened(this.timestamp, this.length * 2);
    if (this.ticks !== undefined) this.ticks = widened(this.ticks, this.length * 2);
  }
}

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
