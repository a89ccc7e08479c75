import { describe, expect, it } from "vitest";
import type { LogPlatform } from "../../src/profile/library-problem.ts";
import { mergeSampling, slowSampling, tickInterval } from "../../src/profile/sampling.ts";
import { SamplingClock } from "../../src/replay/sampling-clock.ts";

function clock(asked: number | undefined, ...times: readonly number[]): SamplingClock {
  const made = new SamplingClock();
  made.asked = asked;
  for (const time of times) made.tick(time, true);
  return made;
}

describe("SamplingClock", () => {
  it("takes the mean of the steps that are no gaps", () => {
    expect(clock(1000, 5000, 6000, 7200, 30_000, 31_000).sampling).toEqual({
      hasTimes: true,
      asked: 1000,
      usual: undefined,
      isUsualOfAll: false,
      isWindowsTimer: false,
      got: (1000 + 1200 + 1000) / 3,
      span: 26_000,
      longestStep: 10_000,
      gaps: 1,
      gapTime: 22_800,
      longestGap: 22_800,
      bunched: 0,
      overflows: 0,
      withoutStack: 0,
    });
  });

  it("counts ticks that come too soon after the one before", () => {
    // 300 µs are 0.3 intervals of the one asked for; of 15 ms, 4.5 ms.
    expect(clock(1000, 0, 250, 1250, 1251, 1251, 2251, 2800).sampling.bunched).toBe(3);
    expect(clock(200, 0, 250, 1250, 1290, 1400).sampling.bunched).toBe(1);
    const slow = stepping(1000, true, 15_000, 15_000, 15_000, 15_000, 2000);
    expect(slow).toMatchObject({ bunched: 20 });
    expect(mergeSampling([slow, slow]).bunched).toBe(40);
  });

  it("knows nothing of fewer than two ticks", () => {
    expect(clock(undefined).sampling).toMatchObject({ asked: undefined, got: undefined, span: 0, gaps: 0 });
    expect(clock(1000, 7).sampling).toMatchObject({ got: undefined, span: 0 });
  });

  it("knows that ticks which are all at 0 have no times: they are an interval apart", () => {
    expect(clock(2000, 0, 0, 0, 0).sampling).toMatchObject({ hasTimes: false, span: 6000, gaps: 0 });
    expect(clock(2000, 0, 0, 1).sampling).toMatchObject({ hasTimes: true, span: 1 });
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
    return steppingOn("unknown", asked, hasFrames, ...steps);
  }

  function steppingOn(
    platform: LogPlatform,
    asked: number | undefined,
    hasFrames: boolean,
    ...steps: readonly number[]
  ) {
    const made = new SamplingClock();
    made.platform = platform;
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
    expect(slowSampling(sampling)).toEqual({ asked: 1000, got: 15_625, isWindowsTimer: true });
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
    for (const sampling of [
      steppingOn("linux", 1000, false, 16_000),
      stepping(1000, false, 20_000),
      steppingOn("windows", 1000, false, 2_000_000),
    ]) {
      expect(sampling).toMatchObject({ usual: undefined, longestStep: 10_000, gaps: 100 });
      expect(tickInterval(sampling)).toBe(1000);
    }
  });

  it("takes the step of all ticks where V8 ticks threads that wait, and JavaScript seldom runs", () => {
    const windows = steppingOn("windows", 1000, false, 15_600, 15_650);
    expect(windows).toMatchObject({ usual: 15_600, isUsualOfAll: true, isWindowsTimer: true, gaps: 0 });
    expect(tickInterval(windows)).toBe(15_625);
    expect(stepping(1000, false, 15_600)).toMatchObject({ usual: 15_600, isWindowsTimer: true });
    expect(steppingOn("macos", 1000, false, 1300)).toMatchObject({ usual: 1300, isWindowsTimer: false });
  });

  it("finds sleeps between bursts of ticks of a coarse timer", () => {
    const bursts = steppingOn("windows", 1000, false, 15_600, 3_000_000);
    expect(bursts).toMatchObject({ usual: 15_600, gaps: 50, gapTime: 150e6, longestStep: 160_000 });
  });

  it("says that the timer of Windows is no finer at any interval asked for, and nowhere else", () => {
    const of = (...[platform, asked, step]: [LogPlatform, number, number]) =>
      slowSampling(steppingOn(platform, asked, true, step))?.isWindowsTimer;
    expect(of("windows", 10_000, 15_600)).toBe(true);
    expect(of("windows", 12_000, 15_600)).toBe(true);
    expect(of("windows", 20_000, 31_250)).toBe(true);
    expect(of("windows", 1000, 31_250)).toBe(true);
    expect(of("windows", 1000, 10_010)).toBe(true);
    expect(of("windows", 1000, 5000)).toBe(false);
    expect(of("windows", 15_600, 15_600)).toBeUndefined();
    expect(of("linux", 1000, 15_600)).toBe(false);
    expect(of("macos", 1000, 15_600)).toBe(false);
    const [timer, busy] = [
      steppingOn("windows", 1000, true, 15_600),
      steppingOn("linux", 1000, true, 15_600),
    ];
    expect(slowSampling(mergeSampling([timer, timer]))?.isWindowsTimer).toBe(true);
    expect(slowSampling(mergeSampling([timer, busy]))?.isWindowsTimer).toBe(false);
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
