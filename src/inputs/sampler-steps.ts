import type { Micros } from "../base/units.js";
import type { Sampling } from "../profile/sampling.js";

/**
 * The usual step between samples, to a 16th. Two of three steps of a sampler are near the median. Where they are not, the file has
 * steps of another kind, such as how long one stack went on, or the sampler had little CPU: then many steps are as short as it can.
 */
export class StepCounts {
  readonly #bins = new Float64Array(64 * STEP_PARTS);
  readonly #sums = new Float64Array(64 * STEP_PARTS);
  #count = 0;

  add(step: Micros): void {
    const bin = binOf(step);
    this.#bins[bin]!++;
    this.#sums[bin]! += step;
    this.#count++;
  }

  /** Returns the usual step, the median; undefined without steps, or if they are no sampler's. */
  usual(): Micros | undefined {
    const bin = this.#binAt(0.5);
    return this.#count < FEW_STEPS || this.#near(bin, STEP_PARTS) >= NEAR_STEPS * this.#count
      ? this.#meanOf(bin)
      : undefined;
  }

  /** Returns the step that a sampler makes unless it is late, if many are so short; undefined without such, or if they are no sampler's. */
  least(): Micros | undefined {
    const bin = this.#binAt(EARLY_PART);
    return this.#near(bin, STEP_PARTS / 4) >= EARLY_STEPS * this.#count ? this.#meanOf(bin) : undefined;
  }

  /** Returns a step that is too long for a sampler that is as punctual as this one. */
  late(): Micros {
    return (
      LATE_STEPS *
      Math.max(this.#meanOf(this.#binAt(0.5)) ?? 0, this.#meanOf(this.#binAt(1 - EARLY_PART)) ?? 0)
    );
  }

  /** Returns the bin below whose end a part of the steps is. */
  #binAt(part: number): number {
    let [bin, below] = [0, this.#bins[0]!];
    while (bin < this.#bins.length - 1 && below < part * this.#count) below += this.#bins[++bin]!;
    return bin;
  }

  #near(bin: number, parts: number): number {
    let near = 0;
    for (let other = Math.max(0, bin - parts); other <= bin + parts; other++) near += this.#bins[other] ?? 0;
    return near;
  }

  #meanOf(bin: number): Micros | undefined {
    return bin > 0 && this.#bins[bin]! > 0 ? this.#sums[bin]! / this.#bins[bin]! : undefined;
  }
}

/** Bins of a doubling of the step. */
const STEP_PARTS = 16;
const FEW_STEPS = 10;
const NEAR_STEPS = 0.6;

/** Where the shortest steps of a sampler end, and the part of all steps that is as short, to a quarter of a doubling. */
const EARLY_PART = 0.1;
const EARLY_STEPS = 0.25;

/** A step is late if it is so many times as long as nine of ten are. */
const LATE_STEPS = 2;

/** Returns the bin of a step: 0 for less than a microsecond. */
function binOf(step: Micros): number {
  return step < 1 ? 0 : Math.floor(Math.log2(step) * STEP_PARTS) + 1;
}

/** The time between samples that belongs to none. */
export class Pauses {
  count = 0;
  time: Micros = 0;
  longest: Micros = 0;
  /** The usual step, and the longest without a pause; undefined if that is not known. */
  usual: Micros | undefined;
  limit: Micros | undefined;
  /** Whether the thread waited in them, as it is hardly ever sampled while it does. */
  areWaits = false;

  add(time: Micros): void {
    this.count++;
    this.time += time;
    this.longest = Math.max(this.longest, time);
  }
}

/** Returns what is known of the sampler of a profile: a sample stands for the mean time of all. */
export function samplingOf({
  hasTimes,
  ticks,
  time,
  pauses,
}: {
  readonly hasTimes: boolean;
  readonly ticks: number;
  readonly time: Micros;
  readonly pauses?: Pauses | undefined;
}): Sampling {
  const got = ticks > 0 ? time / ticks : undefined;
  const { count = 0, time: gapTime = 0, longest = 0, usual = got, limit = time } = pauses ?? {};
  return {
    ...{ hasTimes, asked: undefined, usual, got, span: time + gapTime },
    ...{ longestStep: limit, gaps: count, gapTime, longestGap: longest },
    ...{ bunched: 0, overflows: 0, withoutStack: 0 },
  };
}
