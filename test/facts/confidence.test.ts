import { describe, expect, it } from "vitest";
import { Confidence, studentQuantile, wilson } from "../../src/facts/confidence.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";

/** Numbers from 0 to 1 that look random, the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The samples of threads in which each tick is in the row or not. */
function profileOf(...threads: readonly (readonly boolean[])[]) {
  const samples = new SampleTableBuilder();
  const timeline = new TimelineBuilder();
  const isIn: boolean[] = [];
  for (const [thread, ticks] of threads.entries()) {
    for (const [i, is] of ticks.entries()) {
      const sample = samples.add(is ? 1 : 2, 0, 1, thread);
      isIn[sample] = is;
      timeline.add(sample, i);
    }
  }
  return { profile: { samples, timeline }, isIn };
}

function rangeOf(...threads: readonly (readonly boolean[])[]) {
  const { profile, isIn } = profileOf(...threads);
  const ticks = threads.flat().filter(Boolean).length;
  return new Confidence(profile).ranges([ticks], (sample, count) => isIn[sample] && count(0))[0]!;
}

/** How many of 400 simulated profiles have an interval that holds the true share, in percent. */
function coverage(share: number, ticks: number, next: (last: boolean, random: () => number) => boolean) {
  const random = randomNumbers(share * 1000 + ticks);
  let hits = 0;
  for (let run = 0; run < 400; run++) {
    let is = random() < share;
    const sequence = Array.from({ length: ticks }, () => {
      is = next(is, random);
      return is;
    });
    const { low, high } = rangeOf(sequence);
    if (low <= share * 100 && share * 100 <= high) hits++;
  }
  return hits / 4;
}

describe("effectiveTicks", () => {
  const effective = (...threads: readonly (readonly boolean[])[]) => {
    const { profile, isIn } = profileOf(...threads);
    return new Confidence(profile).effectiveTicks(2, (sample, count) => count(isIn[sample] ? 0 : 1));
  };

  it("is about the number of independent ticks, and never more than there are", () => {
    const random = randomNumbers(1);
    const found = effective(Array.from({ length: 4000 }, () => random() < 0.3))!;
    expect(found).toBeGreaterThan(2000);
    expect(found).toBeLessThanOrEqual(4000);
    expect(effective(Array.from({ length: 1000 }, (_, i) => i % 2 === 0))).toBe(1000);
    expect(effective(Array.from({ length: 1000 }, () => true))).toBe(1000);
  });

  it("is about a tenth of them if ticks come in tens", () => {
    const random = randomNumbers(2);
    const tens = Array.from({ length: 4000 }, () => random() < 0.3);
    const found = effective(tens.flatMap((is) => new Array<boolean>(10).fill(is)))!;
    expect(found).toBeGreaterThan(1300);
    expect(found).toBeLessThan(12_000);
  });

  it("is unknown with few ticks or without times", () => {
    expect(effective(Array.from({ length: 20 }, (_, i) => i < 10))).toBeUndefined();
    const { samples } = profileOf([true, false]).profile;
    expect(new Confidence({ samples }).effectiveTicks(1, () => {})).toBeUndefined();
  });
});

describe("the Wilson score interval", () => {
  // R. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
    [29, 29, 0.883, 1],
  ])("of %d in %d", (part, whole, low, high) => {
    const range = wilson(part / whole, whole);
    expect(range.low).toBeCloseTo(low, 3);
    expect(range.high).toBeCloseTo(high, 3);
  });

  it("is all without ticks", () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe("the quantile of Student's distribution", () => {
  it.each([
    [5, 2.5706],
    [10, 2.2281],
    [31, 2.0395],
    [1000, 1.9623],
  ])("with %d degrees of freedom", (freedom, quantile) => {
    expect(Math.abs(studentQuantile(freedom) / quantile - 1)).toBeLessThan(0.01);
  });
});

describe("the interval of a share", () => {
  it.each([
    [0.05, 1000],
    [0.3, 1000],
    [0.5, 400],
    [0.9, 2000],
  ])("holds a share of %d in 92 to 98 of 100 profiles of %d independent ticks", (share, ticks) => {
    const percent = coverage(share, ticks, (_, random) => random() < share);
    expect(percent).toBeGreaterThanOrEqual(92);
    expect(percent).toBeLessThanOrEqual(98);
  });

  it.each([
    [0.3, 2000, 0.8],
    [0.5, 2000, 0.9],
    [0.2, 4000, 0.95],
  ])("holds a share of %d in 90 of 100 profiles of %d ticks with correlation %d", (share, ticks, rho) => {
    // A Markov chain with two states is autoregressive: its correlation is rho to the power of the lag.
    const percent = coverage(share, ticks, (last, random) => {
      return random() < rho ? last : random() < share;
    });
    expect(percent).toBeGreaterThanOrEqual(90);
  });

  it("is wider where ticks come in bursts", () => {
    const spread = Array.from({ length: 1000 }, (_, i) => i % 10 === 0);
    const burst = Array.from({ length: 1000 }, (_, i) => i >= 500 && i < 600);
    expect(rangeOf(spread)).toEqual({ low: 8.2, high: 12.1 });
    const { low, high } = rangeOf(burst);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(20);
  });

  it("does not take the difference between threads for a burst", () => {
    const busy = Array.from({ length: 500 }, (_, i) => i % 2 === 0);
    const idle = busy.map(() => false);
    expect(rangeOf(busy, idle)).toEqual({ low: 22.4, high: 27.8 });
  });

  it("is that of independent ticks without times, or with few", () => {
    const { profile, isIn } = profileOf(Array.from({ length: 30 }, (_, i) => i < 15));
    const ranges = [profile, { ...profile, timeline: undefined }].map((of) =>
      new Confidence(of).ranges([15], (sample, count) => isIn[sample] && count(0)),
    );
    expect(ranges[0]).toEqual([{ low: 33.1, high: 66.9 }]);
    expect(ranges[1]).toEqual(ranges[0]);
    expect(new Confidence(profile).independent(15)).toEqual(ranges[0]![0]);
  });

  it("is all of nothing", () => {
    expect(rangeOf()).toEqual({ low: 0, high: 100 });
  });
});
