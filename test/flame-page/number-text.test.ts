import { describe, expect, it } from "vitest";
import { countOf, countText, shareText, timeText, unitNoun } from "../../src/flame-page/number-text.ts";

describe("numbers", () => {
  it("are the same everywhere", () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(["0", "999", "1,000", "1,234,567"]);
    expect([countOf(1, "tick"), countOf(2, "tick")]).toEqual(["1 tick", "2 ticks"]);
  });

  it("are of what a page counts", () => {
    const units = ["tick", "sample", "µs", "byte", "object"] as const;
    expect(units.map(unitNoun)).toEqual(["ticks", "samples", "samples", "memory", "objects"]);
  });

  it("have the digits that tell something", () => {
    const shares = [shareText(1, 1), shareText(759, 1000), shareText(4, 10_000), shareText(1, 1e6)];
    expect(shares).toEqual(["100.0 %", "75.9 %", "0.04 %", "<0.01 %"]);
    expect([shareText(0, 5), shareText(0, 0)]).toEqual(["0 %", "–"]);
  });

  it("of time have units", () => {
    const times = [0, 350, 12_400, 3_210_000, 125_000_000].map(timeText);
    expect(times).toEqual(["0 s", "350 µs", "12.4 ms", "3.21 s", "2:05 min"]);
  });
});
