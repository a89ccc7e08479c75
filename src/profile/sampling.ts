import { soundInterval } from "./sound-numbers.js";
import type { Micros, Ticks } from "./units.js";

/** How well the sampler worked: what was requested and what it delivered. */
export interface Sampling {
  /** The requested interval; undefined if the log does not state it, or if several logs differ. */
  readonly asked: Micros | undefined;
  /**
   * The usual time between two ticks: the median, to a 16th, of those where JavaScript was running at both
   * ends, so that no sleep counts. It is much longer than the requested interval on Windows, whose timer ticks
   * every 15.6 ms, and on a busy machine. Undefined if there are too few.
   */
  readonly usual: Micros | undefined;
  /** The mean time between ticks, without gaps; undefined with fewer than two ticks. */
  readonly got: Micros | undefined;
  /** From the first tick to the last. */
  readonly span: Micros;
  /** The longest time between two ticks that is not a gap: ten intervals, see {@link gapLimit}. */
  readonly longestStep: Micros;
  /** How often no tick came for longer: the thread slept, or signals were lost. */
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
/** The sampler was slow if its usual step is this many times longer than the interval asked for. */
const SLOW_FACTOR = 1.5;

/** Returns the requested interval; V8's default if it is unknown or no sampler can have it. */
function askedOrDefault(asked: Micros | undefined): Micros {
  return soundInterval(asked) || DEFAULT_INTERVAL;
}

/** Whether the sampler was much slower than requested. */
export function isSlow({ asked, usual }: Pick<Sampling, "asked" | "usual">): boolean {
  return usual !== undefined && usual > askedOrDefault(asked) * SLOW_FACTOR;
}

/**
 * Returns the longest time between two ticks of a thread that ran without pause, by the usual interval if the
 * sampler was slow, else by the one asked for. Anything longer is a gap.
 */
export function gapLimit(sampling: Pick<Sampling, "asked" | "usual">): Micros {
  return GAP_INTERVALS * (isSlow(sampling) ? sampling.usual! : askedOrDefault(sampling.asked));
}

/**
 * Returns the time that a tick stands for: the requested interval; the one measured if the sampler was slow or
 * the log states none.
 */
export function tickInterval(sampling: Sampling): Micros {
  const asked = soundInterval(sampling.asked);
  if (asked !== undefined && !isSlow(sampling)) return asked;
  return soundInterval(sampling.got) ?? asked ?? DEFAULT_INTERVAL;
}

/** The interval asked for, and the one that the times of a slow sampler stand for. */
export interface SlowSampling {
  readonly asked: Micros;
  readonly got: Micros;
}

/** Returns both intervals if the sampler was much slower than requested. */
export function slowSampling(sampling: Sampling): SlowSampling | undefined {
  const asked = soundInterval(sampling.asked);
  return asked !== undefined && isSlow(sampling) ? { asked, got: tickInterval(sampling) } : undefined;
}

/** Merges the sampling of several logs; intervals are weighted by the ticks without gaps. */
export function mergeSampling(all: readonly Sampling[]): Sampling {
  const sum = (pick: (sampling: Sampling) => number) =>
    all.reduce((total, sampling) => total + pick(sampling), 0);
  const most = (pick: (sampling: Sampling) => number) =>
    all.reduce((largest, sampling) => Math.max(largest, pick(sampling)), 0);
  const time = ({ span, gapTime }: Sampling) => span - gapTime;
  const ticksOf = (s: Sampling) => (s.got === undefined || s.got === 0 ? 0 : time(s) / s.got);
  const ticks = sum(ticksOf);
  return {
    asked: all.every(({ asked }) => asked === all[0]?.asked) ? all[0]?.asked : undefined,
    usual: weightedMedian(
      all.flatMap((s) => (s.usual === undefined ? [] : [{ value: s.usual, weight: ticksOf(s) }])),
    ),
    got: ticks === 0 ? undefined : sum((s) => (s.got === undefined ? 0 : time(s))) / ticks,
    span: sum(({ span }) => span),
    longestStep: most(({ longestStep }) => longestStep),
    gaps: sum(({ gaps }) => gaps),
    gapTime: sum(({ gapTime }) => gapTime),
    longestGap: most(({ longestGap }) => longestGap),
    overflows: sum(({ overflows }) => overflows),
    withoutStack: sum(({ withoutStack }) => withoutStack),
  };
}

interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/** Returns the least value such that at least half of the weight is up to it; undefined if there are none. */
function weightedMedian(values: readonly Weighted[]): number | undefined {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  return sorted.find(({ weight }) => {
    below += weight;
    return below >= half;
  })?.value;
}
