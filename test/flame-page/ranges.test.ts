import { describe, expect, it } from "vitest";
import {
  ALL_TIME,
  entered,
  left,
  type Ranges,
  shownRange,
  withPicked,
} from "../../src/flame-page/thread-times.ts";

const all = { from: 0, to: 1000 };
const pick = (ranges: Ranges, from: number, to: number) => withPicked(ranges, all, { from, to });

describe("ranges in ranges", () => {
  it("shows what is picked, or else the innermost", () => {
    expect(shownRange(ALL_TIME)).toBeUndefined();
    const outer = entered(pick(ALL_TIME, 100, 900));
    expect(shownRange(outer)).toEqual({ from: 100, to: 900 });
    const inner = pick(outer, 200, 300);
    expect(shownRange(inner)).toEqual({ from: 200, to: 300 });
    expect(shownRange(left(inner))).toEqual({ from: 100, to: 900 });
    expect(left(left(inner))).toEqual(ALL_TIME);
    expect(left(ALL_TIME)).toEqual(ALL_TIME);
    expect(entered(outer)).toEqual(outer);
  });

  it("picks in the innermost range that has a part, and not all of it", () => {
    const two = entered(pick(entered(pick(ALL_TIME, 100, 900)), 200, 300));
    expect(pick(two, 210, 220).within).toHaveLength(2);
    expect(pick(two, 250, 400).within).toEqual([{ from: 100, to: 900 }]);
    expect(pick(two, 50, 400)).toEqual({ within: [], picked: { from: 50, to: 400 } });
    expect(pick(two, 200, 300)).toEqual(two);
    expect(pick(ALL_TIME, -50, 2000)).toEqual(ALL_TIME);
    expect(pick(ALL_TIME, 2000, 3000)).toEqual(ALL_TIME);
  });
});
