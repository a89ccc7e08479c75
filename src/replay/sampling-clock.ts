import type { Micros } from "../base/units.js";
import type { LogPlatform } from "../profile/library-problem.js";
import {
  askedOrDefault,
  bunchLimit,
  gapLimit,
  isWindowsStep,
  longestTimerStep,
  type Sampling,
} from "../profile/sampling.js";
import type { TimeFault } from "./joined-runs.js";

/** With fewer steps between two ticks with frames, they say nothing of the usual step. */
const LEAST_WORKING_STEPS = 20;

/** Measures the sampling of one log as its ticks are read. */
export class SamplingClock {
  asked: Micros | undefined;
  /** The system of the log, which decides what a step without JavaScript means. */
  platform: LogPlatform = "unknown";
  overflows = 0;
  /** What the times say against the log, if they do. */
  fault: TimeFault | undefined;
  #steps: StepHistogram | undefined;
  #withoutStack = 0;
  #first = 0;
  #last = Number.NaN;
  #hadStack = false;
  #longest = 0;

  /** The interval asked for, or V8's default. */
  get interval(): Micros {
    return askedOrDefault(this.asked);
  }

  /** Adds one tick, in the order of the log. */
  tick(timestamp: Micros, hasFrames: boolean): void {
    if (!hasFrames) this.#withoutStack++;
    const steps = this.#histogram();
    const step = timestamp - this.#last;
    const isWorking = this.#hadStack && hasFrames;
    this.#last = timestamp;
    this.#hadStack = hasFrames;
    // The first tick has no step. If several threads share a log file, time can go back.
    if (!(step >= 0)) {
      if (Number.isNaN(step)) this.#first = timestamp;
      return;
    }
    steps.add(step, isWorking);
    this.#longest = Math.max(this.#longest, step);
  }

  /**
   * Returns the histogram, which is made at the first tick: however the ticks are read, what is asked for by then
   * is the same. The unit is the longest step at that interval.
   */
  #histogram(): StepHistogram {
    this.#steps ??= new StepHistogram(gapLimit({ asked: this.asked, usual: undefined }));
    return this.#steps;
  }

  /** Whether ticks have times: not if there are several, all at 0. */
  get #hasTimes(): boolean {
    return this.#first !== 0 || this.#last !== 0 || this.#longest !== 0 || this.#histogram().steps === 0;
  }

  /** How the sampler did. */
  get sampling(): Sampling {
    const { asked, platform } = this;
    const all = this.#histogram();
    if (!this.#hasTimes) return this.#untimed(all.steps);
    const isUsualOfAll = all.working < LEAST_WORKING_STEPS;
    const usual = isUsualOfAll ? this.#usualOfAll() : all.workingMedian();
    const isWindowsTimer = isWindowsStep({ asked, usual }, platform);
    const pace = { asked, usual, isWindowsTimer };
    const longest = all.edgeFrom(gapLimit(pace));
    const { steps, time, stepsAbove, timeAbove } = all.splitAt(longest);
    return {
      hasTimes: true,
      ...pace,
      isUsualOfAll: isUsualOfAll && usual !== undefined,
      got: steps === 0 ? undefined : time / steps,
      span: this.#span,
      longestStep: longest,
      ...this.#gaps(stepsAbove, timeAbove),
      bunched: all.splitAt(all.edgeFrom(bunchLimit(pace))).steps,
      overflows: this.overflows,
      withoutStack: this.#withoutStack,
    };
  }

  get #span(): Micros {
    if (this.fault !== undefined) return this.fault.span;
    return Number.isNaN(this.#last) ? 0 : Math.max(0, this.#last - this.#first);
  }

  /** Returns the gaps; none if several wrote: a long step is then mostly from the times of one to those of another. */
  #gaps(gaps: number, time: Micros): Pick<Sampling, "gaps" | "gapTime" | "longestGap"> {
    if (gaps === 0 || this.fault?.kind === "mixed") return { gaps: 0, gapTime: 0, longestGap: 0 };
    return { gaps, gapTime: Math.min(time, this.#span), longestGap: Math.min(this.#longest, this.#span) };
  }

  /**
   * Returns the median of all steps that are no sleep; undefined if there are too few, or if a step can be a sleep of
   * any length: on Linux V8 ticks no thread that sleeps, but each time that it wakes.
   */
  #usualOfAll(): Micros | undefined {
    const { asked, platform } = this;
    if (platform === "linux") return undefined;
    const all = this.#histogram();
    const longest = all.edgeFrom(longestTimerStep(asked));
    if (all.splitAt(longest).steps < LEAST_WORKING_STEPS) return undefined;
    const usual = all.medianUpTo(longest);
    return platform !== "unknown" || isWindowsStep({ asked, usual }, platform) ? usual : undefined;
  }

  /** Returns what ticks have that are spaced by the interval asked for. */
  #untimed(steps: number): Sampling {
    const { asked } = this;
    return {
      ...{ hasTimes: false, asked, usual: undefined, got: undefined },
      ...{ span: steps * this.interval, longestStep: gapLimit({ asked, usual: undefined }) },
      ...{ gaps: 0, gapTime: 0, longestGap: 0, bunched: 0 },
      ...{ overflows: this.overflows, withoutStack: this.#withoutStack },
    };
  }
}

