import fc from "fast-check";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { readRleBitPackedHybrid } from "hyparquet/src/encoding.js";
import { describe, expect, it } from "vitest";
import { Bytes } from "../../../src/exports/growing-bytes.ts";
import { bitWidth, writeDeltas, writeHybrid } from "../../../src/exports/parquet.ts";

function readerOf(bytes: Uint8Array) {
  const copy = bytes.slice();
  return { view: new DataView(copy.buffer), offset: 0 };
}

/** Numbers of a few bits, many of them in runs. */
const RUNS = fc
  .tuple(
    fc.integer({ min: 0, max: 24 }),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 40 })), { maxLength: 30 }),
  )
  .map(([width, runs]) =>
    Int32Array.from(runs.flatMap(([value, length]) => new Array<number>(length).fill(value % 2 ** width))),
  );

describe("writeHybrid", () => {
  it("is read back by hyparquet", () => {
    fc.assert(
      fc.property(RUNS, (values) => {
        const width = bitWidth(values.reduce((most, value) => Math.max(most, value), 0));
        const bytes = new Bytes();
        writeHybrid(bytes, values, values.length, width);
        const read = new Array<number>(values.length).fill(0);
        readRleBitPackedHybrid(readerOf(bytes.written), width, read, bytes.length);
        expect(read).toEqual(Array.from(values));
      }),
    );
  });
});

describe("writeDeltas", () => {
  it("is read back by hyparquet", () => {
    const numbers = fc.oneof(
      fc.nat(300),
      fc.integer(),
      fc.maxSafeNat().map((n) => Math.floor(n / 4)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(numbers, fc.integer({ min: 1, max: 200 })), { maxLength: 400 }),
        (runs) => {
          const bytes = new Bytes();
          const values = runs.flatMap(([value, length]) => new Array<number>(length).fill(value));
          let length = 0;
          const end = Int32Array.from(runs, ([, count]) => {
            length += count;
            return length;
          });
          writeDeltas(
            bytes,
            Float64Array.from(runs, ([value]) => value),
            end,
            runs.length,
          );
          const read = new BigInt64Array(values.length);
          deltaBinaryUnpack(readerOf(bytes.written), values.length, read);
          expect(Array.from(read, Number)).toEqual(values);
        },
      ),
    );
  });
});
