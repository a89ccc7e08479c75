import fc, { type Arbitrary } from "fast-check";
import { type FileBytes, READ_LIMIT } from "../../src/io/regular-file.ts";

/** A change of some bytes. Places are parts of a million of the whole. */
export type Mutation =
  | { readonly op: "flip"; readonly at: number; readonly bit: number }
  | { readonly op: "set"; readonly at: number; readonly byte: number }
  | { readonly op: "delete"; readonly at: number; readonly count: number }
  | { readonly op: "insert"; readonly at: number; readonly text: string }
  | { readonly op: "copy"; readonly from: number; readonly count: number; readonly at: number }
  | { readonly op: "number"; readonly at: number; readonly text: string }
  | { readonly op: "cut"; readonly at: number };

const PARTS = 1_000_000;

/** Numbers on the edges of what types hold, and words that look like numbers. */
export const EDGES: readonly string[] = [
  ...["", "0", "-1", "-0", "1e9", "NaN", "0x", "0x0", "+1", " 1", "00000000000000000000", "2147483647"],
  ...["2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "1".repeat(310)],
  ...["18446744073709551615", "99999999999999999999", "0xffffffffffffffff", "0x7fffffffffff", "f".repeat(40)],
];

const place = fc.nat(PARTS - 1);

/** Any change of bytes, a little one mostly. */
export const mutation: Arbitrary<Mutation> = fc.oneof(
  fc.record({ op: fc.constant("flip" as const), at: place, bit: fc.nat(7) }),
  fc.record({
    op: fc.constant("set" as const),
    at: place,
    byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 10, 13, 34, 44, 92, 48, 120)),
  }),
  fc.record({ op: fc.constant("delete" as const), at: place, count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    op: fc.constant("insert" as const),
    at: place,
    text: fc.oneof(
      fc.string({ maxLength: 12, unit: "binary" }),
      fc.constantFrom("\n", ",", '"', "\r\n", "\\x2C", "\0", "tick,", "\ncode-creation,JS,10,"),
    ),
  }),
  fc.record({
    op: fc.constant("copy" as const),
    from: place,
    count: fc.integer({ min: 1, max: 200 }),
    at: place,
  }),
  fc.record({ op: fc.constant("number" as const), at: place, text: fc.constantFrom(...EDGES) }),
  fc.record({ op: fc.constant("cut" as const), at: place }),
);

/** Changes of bytes of the same number: flips, and others in the place of those that were there. */
export const replacement: Arbitrary<Mutation> = fc.oneof(
  fc.record({ op: fc.constant("flip" as const), at: place, bit: fc.nat(7) }),
  fc.record({ op: fc.constant("set" as const), at: place, byte: fc.nat(255) }),
);

/** The bytes, changed. */
export function mutate(bytes: Buffer, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce(mutateOnce, bytes);
}

/** Where in so many bytes a mutation is. */
function placeOf(length: number, { at }: { readonly at: number }): number {
  return Math.floor((at / PARTS) * length);
}

const DIGITS = /[0-9a-fx]/;

function mutateOnce(bytes: Buffer, mutation: Mutation): Buffer {
  if (bytes.length === 0) return bytes;
  const at = placeOf(bytes.length, mutation);
  const before = bytes.subarray(0, at);
  switch (mutation.op) {
    case "flip": {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << mutation.bit;
      return copy;
    }
    case "set": {
      const copy = Buffer.from(bytes);
      copy[at] = mutation.byte;
      return copy;
    }
    case "delete":
      return Buffer.concat([before, bytes.subarray(at + mutation.count)]);
    case "insert":
      return Buffer.concat([before, Buffer.from(mutation.text), bytes.subarray(at)]);
    case "copy": {
      const from = placeOf(bytes.length, { at: mutation.from });
      return Buffer.concat([before, bytes.subarray(from, from + mutation.count), bytes.subarray(at)]);
    }
    case "number": {
      // The run of digits nearest behind the place becomes another number.
      let start = at;
      while (start < bytes.length && !DIGITS.test(String.fromCharCode(bytes[start]!))) start++;
      let end = start;
      while (end < bytes.length && DIGITS.test(String.fromCharCode(bytes[end]!))) end++;
      return Buffer.concat([bytes.subarray(0, start), Buffer.from(mutation.text), bytes.subarray(end)]);
    }
    case "cut":
      return before;
  }
}

/** A number in a file, put there whatever was there. */
export interface Poke {
  /** As a part of a million of the file, or of its headers. */
  readonly at: number;
  readonly isHeader: boolean;
  readonly width: 1 | 2 | 4 | 8;
  readonly value: number;
}

/** A few such numbers. */
export function pokes(value: Arbitrary<number>): Arbitrary<Poke[]> {
  const width = fc.constantFrom(1 as const, 2 as const, 4 as const, 8 as const);
  return fc.array(fc.record({ at: fc.nat(999_999), isHeader: fc.boolean(), width, value }), { maxLength: 6 });
}

/** Puts the number of a poke at a place, as far as it lies in the file. */
export function poke(bytes: Buffer, { width, value }: Poke, place: number, isBig: boolean): void {
  for (let i = 0; i < width; i++) {
    const target = place + (isBig ? width - 1 - i : i);
    if (target < bytes.length) bytes[target] = Math.floor(value / 256 ** i) % 256;
  }
}

/** Bytes as a file that is read. */
export function fileOf(bytes: Buffer): FileBytes {
  return {
    size: bytes.length,
    read(offset, size) {
      if (!(offset >= 0 && size >= 0 && offset + size <= bytes.length) || size > READ_LIMIT) return undefined;
      return Buffer.from(bytes.subarray(offset, offset + size));
    },
  };
}
