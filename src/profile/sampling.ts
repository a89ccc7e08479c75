import type { Micros, Ticks } from "./units.js";

/** How the sampler did: what it was asked for, and what came of it. */
export interface Sampling {
  /** The interval asked for; undefined when the log does not say, and for several logs with different ones. */
  readonly asked: Micros | undefined;
  /** The mean time from tick to tick, gaps left out; undefined with fewer than two ticks. */
  readonly got: Micros | undefined;
  /** From the first tick to the last. */
  readonly span: Micros;
  /** How often no tick came for over ten intervals: the thread slept, or signals were lost. */
  readonly gaps: number;
  /** What those gaps add up to. */
  readonly gapTime: Micros;
  readonly longestGap: Micros;
  /** Ticks after which V8's buffer was full, so that others were lost. */
  readonly overflows: Ticks;
  /** Ticks without any caller. */
  readonly withoutStack: Ticks;
}

/** Past so many intervals without a tick, there is a gap. */
const GAP_INTERVALS = 10;
/** V8's own default. Source: V8, src/flags/flag-definitions.h, `prof_sampling_interval`. */
const DEFAULT_INTERVAL = 1000;

/** The longest time from one tick to the next for a thread that was running all the time: past it, there is a gap. */
export function longestStep(interval: Micros = DEFAULT_INTERVAL): Micros {
  return GAP_INTERVALS * interval;
}

/** How long a tick stands for: the interval asked for, else what came of it, else V8's default. */
export function tickInterval({ asked, got }: Sampling): Micros {
  return asked ?? got ?? DEFAULT_INTERVAL;
}

/** What the times of some ticks say that follow each other. */
export interface TickTimes {
  readonly first: Micros;
  readonly last: Micros;
  /** How many steps from tick to tick are no gaps, and what they add up to. */
  readonly steps: number;
  readonly stepTime: Micros;
  readonly gaps: number;
  readonly gapTime: Micros;
  readonly longestGap: Micros;
  readonly withoutStack: Ticks;
}

/** Watches the ticks of one log go by. */
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

  /** Past so much time from one tick to the next there is a gap. */
  get longestStep(): Micros {
    return longestStep(this.asked);
  }

  /** Takes one tick, in the order of the log. */
  tick(timestamp: Micros, hasFrames: boolean): void {
    if (!hasFrames) this.#withoutStack++;
    this.#stepTo(timestamp);
  }

  /** Takes at least one tick. */
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
    // The first tick has no step; in logs of one file for several threads time can go back.
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

/** The sampling of several logs taken together; the mean interval is weighted by the time it was held for. */
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
    longestGap: all.reduce((longest, { longestGap }) => Math.max(longest, longestGap), 0),
    overflows: sum(({ overflows }) => overflows),
    withoutStack: sum(({ withoutStack }) => withoutStack),
  };
}
