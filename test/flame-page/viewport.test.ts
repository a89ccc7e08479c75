import { describe, expect, it } from "vitest";
import { panBy, reveal, wholeOf, zoomAt } from "../../src/flame-page/viewport.ts";

describe("what is seen", () => {
  it("zooms at a place, and not past the ends", () => {
    expect(zoomAt(wholeOf(100), 100, 50, 2)).toEqual({ start: 25, span: 50 });
    expect(zoomAt({ start: 25, span: 50 }, 100, 25, 2)).toEqual({ start: 25, span: 25 });
    expect(zoomAt({ start: 25, span: 50 }, 100, 75, 0.1)).toEqual({ start: 0, span: 100 });
    expect(zoomAt(wholeOf(100), 100, 0, 1e9).span).toBe(0.25);
  });

  it("moves up to the ends", () => {
    expect(panBy({ start: 10, span: 20 }, 100, 5)).toEqual({ start: 15, span: 20 });
    expect(panBy({ start: 10, span: 20 }, 100, -50)).toEqual({ start: 0, span: 20 });
    expect(panBy({ start: 10, span: 20 }, 100, 500)).toEqual({ start: 80, span: 20 });
  });

  it("moves no more than it must to show a box", () => {
    const view = { start: 10, span: 20 };
    expect(reveal(view, 100, 12, 3)).toBe(view);
    expect(reveal(view, 100, 50, 10)).toEqual({ start: 45, span: 20 });
    expect(reveal(view, 100, 5, 60)).toEqual({ start: 5, span: 60 });
    expect(reveal(wholeOf(100), 100, 50, 1)).toEqual({ start: 40.5, span: 20 });
  });
});
