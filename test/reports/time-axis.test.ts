import { describe, expect, it } from "vitest";
import { axisLabels, spanText, timeText } from "../../src/reports/time-axis.ts";
import { blocksOf } from "../../src/reports/words.ts";

describe("times", () => {
  it("have the unit that suits them", () => {
    expect([0, 800, 25_000, 9_999_000, 12_500_000].map((time) => timeText(time))).toEqual([
      "0 ms",
      "0.8 ms",
      "25 ms",
      "9999 ms",
      "12.5 s",
    ]);
    expect(timeText(336_638, 0)).toBe("337 ms");
    expect(spanText({ from: 9_500_000, to: 10_500_000 }, 500_000)).toBe("9.5-10.5 s");
    expect(spanText({ from: 99_027, to: 138_597 }, 39_570)).toBe("99-139 ms");
    expect(spanText({ from: 2_500, to: 5_000 }, 2_500)).toBe("2.5-5 ms");
  });

  it("stand over every tenth slice, at round numbers", () => {
    expect(axisLabels({ start: 75_000, width: 25_000, count: 20 })).toEqual({
      unit: "ms",
      labels: "       250       500",
    });
    expect(axisLabels({ start: 10_000_000, width: 500_000, count: 12 })).toEqual({
      unit: "s",
      labels: "10        15",
    });
    expect(axisLabels({ start: 59_457, width: 121_752, count: 12 })).toEqual({
      unit: "ms",
      labels: "59        1277",
    });
  });
});

describe("blocks", () => {
  it("show the least tick, and nothing for none", () => {
    expect(blocksOf([0, 0.01, 1, 4, 8, 9], 8)).toBe(" ▁▁▄██");
    expect(blocksOf([0], 0)).toBe(" ");
  });
});
