import { describe, expect, it } from "vitest";
import type { TimeMark } from "../../src/flame-page/time-chart.ts";
import { timeLabels } from "../../src/flame-page/viewport.ts";

/** A mark a tick, a millisecond each; `threads` has the number of marks of each thread. */
function marksOf(...threads: readonly number[]): TimeMark[] {
  let tick = 0;
  return threads.flatMap((count, thread) =>
    Array.from({ length: count }, (_, i) => ({ tick: tick++, micros: i * 1000, thread })),
  );
}

const widthOf = (text: string) => text.length * 6;
const labels = (marks: readonly TimeMark[], start: number, ticks: number, width: number) =>
  timeLabels(marks, { start, ticks }, width, widthOf).map(({ x, text }) => `${text} @${Math.round(x)}`);

describe("the labels of the time axis", () => {
  it("are far enough from each other, and inside the picture", () => {
    expect(labels(marksOf(30), 0, 30, 300)).toEqual(["0 s @0", "9.0 ms @90", "18.0 ms @180"]);
  });

  it("begin with the last mark that is left of the picture", () => {
    expect(labels(marksOf(30), 9.5, 20, 300)[0]).toBe("9.0 ms @0");
  });

  it("have the beginning of each thread, rather than a mark before it", () => {
    expect(labels(marksOf(10, 20), 0, 30, 300)).toEqual(["0 s @0", "▸ 0 s @100", "9.0 ms @190"]);
    expect(labels(marksOf(11, 19), 0, 30, 300)).toEqual(["0 s @0", "▸ 0 s @110", "9.0 ms @200"]);
  });

  it("leave out threads whose labels would overlap", () => {
    expect(labels(marksOf(10, 1, 1, 18), 0, 30, 300)).toEqual(["0 s @0", "▸ 0 s @100", "7.0 ms @190"]);
  });
});
