import fc from "fast-check";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { describe, expect, it } from "vitest";
import { Bytes } from "../../../src/exporters/growing-bytes.ts";
import { compress } from "../../../src/exporters/parquet-pages.ts";
import { createRandom } from "../../helpers/random.ts";

function compressed(input: Uint8Array): Uint8Array {
  const bytes = new Bytes(1);
  compress(bytes, input);
  return bytes.written.slice();
}

function expectRoundTrip(input: Uint8Array): void {
  const packed = compressed(input);
  expect(Buffer.from(packed).equals(Buffer.from(snappyCompress(input)))).toBe(true);
  const read = new Uint8Array(input.length);
  // A reader need not have a case for no bytes.
  if (input.length > 0) snappyUncompress(packed, read);
  expect(Buffer.from(read).equals(Buffer.from(input))).toBe(true);
}

describe("compress", () => {
  it("writes what hyparquet-writer writes, and hyparquet reads it", () => {
    const runs = fc.array(
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 30 })),
    );
    fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), runs.map(repeated)), expectRoundTrip));
  });

  it("does so for long inputs, with and without what repeats", () => {
    const random = createRandom(5);
    const noise = Uint8Array.from({ length: 150_000 }, () => random(256));
    const few = Uint8Array.from({ length: 150_000 }, () => random(3));
    for (const input of [noise, few, Buffer.concat([noise.subarray(0, 70_000), noise.subarray(0, 70_000)])]) {
      expectRoundTrip(input);
      expectRoundTrip(input.subarray(1));
    }
    expectRoundTrip(new Uint8Array(100_000));
  });
});

function repeated(runs: readonly (readonly [Uint8Array, number])[]): Uint8Array {
  return Buffer.concat(runs.flatMap(([piece, times]) => new Array<Uint8Array>(times).fill(piece)));
}