/** The buckets from one power of two to the next. */
const OCTAVE = 16;
/**
 * A bucket is a 16th of a power of two of `step / unit`, without its lower and with its upper end, so its number is in the upper
 * 16 bits of the quotient. The quotient 1 ends bucket UNIT_BUCKET - 1.
 */
const STEP_BUCKETS = 640;
const UNIT_BUCKET = 256;
/** The upper 16 bits of the quotient 2^-16, where the first bucket begins. */
const FIRST_BUCKET_BITS = (1023 - 16) * 16;

/**
 * The steps from tick to tick, in buckets of a 16th of a power of two. Takes the same memory for any number of
 * ticks.
 */
class StepHistogram {
  readonly unit: Micros;
  /** By bucket: the steps, their total time, and the steps between two ticks with frames. */
  readonly #counts = new Float64Array(STEP_BUCKETS);
  readonly #times = new Float64Array(STEP_BUCKETS);
  readonly #working = new Float64Array(STEP_BUCKETS);

  /** `unit` is an edge between two buckets, exactly. */
  constructor(unit: Micros) {
    this.unit = unit;
  }

  /** Counts a step of at least 0. `isWorking` says that both ticks have frames. */
  add(step: Micros, isWorking: boolean): void {
    const bucket = bucketOf(step / this.unit);
    this.#counts[bucket]!++;
    this.#times[bucket]! += step;
    if (isWorking) this.#working[bucket]!++;
  }

  get steps(): number {
    return sum(this.#counts);
  }

  /** The number of steps between two ticks with frames. */
  get working(): number {
    return sum(this.#working);
  }

  /** Returns the median of the steps between two ticks with frames: the mean of the steps in its bucket. */
  workingMedian(): Micros {
    return this.#medianOf(this.#working);
  }

  /** Returns the median of all steps up to an edge between buckets, of which there must be one. */
  medianUpTo(edge: Micros): Micros {
    return this.#medianOf(this.#counts.subarray(0, bucketOf(edge / this.unit) + 1));
  }

  #medianOf(counts: Float64Array): Micros {
    const half = sum(counts) / 2;
    let below = 0;
    const bucket = counts.findIndex((steps) => {
      below += steps;
      return steps > 0 && below >= half;
    });
    return this.#times[bucket]! / this.#counts[bucket]!;
  }

  /** Returns the lowest edge between buckets that is not below `step`. */
  edgeFrom(step: Micros): Micros {
    return this.unit * endOf(bucketOf(step / this.unit));
  }

  /** Returns the number and the total time of the steps up to an edge between buckets, and above it. */
  splitAt(edge: Micros): { steps: number; time: Micros; stepsAbove: number; timeAbove: Micros } {
    const split = { steps: 0, time: 0, stepsAbove: 0, timeAbove: 0 };
    const last = bucketOf(edge / this.unit);
    const [times, counts] = [this.#times, this.#counts];
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
