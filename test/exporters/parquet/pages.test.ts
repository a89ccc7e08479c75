import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bitWidth } from "../../../src/exporters/parquet/encodings.ts";
import { KernelPages } from "../../../src/exporters/parquet/kernel-pages.ts";
import type { Page, Pages } from "../../../src/exporters/parquet/pages.ts";
import { PlainPages } from "../../../src/exporters/parquet/plain-pages.ts";
import { GROUP_ROWS } from "../../../src/kernels/layout.ts";
import { createRandom } from "../../helpers/random.ts";

const kernel = KernelPages.open()!;
const plain = new PlainPages();

/** Values, each with the number of rows that have it. */
const runs = (values: fc.Arbitrary<number>) =>
  fc.array(fc.tuple(values, fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 60 });

function repeated(pairs: readonly (readonly [number, number])[]): number[] {
  return pairs.flatMap(([value, count]) => new Array<number>(count).fill(value));
}

function copied({ levels, packed, ...page }: Page) {
  return { ...page, levels: levels && Buffer.from(levels), packed: Buffer.from(packed) };
}

function expectSame(encode: (pages: Pages) => Page): void {
  const [one, other] = [copied(encode(kernel)), copied(encode(plain))];
  expect(one.present).toBe(other.present);
  expect(one.unpackedLength).toBe(other.unpackedLength);
  // Far faster than to compare them entry by entry.
  expect(one.packed.equals(other.packed)).toBe(true);
  expect(one.levels?.toString("hex")).toBe(other.levels?.toString("hex"));
}

function expectSameNumbers(ids: ArrayLike<number>, hasNull: boolean): void {
  const width = bitWidth(Array.from(ids).reduce((most, id) => Math.max(most, id), 0));
  expectSame((pages) => {
    pages.ids.set(ids);
    return pages.numbered(ids.length, width, hasNull);
  });
}

function expectSameDifferences(stacks: readonly (readonly [number, number])[]): void {
  let end = 0;
  const ends = stacks.map(([, count]) => {
    end += count;
    return end;
  });
  expectSame((pages) => {
    pages.ends.set(ends);
    pages.wide.set(stacks.map(([value]) => value));
    return pages.differences(stacks.length);
  });
}

describe("KernelPages", () => {
  it("packs numbers as PlainPages does", () => {
    const numbers = fc.integer({ min: 0, max: 23 }).chain((bits) => fc.nat(2 ** bits));
    fc.assert(fc.property(runs(numbers), (pairs) => expectSameNumbers(repeated(pairs), false)));
  });

  it("leaves out the same rows without a value", () => {
    fc.assert(
      fc.property(runs(fc.integer({ min: -1, max: 5 })), (pairs) => expectSameNumbers(repeated(pairs), true)),
    );
    expectSameNumbers([-1, -1, -1], true);
  });

  it("packs flags as PlainPages does", () => {
    fc.assert(
      fc.property(runs(fc.nat(1)), (pairs) => {
        const ids = repeated(pairs);
        expectSame((pages) => {
          pages.ids.set(ids);
          return pages.flags(ids.length);
        });
      }),
    );
  });

  it("packs differences as PlainPages does", () => {
    const numbers = fc.oneof(fc.nat(300), fc.integer(), fc.maxSafeInteger());
    fc.assert(fc.property(runs(numbers), expectSameDifferences));
    expectSameDifferences([]);
    expectSameDifferences([
      [Number.MIN_SAFE_INTEGER, 1],
      [Number.MAX_SAFE_INTEGER, 300],
      [Number.MIN_SAFE_INTEGER, 1],
    ]);
  });

  it("fills whole row groups with the same bytes", () => {
    const random = createRandom(7);
    for (const values of [2, 300, 2 ** 18]) {
      expectSameNumbers(
        Int32Array.from({ length: GROUP_ROWS }, (_, row) => (row % 9 === 0 ? -1 : random(values))),
        true,
      );
    }
    expectSameDifferences(Array.from({ length: GROUP_ROWS }, () => [random(2 ** 30) * 2 ** 22, 1] as const));
  });

  it("gives rows the numbers of their frames and of their stacks", () => {
    for (const pages of [kernel, plain]) {
      pages.few.set([5, -1, 7]);
      pages.ofRow.set([0, 2, 2, 1]);
      pages.gather(4);
      expect(Array.from(pages.ids.subarray(0, 4))).toEqual([5, 7, 7, -1]);
      pages.ends.set([1, 4, 5]);
      pages.spread(3);
      expect(Array.from(pages.ids.subarray(0, 5))).toEqual([5, -1, -1, -1, 7]);
    }
  });
});
