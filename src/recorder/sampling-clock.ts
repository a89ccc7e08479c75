import { gapLimit, type Sampling } from "../profile/sampling.js";
import type { Micros, Ticks } from "../profile/units.js";
import { StepHistogram } from "./step-histogram.js";

/** A summary of the times of consecutive ticks, whose steps are counted elsewhere. */
export interface TickTimes {
  readonly first: Micros;
  readonly last: Micros;
  /** Whether the first tick has frames. */
  readonly hasFirstStack: boolean;
  readonly hasLastStack: boolean;
  /** The longest step from tick to tick. */
  readonly longest: Micros;
  readonly withoutStack: Ticks;
}

/** With fewer steps between two ticks with frames, nothing is known of the usual step. */
const LEAST_WORKING_STEPS = 20;

/** Measures the sampling of one log as its ticks are read. */
export class SamplingClock {
  asked: Micros | undefined;
  overflows = 0;
  #steps: StepHistogram | undefined;
  #withoutStack = 0;
  #first = 0;
  #last = Number.NaN;
  #hadStack = false;
  #longest = 0;

  /** What steps are counted in; the same from the first tick on. */
  get unit(): Micros {
    return this.#histogram().unit;
  }

  /** Adds one tick, in the order of the log. */
  tick(timestamp: Micros, hasFrames: boolean): void {
    if (!hasFrames) this.#withoutStack++;
    this.#stepTo(timestamp, hasFrames);
  }

  /** Adds a run of at least one tick, but not its steps: see {@link addSteps}. */
  ticks(times: TickTimes): void {
    this.#stepTo(times.first, times.hasFirstStack);
    this.#last = times.last;
    this.#hadStack = times.hasLastStack;
    this.#longest = Math.max(this.#longest, times.longest);
    this.#withoutStack += times.withoutStack;
  }

  /** Adds the steps within runs of ticks: the columns of kernels/layout.ts, counted in {@link unit}. */
  addSteps(columns: Float64Array): void {
    this.#histogram().addAll(columns);
  }

  #stepTo(timestamp: Micros, hasFrames: boolean): void {
    const step = timestamp - this.#last;
    const isWorking = this.#hadStack && hasFrames;
    this.#last = timestamp;
    this.#hadStack = hasFrames;
    // The first tick has no step. If several threads share a log file, time can go back.
    if (!(step >= 0)) {
      if (Number.isNaN(step)) this.#first = timestamp;
      return;
    }
    this.#histogram().add(step, isWorking);
    this.#longest = Math.max(this.#longest, step);
  }

  /** The unit is the longest step at the interval asked for, which precedes the ticks. */
  #histogram(): StepHistogram {
    this.#steps ??= new StepHistogram(gapLimit({ asked: this.asked, usual: undefined }));
    return this.#steps;
  }

  get sampling(): Sampling {
    const { asked } = this;
    const all = this.#histogram();
    const usual = all.working < LEAST_WORKING_STEPS ? undefined : all.workingMedian();
    const longest = all.edgeFrom(gapLimit({ asked, usual }));
    const { steps, time, stepsAbove, timeAbove } = all.splitAt(longest);
    return {
      asked,
      usual,
      got: steps === 0 ? undefined : time / steps,
      span: Number.isNaN(this.#last) ? 0 : Math.max(0, this.#last - this.#first),
      longestStep: longest,
      gaps: stepsAbove,
      gapTime: timeAbove,
      longestGap: stepsAbove === 0 ? 0 : this.#longest,
      overflows: this.overflows,
      withoutStack: this.#withoutStack,
    };
  }
}
