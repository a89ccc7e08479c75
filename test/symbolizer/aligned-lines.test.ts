import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignedLines, type CodePoint } from "../../src/symbolizer/baseline-lines.ts";

/** A call in one of some slots. */
function call(likely: number[], possible: number[] = []): CodePoint {
  return { slots: { likely: [Int32Array.from(likely)], possible: [Int32Array.from(possible)] } };
}

const ANYWHERE: CodePoint = { slots: undefined };

function align(points: readonly CodePoint[], lines: readonly number[]): number[] | undefined {
  const found = alignedLines(points, Int32Array.from(lines));
  return found && Array.from(found);
}

describe("the lines of points in code", () => {
  it("are those of calls with one slot", () => {
    expect(align([call([2])], [1, 2, 3])).toEqual([3]);
  });

  it("are unknown for calls that can be on several lines", () => {
    expect(align([call([1, 2])], [1, 2, 3])).toEqual([0]);
    expect(align([call([1, 2])], [1, 3, 3])).toEqual([3]);
    expect(align([call([1], [2])], [1, 2, 3])).toEqual([0]);
  });

  it("follow from the order of calls of the same function", () => {
    expect(align([call([1, 3]), call([1, 3])], [1, 2, 3, 4])).toEqual([2, 4]);
    expect(align([call([1, 3, 4]), call([2]), call([1, 3, 4])], [1, 2, 3, 4, 5])).toEqual([2, 3, 0]);
  });

  it("follow from their neighbours if all between these is on one line", () => {
    const lines = [1, 2, 3, 3, 3, 4];
    expect(align([call([2]), ANYWHERE, call([4])], lines)).toEqual([3, 3, 3]);
    expect(align([call([1]), ANYWHERE, call([4])], lines)).toEqual([2, 0, 3]);
    expect(align([call([4]), ANYWHERE], lines)).toEqual([3, 0]);
  });

  it("do not follow from slots that nothing speaks for", () => {
    // The second of two calls of one function, of which the text has one.
    expect(align([call([1], [3]), call([1], [3])], [1, 2, 3, 4])).toEqual([2, 0]);
  });

  it("are unknown where a slot has no line", () => {
    expect(align([call([1])], [1, 0])).toEqual([0]);
    expect(align([ANYWHERE], [0, 0])).toEqual([0]);
  });

  it("are none if no order fits", () => {
    expect(align([call([3]), call([1])], [1, 2, 3, 4])).toBeUndefined();
    expect(align([call([1]), call([1])], [1, 2])).toBeUndefined();
  });

  it("are right whatever is known", () => {
    const place = fc.record({
      slot: fc.nat(11),
      others: fc.array(fc.nat(11)),
      isCall: fc.boolean(),
      isLikely: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(place),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 12, maxLength: 12 }),
        (places, lines) => {
          const taken = new Set<number>();
          const truth = places
            .toSorted((a, b) => a.slot - b.slot)
            .filter(({ slot, isCall }) => !isCall || (!taken.has(slot) && taken.add(slot)));
          const points = truth.map(({ slot, others, isCall, isLikely }) => {
            const all = Array.from(new Set([slot, ...others])).sort((a, b) => a - b);
            return isCall ? (isLikely ? call(all) : call([slot], all)) : ANYWHERE;
          });
          const found = align(points, lines);
          expect(found).toBeDefined();
          for (const [i, line] of found!.entries()) if (line > 0) expect(line).toBe(lines[truth[i]!.slot]);
        },
      ),
    );
  });

  it("take linear time", () => {
    const count = 400_000;
    const all = Int32Array.from({ length: count }, (_, i) => i);
    const points = Array.from(
      { length: count },
      (_, i): CodePoint => (i % 2 ? ANYWHERE : { slots: { likely: [all], possible: [] } }),
    );
    expect(alignedLines(points, new Int32Array(count).fill(1))).toHaveLength(count);
  });
});
