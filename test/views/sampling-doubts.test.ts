import { describe, expect, it } from "vitest";
import type { Profile } from "../../src/profile/profile.ts";
import type { Sampling } from "../../src/profile/sampling.ts";
import { adviceFor, coverageOf, warningsOf } from "../../src/views/coverage.ts";
import { samplingDoubts, samplingDoubtText } from "../../src/views/sampling-doubts.ts";
import { profileFromStacks } from "../helpers/stacks.ts";
import { profileOverTime } from "../helpers/timed-stacks.ts";

/** A profile of so many ticks with this sampling. */
function sampled(sampling: Partial<Sampling>, ...stacks: readonly string[]): Profile {
  const profile = profileFromStacks(...(stacks.length > 0 ? stacks : new Array<string>(200).fill("js:a")));
  const { info } = profile;
  return { ...profile, info: { ...info, sampling: { ...info.sampling, asked: 1000, ...sampling } } };
}

const textsOf = (profile: Profile) =>
  samplingDoubts(profile).map((doubt) => samplingDoubtText(doubt, (name) => name));

describe("samplingDoubts", () => {
  it("has none for calm logs", () => {
    expect(samplingDoubts(sampled({ span: 200_000, gapTime: 39_000, gaps: 2, bunched: 19 }))).toEqual([]);
    expect(samplingDoubts(profileFromStacks())).toEqual([]);
  });

  it("says which ticks came in bursts", () => {
    expect(textsOf(sampled({ bunched: 50 }))).toEqual([
      "25.0% of the ticks came in bursts, within 0.30 ms of the one before: their times are when V8 wrote them, not when they were taken.",
    ]);
    expect(samplingDoubts(sampled({ bunched: 50, usual: 16_000 }))).toMatchObject([{ within: 4800 }]);
  });

  it("does not say that a thread slept, which may have had no CPU", () => {
    expect(textsOf(sampled({ span: 1_000_000, gapTime: 450_000, gaps: 3 }))).toEqual([
      "No tick came in 45% of the time (0.45 of 1.00 s): the thread slept, or had no CPU.",
    ]);
  });

  it("says that system calls have too many ticks", () => {
    const stacks = [
      ...new Array<string>(180).fill("js:a"),
      ...new Array<string>(20).fill("js:a libc:__write"),
    ];
    expect(textsOf(sampled({}, ...stacks))).toEqual([
      "10.0% of the ticks are in system calls, most in write: these get more ticks than CPU time, so their share is too high.",
    ]);
  });

  it("says how much dependent ticks tell", () => {
    const ticks = Array.from({ length: 1000 }, (_, i) => [i * 1000, i < 500 ? "js:a" : "js:b"] as const);
    const [doubt, ...others] = samplingDoubts(profileOverTime(...ticks));
    expect(others).toEqual([]);
    expect(doubt).toMatchObject({ kind: "dependent-ticks", ticks: 1000 });
    expect(doubt?.kind === "dependent-ticks" && doubt.effective).toBeLessThan(100);
    const mixed = Array.from({ length: 1000 }, (_, i) => [i * 1000, i % 2 === 0 ? "js:a" : "js:b"] as const);
    expect(samplingDoubts(profileOverTime(...mixed))).toEqual([]);
  });

  it("is among the warnings and the advice", () => {
    const profile = sampled({ bunched: 50 });
    expect(warningsOf(profile)).toContainEqual(expect.objectContaining({ kind: "bursts", ticks: 50 }));
    expect(adviceFor(profile, coverageOf(profile)).join()).toContain("25.0% of the ticks came in bursts");
  });
});

describe("advice on a slow sampler", () => {
  const SLOW = { usual: 1700, got: 1700 };
  const adviceOf = (profile: Profile) => adviceFor(profile, coverageOf(profile)).join("\n");

  it("says that percentages hold where they do", () => {
    expect(adviceOf(sampled(SLOW))).toContain("Percentages are still valid, but there are fewer ticks.");
  });

  it("does not say so of few ticks, unknown functions, lost ticks and system calls", () => {
    const calls = [...new Array<string>(150).fill("js:a"), ...new Array<string>(50).fill("js:a libc:read")];
    const unknown = [...new Array<string>(150).fill("js:a"), ...new Array<string>(50).fill("js:a ?")];
    for (const profile of [
      sampled(SLOW, "js:a", "js:b"),
      sampled({ ...SLOW, overflows: 1 }),
      sampled(SLOW, ...calls),
      sampled(SLOW, ...unknown),
    ]) {
      expect(adviceOf(profile)).toContain("There are fewer ticks.");
      expect(adviceOf(profile)).not.toContain("valid");
    }
  });
});

describe("advice on lines", () => {
  it("says which ticks have a caller that lost its line", () => {
    const profile = sampled({});
    const lost = { ...profile, info: { ...profile.info, lostLines: 9 } };
    expect(adviceFor(lost, coverageOf(lost))).toEqual([
      "4.5% of the ticks have a caller without its line: V8 deoptimized it while it called.",
    ]);
  });
});
