import { describe, expect, it } from "vitest";
import { IDLE, ticksOverTime } from "../../src/exports/ticks-over-time.ts";
import { SamplingClock } from "../../src/replay/sampling-clock.ts";

const sampling = clockOf(100);

function clockOf(asked: number) {
  const clock = new SamplingClock();
  clock.asked = asked;
  return clock.sampling;
}

function over(times: readonly number[], start = 0): string[] {
  const sample = Int32Array.from(times.keys());
  const columns = { length: times.length, sample, timestamp: Float64Array.from(times) };
  const thread = {
    sampling,
    first: times[0] ?? 0,
    batches: () => [columns].filter(({ length }) => length > 0),
  };
  const texts: string[] = [];
  for (const { length, sample, time } of ticksOverTime(thread, start)) {
    for (let i = 0; i < length; i++) texts.push(`${sample[i] === IDLE ? "-" : sample[i]}@${time[i]}`);
  }
  return texts;
}

describe("ticksOverTime", () => {
  it("has each tick with its time", () => {
    expect(over([500, 600, 700])).toEqual(["0@500", "1@600", "2@700"]);
    expect(over([500, 600], 30)).toEqual(["0@530", "1@630"]);
    expect(over([])).toEqual([]);
  });

  it("marks where a gap of over ten intervals begins and ends", () => {
    expect(over([500, 1500, 2501])).toEqual(["0@500", "1@1500", "-@1600", "-@2401", "2@2501"]);
  });

  it("loses nothing between batches, whatever stands at their ends", () => {
    for (let first = 995; first < 1005; first++) {
      const times = Array.from({ length: 2500 }, (_, i) => i * 100 + (i >= first ? 5000 : 0));
      const all = over(times);
      expect(all.filter((text) => text.startsWith("-"))).toEqual([
        `-@${first * 100}`,
        `-@${first * 100 + 4900}`,
      ]);
      expect(all.filter((text) => !text.startsWith("-"))).toEqual(times.map((time, i) => `${i}@${time}`));
    }
  });
});
