import { describe, expect, it } from "vitest";
import { mergeSampling, SamplingClock } from "../../src/profile/sampling.ts";

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
      got: (1000 + 1200 + 1000) / 3,
      span: 26_000,
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
});
