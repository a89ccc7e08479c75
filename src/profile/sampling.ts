import type { Micros, Ticks } from "../base/units.js";
import { validInterval } from "./clamped-numbers.js";
import type { LogPlatform } from "./library-problem.js";

/** How well the sampler worked: what was requested and what it delivered. */
export interface Sampling {
  /**
   * Whether ticks have times. Those of V8 to 3.14 (Node 0.10) have none, and are spaced by the interval asked
   * for, in the order of the log. Of several logs: whether all have.
   */
  readonly hasTimes: boolean;
  /** The requested interval; undefined if the log does not state it, or if several logs differ. */
  readonly asked: Micros | undefined;
  /**
   * The usual time between two ticks: the median, to a 16th, of those where JavaScript was running at both
   * ends, so that no sleep counts; of all ticks where these are too few and V8 ticks a thread that sleeps. It is
   * much longer than the requested interval on Windows, whose timer ticks every 15.6 ms, and on a busy machine.
   * Undefined if there are too few.
   */
  readonly usual: Micros | undefined;
  /** Whether {@link usual} is of all ticks. Default: false. */
  readonly isUsualOfAll?: boolean | undefined;
  /** Whether steps are as long as the timer of Windows makes them. Default: false, or unknown. */
  readonly isWindowsTimer?: boolean | undefined;
  /** The mean time between ticks, without gaps; undefined with fewer than two ticks. */
  readonly got: Micros | undefined;
  /** From the first tick to the last. */
  readonly span: Micros;
  /** The longest time between two ticks that is not a gap: ten intervals, see {@link gapLimit}. */
  readonly longestStep: Micros;
  /** How often no tick came for longer: the thread slept, had no CPU, or signals were lost. */
  readonly gaps: number;
  /** The total length of the gaps. */
  readonly gapTime: Micros;
  readonly longestGap: Micros;
  /**
   * Ticks within 0.3 intervals of the one before: the time of a tick is when V8 wrote its row, and after a pause
   * it writes several at once.
   */
  readonly bunched: Ticks;
  /** Ticks after which V8's buffer was full, so that later ones were lost. */
  readonly overflows: Ticks;
  /** Ticks without any caller. */
  readonly withoutStack: Ticks;
}

/** The part of an interval within which a tick comes too soon after the one before. */
const TOO_SOON = 0.3;
/** The number of intervals without a tick after which there is a gap. */
const GAP_INTERVALS = 10;
/** V8's own default. Source: V8, src/flags/flag-definitions.h, `prof_sampling_interval`. */
const DEFAULT_INTERVAL = 1000;
/** The sampler was slow if its usual step is this many times longer than the interval asked for. */
const SLOW_FACTOR = 1.5;

/** Returns the requested interval; V8's default if it is unknown or no sampler can have it. */
export function askedOrDefault(asked: Micros | undefined): Micros {
  return validInterval(asked) || DEFAULT_INTERVAL;
}

/** What tells whether the sampler was slow. */
type Pace = Pick<Sampling, "asked" | "usual" | "isWindowsTimer">;

/** Whether the sampler was much slower than requested. */
function isSlow({ asked, usual, isWindowsTimer }: Pace): boolean {
  return usual !== undefined && (isWindowsTimer || usual > askedOrDefault(asked) * SLOW_FACTOR);
}

/** The step of Windows' timer: V8 sleeps to the end of one, and one more if it is late. */
const WINDOWS_STEP: Micros = 15_625;
/** On a few machines it is this. */
const SHORT_WINDOWS_STEP: Micros = 10_000;
/** How far a step of that timer may be off, as a part of it. */
const WINDOWS_SPREAD = 0.08;
/** Less than this longer than asked for, a step says nothing about the timer. */
const LONGER_FACTOR = 1.1;

/** Returns whether a usual step is one of the timer of Windows, on a log of that system or of an unknown one. */
export function isWindowsStep({ asked, usual }: Pace, platform: LogPlatform): boolean {
  const wanted = askedOrDefault(asked);
  if (usual === undefined || usual < LONGER_FACTOR * wanted) return false;
  const isStepOf = (step: Micros, periods: number) =>
    Math.abs(usual - periods * step) <= WINDOWS_SPREAD * step * periods;
  const periods = Math.ceil(wanted / WINDOWS_STEP);
  if (platform === "unknown") return isStepOf(WINDOWS_STEP, periods);
  if (platform !== "windows") return false;
  const short = Math.ceil(wanted / SHORT_WINDOWS_STEP);
  return (
    isStepOf(WINDOWS_STEP, periods) ||
    isStepOf(WINDOWS_STEP, periods + 1) ||
    isStepOf(SHORT_WINDOWS_STEP, short)
  );
}

/** Returns the longest step that can be one of a timer, not a sleep, where V8 ticks a thread that sleeps. */
export function longestTimerStep(asked: Micros | undefined): Micros {
  return askedOrDefault(asked) + 2 * WINDOWS_STEP;
}

/**
 * Returns the longest time between two ticks of a thread that ran without pause, by the usual interval if the
 * sampler was slow, else by the one asked for. Anything longer is a gap.
 */
export function gapLimit(sampling: Pace): Micros {
  return GAP_INTERVALS * (isSlow(sampling) ? sampling.usual! : askedOrDefault(sampling.asked));
}

/** Returns the time up to which a tick comes too soon after the one before, to be a tick of the sampler's timer. */
export function bunchLimit(sampling: Pace): Micros {
  return (TOO_SOON * gapLimit(sampling)) / GAP_INTERVALS;
}

/**
 * Returns the time that a tick stands for: the requested interval; the one measured if the sampler was slow or
 * the log states none.
 */
export function tickInterval(sampling: Sampling): Micros {
  const asked = validInterval(sampling.asked);
  if (asked !== undefined && !isSlow(sampling)) return asked;
  return validInterval(sampling.got) ?? asked ?? DEFAULT_INTERVAL;
}

/** The interval asked for, and the one that the times of a slow sampler stand for. */
export interface SlowSampling {
  readonly asked: Micros;
  readonly got: Micros;
  /** Whether the timer of Windows is no finer; else the machine was busy. */
  readonly isWindowsTimer: boolean;
}

/** Returns both intervals if the sampler was much slower than requested. */
export function slowSampling(sampling: Sampling): SlowSampling | undefined {
  const asked = validInterval(sampling.asked);
  if (asked === undefined || !isSlow(sampling)) return undefined;
  return { asked, got: tickInterval(sampling), isWindowsTimer: sampling.isWindowsTimer ?? false };
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
  const slow = all.filter(isSlow);
  return {
    hasTimes: all.every(({ hasTimes }) => hasTimes),
    asked: all.every(({ asked }) => asked === all[0]?.asked) ? all[0]?.asked : undefined,
    usual: weightedMedian(
      all.flatMap((s) => (s.usual === undefined ? [] : [{ value: s.usual, weight: ticksOf(s) }])),
    ),
    isUsualOfAll: all.some(({ isUsualOfAll }) => isUsualOfAll),
    isWindowsTimer: slow.length > 0 && slow.every(({ isWindowsTimer }) => isWindowsTimer),
    got: ticks === 0 ? undefined : sum((s) => (s.got === undefined ? 0 : time(s))) / ticks,
    span: sum(({ span }) => span),
    longestStep: most(({ longestStep }) => longestStep),
    gaps: sum(({ gaps }) => gaps),
    gapTime: sum(({ gapTime }) => gapTime),
    longestGap: most(({ longestGap }) => longestGap),
    bunched: sum(({ bunched }) => bunched),
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
