import type { Bytes } from "./growing-bytes.js";

/** Values that a run-length run pays off for; bit-packed values come in groups of as many. */
const SHORTEST_RUN = 8;
/** Groups in one bit-packed run, whose count then fits one byte. */
const PACKED_GROUPS = 63;
/** Differences in a block, and the miniblocks in it, each with a width of its own. */
const BLOCK = 128;
const MINIBLOCKS = 4;

const MINIBLOCK = BLOCK / MINIBLOCKS;
const WORD = 2 ** 32;
/** Returns the bits of the largest of some numbers from 0 to 2^31. */
export function bitWidth(largest: number): number {
  return 32 - Math.clz32(largest);
}

/**
 * Writes numbers of up to 24 bits in Parquet's hybrid of run lengths and packed bits.
 *
 * Source: Apache Parquet, Encodings.md, "Run Length Encoding / Bit-Packing Hybrid".
 */
export function writeHybrid(out: Bytes, values: Int32Array, length: number, width: number): void {
  let packedFrom = 0;
  let i = 0;
  while (i < length) {
    const first = values[i]!;
    let end = i + 1;
    while (end < length && values[end] === first) end++;
    if (end - i < SHORTEST_RUN) {
      i += SHORTEST_RUN;
      continue;
    }
    if (packedFrom < i) writePacked(out, values, packedFrom, i, width);
    out.varint((end - i) * 2);
    for (let shift = 0; shift < width; shift += 8) out.byte((first >>> shift) & 0xff);
    i = end;
    packedFrom = end;
  }
  if (packedFrom < length) writePacked(out, values, packedFrom, length, width);
}

/** Writes a range of numbers with packed bits; it is filled up with zeros to whole groups. */
function writePacked(out: Bytes, values: Int32Array, from: number, to: number, width: number): void {
  for (let start = from; start < to; start += SHORTEST_RUN * PACKED_GROUPS) {
    const groups = Math.min(PACKED_GROUPS, Math.ceil((to - start) / SHORTEST_RUN));
    out.byte((groups << 1) | 1);
    packBits(out, values, {
      start,
      end: Math.min(to, start + groups * SHORTEST_RUN),
      count: groups * SHORTEST_RUN,
      width,
    });
  }
}

interface PackedRange {
  readonly start: number;
  readonly end: number;
  /** The number of values to write: those behind `end` are zeros. */
  readonly count: number;
  /** Up to 24. */
  readonly width: number;
}

function packBits(out: Bytes, values: Int32Array, { start, end, count, width }: PackedRange): void {
  const bytes = out.room((count * width) / 8 + 4);
  let at = out.length;
  const total = at + (count * width) / 8;
  let bits = 0;
  let pending = 0;
  for (let i = start; i < end; i++) {
    pending |= values[i]! << bits;
    bits += width;
    while (bits >= 8) {
      bytes[at++] = pending;
      pending >>>= 8;
      bits -= 8;
    }
  }
  while (at < total) {
    bytes[at++] = pending;
    pending >>>= 8;
  }
  out.length = total;
}

/**
 * Writes integers of up to 53 bits as differences with packed bits. Each of the first `count` values is there for all
 * entries up to its `end`.
 *
 * Source: Apache Parquet, Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED)".
 */
export function writeDeltas(
  out: Bytes,
  values: Int32Array | Float64Array,
  end: Int32Array,
  count: number,
): void {
  const length = count === 0 ? 0 : end[count - 1]!;
  out.varint(BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(length);
  out.zigzag(length === 0 ? 0 : values[0]!);
  const deltas = new Float64Array(BLOCK);
  let at = 0;
  for (let start = 1; start < length; start += BLOCK) {
    const stop = Math.min(length, start + BLOCK);
    deltas.fill(0);
    let least = Number.POSITIVE_INFINITY;
    let changes = 0;
    for (; end[at]! < stop; at++) {
      const delta = values[at + 1]! - values[at]!;
      deltas[end[at]! - start] = delta;
      if (delta < least) least = delta;
      changes++;
    }
    if (changes < stop - start && least > 0) least = 0;
    if (least !== 0) subtract(deltas, stop - start, least);
    out.zigzag(least);
    writeBlock(out, deltas, stop - start);
  }
}

/** Subtracts a number from the first ones of a block. */
function subtract(deltas: Float64Array, count: number, least: number): void {
  for (let i = 0; i < count; i++) deltas[i]! -= least;
}

/** Writes the widths of a block's miniblocks, and the numbers in them. */
function writeBlock(out: Bytes, deltas: Float64Array, count: number): void {
  const head = out.length;
  for (let start = 0; start < BLOCK; start += MINIBLOCK) out.byte(widthOf(deltas, start));
  for (let i = 0; i < MINIBLOCKS; i++) {
    const width = out.at(head + i);
    const start = i * MINIBLOCK;
    // A miniblock without values has no bytes.
    if (width === 0 || start >= count) continue;
    packDeltas(out, deltas, start, width);
  }
}

/** Returns the bits of the largest number of a miniblock. */
function widthOf(deltas: Float64Array, start: number): number {
  let largest = 0;
  for (let i = start; i < start + MINIBLOCK; i++) if (deltas[i]! > largest) largest = deltas[i]!;
  return largest < WORD ? bitWidth(largest) : 32 + bitWidth(Math.floor(largest / WORD));
}

/** Packs the numbers of a miniblock, of up to 53 bits, most of them 0. */
function packDeltas(out: Bytes, deltas: Float64Array, start: number, width: number): void {
  const size = (MINIBLOCK * width) / 8;
  const bytes = out.room(size);
  const from = out.length;
  bytes.fill(0, from, from + size);
  for (let i = 0; i < MINIBLOCK; i++) {
    let value = deltas[start + i]!;
    for (let bit = i * width; value > 0; ) {
      const room = 8 - (bit & 7);
      bytes[from + (bit >>> 3)]! |= (value % 2 ** room) << (bit & 7);
      value = Math.floor(value / 2 ** room);
      bit += room;
    }
  }
  out.length = from + size;
}
