import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PairNumbers } from "../../src/profile/pair-numbers.ts";

describe("PairNumbers", () => {
  it("numbers pairs in the order in which they come, as a map of texts does", () => {
    const small = fc.integer({ min: -3, max: 12 });
    const any = fc.oneof(small, fc.integer());
    fc.assert(
      fc.property(fc.array(fc.tuple(any, any), { maxLength: 400 }), (pairs) => {
        const numbers = new PairNumbers();
        const known = new Map<string, number>();
        for (const [first, second] of pairs) {
          const key = `${first} ${second}`;
          if (!known.has(key)) known.set(key, known.size);
          expect(numbers.of(first, second)).toBe(known.get(key));
        }
        expect(numbers.length).toBe(known.size);
        const all = Array.from(
          { length: numbers.length },
          (_, i) => `${numbers.firstOf(i)} ${numbers.secondOf(i)}`,
        );
        expect(all).toEqual(Array.from(known.keys()));
      }),
    );
  });
});
