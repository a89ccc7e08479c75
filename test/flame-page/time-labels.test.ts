import { describe, expect, it } from "vitest";
import { timeLabels } from "../../src/flame-page/viewport.ts";

const labels = (start: number, span: number, width: number) =>
  timeLabels({ start, span }, 0, width).map(({ x, text }) => `${text} @${Math.round(x)}`);

describe("the labels of the time axis", () => {
  it("are at round times, evenly spaced and far enough from each other", () => {
    expect(labels(0, 30_000, 300)).toEqual(["0 ms @0", "10 ms @100", "20 ms @200", "30 ms @300"]);
    expect(labels(9_500, 20_000, 300)).toEqual(["10 ms @8", "20 ms @158"]);
    expect(labels(0, 2_000_000, 400)).toEqual([
      "0.0 s @0",
      "0.5 s @100",
      "1.0 s @200",
      "1.5 s @300",
      "2.0 s @400",
    ]);
  });

  it("have the digits that tell them apart, also deep in a long time", () => {
    expect(labels(1_234_000, 300, 300)).toEqual([
      "1.2340 s @0",
      "1.2341 s @100",
      "1.2342 s @200",
      "1.2343 s @300",
    ]);
    expect(labels(100, 3, 300)).toEqual(["0.100 ms @0", "0.101 ms @100", "0.102 ms @200", "0.103 ms @300"]);
    expect(labels(0, 3.6e9, 400)).toEqual(["0 s @0", "16:40 min @111", "33:20 min @222", "50:00 min @333"]);
  });
});
