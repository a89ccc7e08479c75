import { describe, expect, it } from "vitest";
import { panBy, reveal, wholeOf, zoomAt } from "../../src/flame-page/viewport.ts";

describe("what is seen", () => {
  it("zooms at a place, and not past the ends", () => {
    expect(zoomAt(wholeOf(100), 100, 50, 2)).toEqual({ start: 25, ticks: 50 });
    expect(zoomAt({ start: 25, ticks: 50 }, 100, 25, 2)).toEqual({ start: 25, ticks: 25 });
    expect(zoomAt({ start: 25, ticks: 50 }, 100, 75, 0.1)).toEqual({ start: 0, ticks: 100 });
    expect(zoomAt(wholeOf(100), 100, 0, 1e9).ticks).toBe(0.25);
  });

  it("moves up to the ends", () => {
    expect(panBy({ start: 10, ticks: 20 }, 100, 5)).toEqual({ start: 15, ticks: 20 });
    expect(panBy({ start: 10, ticks: 20 }, 100, -50)).toEqual({ start: 0, ticks: 20 });
    expect(panBy({ start: 10, ticks: 20 }, 100, 500)).toEqual({ start: 80, ticks: 20 });
  });

  it("moves no more than it must to show a box", () => {
    const view = { start: 10, ticks: 20 };
    expect(reveal(view, 100, 12, 3)).toBe(view);
    expect(reveal(view, 100, 50, 10)).toEqual({ start: 45, ticks: 20 });
    expect(reveal(view, 100, 5, 60)).toEqual({ start: 5, ticks: 60 });
    expect(reveal(wholeOf(100), 100, 50, 1)).toEqual({ start: 40.5, ticks: 20 });
  });
});
