import { widened } from "./columns.js";
import type { Micros } from "./units.js";

/** Ticks in columns. Only the first `length` entries count. */
export interface TickColumns {
  readonly length: number;
  /** The tick's row in the profile's samples, which has its stack, VM state and thread. */
  readonly sample: Int32Array;
  /** Microseconds since the log of the tick's thread was opened. */
  readonly timestamp: Float64Array;
}

/** Every tick in the order of its log; the logs follow each other. */
export interface Timeline extends TickColumns {}

/** Builds a {@link Timeline}. */
export class TimelineBuilder implements Timeline {
  length = 0;
  sample: Int32Array;
  timestamp: Float64Array;

  /** `capacity` is the number of ticks that there is room for from the start, at least 1. */
  constructor(capacity = 1024) {
    this.sample = new Int32Array(capacity);
    this.timestamp = new Float64Array(capacity);
  }

  /** Spaces the ticks evenly: for logs without times. `first` is the time of the first tick. */
  space(first: Micros, interval: Micros): void {
    for (let i = 0; i < this.length; i++) this.timestamp[i] = first + i * interval;
  }

  add(sample: number, timestamp: Micros): void {
    if (this.length === this.sample.length) this.#grow();
    this.sample[this.length] = sample;
    this.timestamp[this.length++] = timestamp;
  }

  finish(): Timeline {
    return this;
  }

  #grow(): void {
    this.sample = widened(this.sample, this.length * 2);
    this.timestamp = widened(this.timestamp, this.length * 2);
  }
}
