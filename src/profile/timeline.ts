import { widened } from "./columns.js";
import { GrowingMemory } from "./growing-memory.js";
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

/** From this length on, columns grow in place. */
const LONG = 1 << 20;

/** Builds a {@link Timeline}. */
export class TimelineBuilder implements Timeline {
  length = 0;
  sample = new Int32Array(1024);
  timestamp = new Float64Array(1024);
  #memories: { readonly sample: GrowingMemory; readonly timestamp: GrowingMemory } | undefined;

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

  /** Makes the columns longer. */
  #grow(): void {
    const { length } = this;
    if (length >= LONG && this.#memories === undefined) this.#openMemories();
    if (this.#memories === undefined) {
      this.sample = widened(this.sample, length * 2);
      this.timestamp = widened(this.timestamp, length * 2);
      return;
    }
    const { sample, timestamp } = this.#memories;
    const samples = sample.reaching((length + 1) * Int32Array.BYTES_PER_ELEMENT);
    const times = timestamp.reaching((length + 1) * Float64Array.BYTES_PER_ELEMENT);
    const capacity = Math.min(
      samples.byteLength / Int32Array.BYTES_PER_ELEMENT,
      times.byteLength / Float64Array.BYTES_PER_ELEMENT,
    );
    this.sample = new Int32Array(samples, 0, capacity);
    this.timestamp = new Float64Array(times, 0, capacity);
  }

  /** Moves the columns to memory that can grow. */
  #openMemories(): void {
    const sample = GrowingMemory.open();
    const timestamp = sample && GrowingMemory.open();
    if (sample === undefined || timestamp === undefined) return;
    new Int32Array(sample.reaching(this.sample.byteLength)).set(this.sample);
    new Float64Array(timestamp.reaching(this.timestamp.byteLength)).set(this.timestamp);
    this.#memories = { sample, timestamp };
  }
}
