import {
  FIRST_BUCKET_BITS,
  STEP_BUCKETS,
  STEPS_COLUMNS,
  STEPS_COUNT,
  STEPS_TIME,
  STEPS_WORKING,
  UNIT_BUCKET,
} from "../kernels/layout.js";
import type { Micros } from "../profile/units.js";

/** The buckets from one power of two to the next. */
const OCTAVE = 16;

/**
 * The steps from tick to tick, in buckets of a 16th of a power of two. Takes the same memory for any number of
 * ticks. The kernel counts in the same way: src/kernels/assembly/step-histogram.ts.
 */
export class StepHistogram {
  readonly unit: Micros;
  readonly #columns = new Float64Array(STEP_BUCKETS * STEPS_COLUMNS);

  /** `unit` is an edge between two buckets, exactly. */
  constructor(unit: Micros) {
    this.unit = unit;
  }

  /** Counts a step of at least 0. `isWorking` says that both ticks have frames. */
  add(step: Micros, isWorking: boolean): void {
    const bucket = bucketOf(step / this.unit);
    const columns = this.#columns;
    columns[STEPS_COUNT * STEP_BUCKETS + bucket]!++;
    columns[STEPS_TIME * STEP_BUCKETS + bucket]! += step;
    if (isWorking) columns[STEPS_WORKING * STEP_BUCKETS + bucket]!++;
  }

  /** Adds the columns of a histogram with the same unit. */
  addAll(columns: Float64Array): void {
    for (let i = 0; i < columns.length; i++) this.#columns[i]! += columns[i]!;
  }

  get steps(): number {
    return sum(this.#column(STEPS_COUNT));
  }

  /** The number of steps between two ticks with frames. */
  get working(): number {
    return sum(this.#column(STEPS_WORKING));
  }

  /** Returns the median of the steps between two ticks with frames: the mean of the steps in its bucket. */
  workingMedian(): Micros {
    return this.#medianOf(this.#column(STEPS_WORKING));
  }

  /** Returns the median of all steps up to an edge between buckets, of which there must be one. */
  medianUpTo(edge: Micros): Micros {
    return this.#medianOf(this.#column(STEPS_COUNT).subarray(0, bucketOf(edge / this.unit) + 1));
  }

  #medianOf(counts: Float64Array): Micros {
    const half = sum(counts) / 2;
    let below = 0;
    const bucket = counts.findIndex((steps) => {
      below += steps;
      return steps > 0 && below >= half;
    });
    return this.#column(STEPS_TIME)[bucket]! / this.#column(STEPS_COUNT)[bucket]!;
  }

  /** Returns the lowest edge between buckets that is not below `step`. */
  edgeFrom(step: Micros): Micros {
    return this.unit * endOf(bucketOf(step / this.unit));
  }

  /** Returns the number and the total time of the steps up to an edge between buckets, and above it. */
  splitAt(edge: Micros): { steps: number; time: Micros; stepsAbove: number; timeAbove: Micros } {
    const split = { steps: 0, time: 0, stepsAbove: 0, timeAbove: 0 };
    const last = bucketOf(edge / this.unit);
    const times = this.#column(STEPS_TIME);
    const counts = this.#column(STEPS_COUNT);
    for (let bucket = 0; bucket < counts.length; bucket++) {
      const steps = counts[bucket]!;
      if (bucket <= last) {
        split.steps += steps;
        split.time += times[bucket]!;
      } else {
        split.stepsAbove += steps;
        split.timeAbove += times[bucket]!;
      }
    }
    return split;
  }

  #column(number: number): Float64Array {
    return this.#columns.subarray(number * STEP_BUCKETS, (number + 1) * STEP_BUCKETS);
  }
}

function sum(column: Float64Array): number {
  return column.reduce((total, number) => total + number, 0);
}

const quotient = new DataView(new ArrayBuffer(Float64Array.BYTES_PER_ELEMENT));

/** Returns the bucket of a step by its quotient with the unit. */
function bucketOf(units: number): number {
  quotient.setFloat64(0, units);
  const upper = quotient.getUint16(0);
  // An edge itself belongs to the bucket that it ends.
  const isEdge = quotient.getUint16(2) === 0 && quotient.getUint32(4) === 0;
  const bits = isEdge ? upper - 1 : upper;
  return Math.min(STEP_BUCKETS - 1, Math.max(0, bits - FIRST_BUCKET_BITS));
}

/** Returns the upper end of a bucket, in units. */
function endOf(bucket: number): number {
  const next = bucket + 1 - UNIT_BUCKET;
  const octave = Math.floor(next / OCTAVE);
  return 2 ** octave * (1 + (next - octave * OCTAVE) / OCTAVE);
}
