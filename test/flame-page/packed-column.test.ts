import { describe, expect, it } from "vitest";
import { packColumn } from "../../src/exports/flame/pack.ts";
import { signed, unpackColumn, unsigned } from "../../src/flame-page/page-data.ts";

describe("packed columns", () => {
  it("give back what went in, of any size", () => {
    const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
    const column = packColumn(numbers);
    expect(Array.from(unpackColumn(column))).toEqual(numbers);
    expect(unpackColumn(packColumn([]))).toHaveLength(0);
  });

  it("take a byte for a small number, four characters for three bytes", () => {
    expect(packColumn(Int32Array.from({ length: 300_000 }, (_, i) => i % 128))).toHaveLength(400_000);
    const long = unpackColumn(packColumn(Float64Array.from({ length: 300_000 }, (_, i) => i * 7)));
    expect(long.every((number, i) => number === i * 7)).toBe(true);
  });

  it("take no number that they would change", () => {
    for (const number of [-1, 0.5, Number.NaN, 2 ** 53]) expect(() => packColumn([number])).toThrow();
    expect(() => packColumn(new Int32Array(100_000).fill(-1, 99_999))).toThrow("not a whole number: -1");
  });

  it("have signed steps", () => {
    expect([0, -1, 1, -2, 2].map(unsigned)).toEqual([0, 1, 2, 3, 4]);
    for (const step of [0, -1, 1, -100_000, 100_000]) expect(signed(unsigned(step))).toBe(step);
  });
});
