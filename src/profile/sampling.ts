import { soundInterval } from "./sound-numbers.js";
import type { Micros, Ticks } from "./units.js";

/** How well the sampler worked: what was requested and what it delivered. */
export interface Sampling {
  /** The requested interval; undefined if the log does not state it, or if several logs differ. */
  readonly asked: Micros | undefined;
  /** The mean time between ticks, without gaps; undefined with fewer than two ticks. */
  readonly got: Micros | undefined;
  /** From the first tick to the last. */
  readonly span: Micros;
  /** How often no tick came for more than ten intervals: the thread slept, or signals were lost. */
  readonly gaps: number;
  /** The total length of the gaps. */
  readonly gapTime: Micros;
  readonly longestGap: Micros;
  /** Ticks after which V8's buffer was full, so that later ones were lost. */
  readonly overflows: Ticks;
  /** Ticks without any caller. */
  readonly withoutStack: Ticks;
}

/** The number of intervals without a tick after which there is a gap. */
const GAP_INTERVALS = 10;
/** V8's own default. Source: V8, src/flags/flag-definitions.h, `prof_sampling_interval`. */
const DEFAULT_INTERVAL = 1000;

/**
 * Returns the longest time between two ticks of a thread that ran without pause; anything longer is a gap.
 */
export function longestStep(interval: Micros = DEFAULT_INTERVAL): Micros {
  return GAP_INTERVALS * interval;
}

/**
 * Returns the time that a tick stands for: the requested interval, else the measured one, else V8's default.
 */
export function tickInterval({ asked, got }: Sampling): Micros {
  return soundInterval(asked) ?? soundInterval(got) ?? DEFAULT_INTERVAL;
}

/** A summary of the times of consecutive ticks. */
export interface TickTimes {
  readonly first: Micros;
  readonly last: Micros;
  /** The number of steps between ticks that are not gaps. */
  readonly steps: number;
  /** The total length of those steps. */
  readonly stepTime: Micros;
  readonly gaps: number;
  readonly gapTime: Micros;
  readonly longestGap: Micros;
  readonly withoutStack: Ticks;
}

/** Measures the sampling of one log as its ticks are read. */
export class SamplingClock {
  asked: Micros | undefined;
  overflows = 0;
  #withoutStack = 0;
  #first = 0;
  #last = Number.NaN;
  #steps = 0;
  #stepTime = 0;
  #gaps = 0;
  #gapTime = 0;
  #longest = 0;

  /** The longest time between two ticks that is not a gap. */
  get longestStep(): Micros {
    return longestStep(this.asked);
  }

  /** Adds one tick, in the order of the log. */
  tick(timestamp: Micros, hasFrames: boolean): void {
    if (!hasFrames) this.#withoutStack++;
    this.#stepTo(timestamp);
  }

  /** Adds a run of at least one tick. */
  ticks(times: TickTimes): void {
    this.#stepTo(times.first);
    this.#last = times.last;
    this.#steps += times.steps;
    this.#stepTime += times.stepTime;
    this.#gaps += times.gaps;
    this.#gapTime += times.gapTime;
    this.#longest = Math.max(this.#longest, times.longestGap);
    this.#withoutStack += times.withoutStack;
  }

  #stepTo(timestamp: Micros): void {
    const step = timestamp - this.#last;
    this.#last = timestamp;
    // The first tick has no step. If several threads share a log file, time can go back.
    if (!(step >= 0)) {
      if (Number.isNaN(step)) this.#first = timestamp;
      return;
    }
    if (step > this.longestStep) {
      this.#gaps++;
      this.#gapTime += step;
      this.#longest = Math.max(this.#longest, step);
    } else {
      this.#steps++;
      this.#stepTime += step;
    }
  }

  get sampling(): Sampling {
    return {
      asked: this.asked,
      got: this.#steps === 0 ? undefined : this.#stepTime / this.#steps,
      span: Number.isNaN(this.#last) ? 0 : Math.max(0, this.#last - this.#first),
      gaps: this.#gaps,
      gapTime: this.#gapTime,
      longestGap: this.#longest,
      overflows: this.overflows,
      withoutStack: this.#withoutStack,
    };
  }
}

/** Merges the sampling of several logs; the mean interval is weighted by time without gaps. */
export function mergeSampling(all: readonly Sampling[]): Sampling {
  const sum = (pick: (sampling: Sampling) => number) =>
    all.reduce((total, sampling) => total + pick(sampling), 0);
  const time = ({ span, gapTime }: Sampling) => span - gapTime;
  const ticks = sum((s) => (s.got === undefined || s.got === 0 ? 0 : time(s) / s.got));
  return {
    asked: all.every(({ asked }) => asked === all[0]?.asked) ? all[0]?.asked : undefined,
    got: ticks === 0 ? undefined : sum((s) => (s.got === undefined ? 0 : time(s))) / ticks,
    span: sum(({ span }) => span),
    gaps: sum(({ gaps }) => gaps),
    gapTime: sum(({ gapTime }) => gapTime),
    longestGap: all.reduce((longest, sampling) => Math.max(longest, sampling.longestGap), 0),
    overflows: sum(({ overflows }) => overflows),
    withoutStack: sum(({ withoutStack }) => withoutStack),
  };
}
