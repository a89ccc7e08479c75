import { describe, expect, it } from "vitest";
import { type ThreadTicks, threadTicks } from "../../src/exports/ticks-over-time.ts";
import { mergeProfiles } from "../../src/profile/merge.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { SampleTableBuilder } from "../../src/profile/sample-table.ts";
import { TimelineBuilder } from "../../src/profile/timeline.ts";
import { onThread, profileOverTime } from "../helpers/timed-stacks.ts";

function listOf({ number, length, first, last, batches }: ThreadTicks) {
  const ticks: [number, number][] = [];
  for (const batch of batches()) {
    for (let i = 0; i < batch.length; i++) ticks.push([batch.sample[i]!, batch.timestamp[i]!]);
  }
  return { number, length, first, last, ticks };
}

/** A profile whose timeline has ticks of samples 0 and 1, which are of two threads. */
function interleaved(builder: TimelineBuilder): Profile {
  const profile = profileOverTime([0, "js:a"]);
  const samples = new SampleTableBuilder();
  for (const thread of [1, 0]) samples.add(1, 0, 2, thread);
  for (const [sample, time] of [
    [0, 30],
    [1, 10],
    [0, 20],
    [1, 40],
  ] as const)
    builder.add(sample, time);
  const threads = [...profile.info.threads, ...profile.info.threads];
  return { ...profile, samples, timeline: builder.finish(), info: { ...profile.info, threads } };
}

describe("threadTicks", () => {
  it("splits and sorts ticks of threads that share a log", () => {
    const expected = [
      {
        number: 0,
        length: 2,
        first: 15,
        last: 45,
        ticks: [
          [1, 15],
          [1, 45],
        ],
      },
      {
        number: 1,
        length: 2,
        first: 27,
        last: 37,
        ticks: [
          [0, 27],
          [0, 37],
        ],
      },
    ];
    expect(threadTicks(interleaved(new TimelineBuilder()), [5, 7]).map(listOf)).toEqual(expected);
  });

  it("streams the ticks of logs with a thread each, which others need not be in order of", () => {
    const one = profileOverTime([10, "js:a"], [20, "js:b"]);
    const two = onThread(profileOverTime([5, "js:b"], [9, "js:c"], [9, "js:b"]), { log: "other.log" });
    const both = mergeProfiles([one, two]);
    const threads = threadTicks(both);
    expect(threads.map(({ length, first, last }) => [length, first, last])).toEqual([
      [2, 10, 20],
      [3, 5, 9],
    ]);
    for (const { batches } of threads)
      for (const { sample } of batches()) expect(sample.buffer).toBe(both.timeline!.sample.buffer);
  });

  it("has no thread without ticks", () => {
    const profile = profileOverTime([0, "js:a"]);
    expect(threadTicks({ ...profile, timeline: new TimelineBuilder() })).toEqual([]);
  });
});
