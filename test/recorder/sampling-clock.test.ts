import { describe, expect, it } from "vitest";
import { mergeSampling, slowSampling, tickInterval } from "../../src/profile/sampling.ts";
import { SamplingClock } from "../../src/recorder/sampling-clock.ts";

function clock(asked: number | undefined, ...times: readonly number[]): SamplingClock {
  const made = new SamplingClock();
  made.asked = asked;
  for (const time of times) made.tick(time, true);
  return made;
}

describe("SamplingClock", () => {
  it("takes the mean of the steps that are no gaps", () => {
    expect(clock(1000, 5000, 6000, 7200, 30_000, 31_000).sampling).toEqual({
      asked: 1000,
      usual: undefined,
      got: (1000 + 1200 + 1000) / 3,
      span: 26_000,
      longestStep: 10_000,
      gaps: 1,
      gapTime: 22_800,
      longestGap: 22_800,
      overflows: 0,
      withoutStack: 0,
    });
  });

  it("knows nothing of fewer than two ticks", () => {
    expect(clock(undefined).sampling).toMatchObject({ asked: undefined, got: undefined, span: 0, gaps: 0 });
    expect(clock(1000, 7).sampling).toMatchObject({ got: undefined, span: 0 });
  });

  it("does not mind time that goes back", () => {
    expect(clock(1000, 5000, 4000, 5000).sampling).toMatchObject({ got: 1000, gaps: 0 });
  });

  it("merged with itself keeps the intervals and doubles the sums", () => {
    const { sampling } = clock(1000, 0, 1000, 3000, 50_000);
    expect(mergeSampling([sampling, sampling])).toEqual({
      ...sampling,
      span: 2 * sampling.span,
      gaps: 2,
      gapTime: 2 * sampling.gapTime,
    });
  });

  /** A hundred ticks after a first one, with these steps in turn. */
  function stepping(asked: number | undefined, hasFrames: boolean, ...steps: readonly number[]) {
    const made = new SamplingClock();
    made.asked = asked;
    made.tick(0, hasFrames);
    let time = 0;
    for (let i = 0; i < 100; i++) {
      time += steps[i % steps.length]!;
      made.tick(time, hasFrames);
    }
    return made.sampling;
  }

  it("takes gaps from the usual step if the sampler was slow, as with the timer of Windows", () => {
    const sampling = stepping(1000, true, 15_610, 15_620, 15_630, 15_640);
    expect(sampling).toMatchObject({ usual: 15_615, got: 15_625, gaps: 0, span: 1_562_500 });
    expect(sampling.longestStep).toBe(160_000);
    expect(tickInterval(sampling)).toBe(15_625);
    expect(slowSampling(sampling)).toEqual({ asked: 1000, got: 15_625 });
  });

  it("still finds the gaps of a slow sampler", () => {
    const sampling = stepping(1000, true, ...new Array(49).fill(16_000), 500_000);
    expect(sampling).toMatchObject({
      usual: 16_000,
      got: 16_000,
      gaps: 2,
      gapTime: 1e6,
      longestGap: 500_000,
    });
  });

  it("knows the usual step at any interval: ticks every 200 µs asked for, which came every 260", () => {
    expect(stepping(200, true, 260)).toMatchObject({ usual: 260, longestStep: 2000 });
    expect(stepping(200, true, 500)).toMatchObject({ usual: 500, longestStep: 5000 });
    expect(slowSampling(stepping(200, true, 260))).toBeUndefined();
  });

  it("is not misled by sleeps: where no JavaScript runs, no step tells the interval", () => {
    const sampling = stepping(1000, false, 16_000);
    expect(sampling).toMatchObject({ usual: undefined, longestStep: 10_000, gaps: 100 });
    expect(tickInterval(sampling)).toBe(1000);
  });

  it("is not misled by bursts and by some long steps", () => {
    const sampling = stepping(1000, true, 100, 1000, 1010, 1000, 9000);
    expect(sampling).toMatchObject({ usual: 1000 + 10 / 3, longestStep: 10_000, gaps: 0 });
    expect(tickInterval(sampling)).toBe(1000);
  });

  it("has a unit for an interval that no sampler has", () => {
    expect(stepping(0, true, 1000)).toMatchObject({ usual: 1000, longestStep: 10_000, gaps: 0 });
    expect(stepping(2 ** 31 - 1, true, 1000)).toMatchObject({ usual: 1000, gaps: 0 });
    expect(stepping(1, true, 2 ** 52)).toMatchObject({ usual: 2 ** 52, gaps: 0 });
  });
});
