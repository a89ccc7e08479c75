import type { LogPlatform } from "../profile/library-problem.js";
import {
  askedOrDefault,
  bunchLimit,
  gapLimit,
  isWindowsStep,
  longestTimerStep,
  type Sampling,
} from "../profile/sampling.js";
import type { Micros, Ticks } from "../profile/units.js";
import type { TimeFault } from "./joined-runs.js";
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
