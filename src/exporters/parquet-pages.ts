import type { Bytes } from "./growing-bytes.js";

/** Values that a run-length run pays off for; bit-packed values come in groups of as many. */
const SHORTEST_RUN = 8;
/** Groups in one bit-packed run, whose count then fits one byte. */
const PACKED_GROUPS = 63;
/** Differences in a block, and the miniblocks in it, each with a width of its own. */
const DELTA_BLOCK = 128;
const DELTA_MINIBLOCKS = 4;

const BLOCK = DELTA_BLOCK;
const MINIBLOCKS = DELTA_MINIBLOCKS;
const MINIBLOCK = BLOCK / MINIBLOCKS;
const WORD = 2 ** 32;
/** The most bits that fit a word behind up to 7 others. */
const NARROW = 24;

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
  let i = start;
  if (width === 1) {
    for (; i + 8 <= end; i += 8) {
      bytes[at++] =
        values[i]! |
        (values[i + 1]! << 1) |
        (values[i + 2]! << 2) |
        (values[i + 3]! << 3) |
        (values[i + 4]! << 4) |
        (values[i + 5]! << 5) |
        (values[i + 6]! << 6) |
        (values[i + 7]! << 7);
    }
  }
  let bits = 0;
  let pending = 0;
  for (; i < end; i++) {
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
    if (width <= NARROW) packNarrow(out, deltas, start, width);
    else packWide(out, deltas, start, width);
  }
}

/** Returns the bits of the largest number of a miniblock. */
function widthOf(deltas: Float64Array, start: number): number {
  let largest = 0;
  for (let i = start; i < start + MINIBLOCK; i++) if (deltas[i]! > largest) largest = deltas[i]!;
  return largest < WORD ? bitWidth(largest) : 32 + bitWidth(Math.floor(largest / WORD));
}

/** Packs numbers of up to 24 bits, most of them 0. */
function packNarrow(out: Bytes, deltas: Float64Array, start: number, width: number): void {
  const size = (MINIBLOCK * width) / 8;
  const bytes = out.room(size + 4);
  const from = out.length;
  bytes.fill(0, from, from + size + 4);
  for (let i = 0, bit = 0; i < MINIBLOCK; i++, bit += width) {
    const delta = deltas[start + i]!;
    if (delta === 0) continue;
    let at = from + (bit >>> 3);
    for (let rest = delta << (bit & 7); rest !== 0; rest >>>= 8) bytes[at++]! |= rest;
  }
  out.length = from + size;
}

function packWide(out: Bytes, deltas: Float64Array, start: number, width: number): void {
  const bytes = out.room((MINIBLOCK * width) / 8);
  let at = out.length;
  let bits = 0;
  let pending = 0;
  for (let i = start; i < start + MINIBLOCK; i++) {
    let value = deltas[i]!;
    for (let left = width; left > 0; ) {
      const taken = Math.min(8 - bits, left);
      pending |= (value % 2 ** taken) << bits;
      value = Math.floor(value / 2 ** taken);
      bits += taken;
      left -= taken;
      if (bits < 8) continue;
      bytes[at++] = pending;
      pending = 0;
      bits = 0;
    }
  }
  out.length = at;
}

const HASH_BITS = 14;
/** A copy reaches back by at most this many bytes. */
const FARTHEST = 0xffff;
/** No match is looked for in the last bytes. */
const MARGIN = 15;
const HASH_FACTOR = 0x1e35a7bd;
/** Copies are at most this long. */
const LONGEST_COPY = 64;

const table = new Int32Array(1 << HASH_BITS);

/**
 * Writes bytes in Snappy's raw format. The result is that of hyparquet-writer's `snappyCompress`, which makes an array
 * for each literal: a table has thousands of columns of row groups.
 *
 * Source: Snappy, format_description.txt; snappy.cc, `CompressFragment`.
 */
export function compress(out: Bytes, input: Uint8Array): void {
  const { length } = input;
  out.varint(length);
  const view = new DataView(input.buffer, input.byteOffset, length);
  const bits = Math.max(0, Math.min(HASH_BITS, 31 - Math.clz32(length)));
  const shift = 32 - bits;
  table.fill(0, 0, 1 << bits);
  let emitted = 0;
  const last = length - MARGIN;
  let at = 1;
  let isOpen = last >= 0;
  while (isOpen) {
    let next = at;
    let candidate = 0;
    // The longer nothing is found, the fewer places are tried.
    for (let skip = 32; ; skip++) {
      at = next;
      next = at + (skip >>> 5);
      if (at > last) {
        isOpen = false;
        break;
      }
      const word = view.getInt32(at, true);
      const hash = Math.imul(word, HASH_FACTOR) >>> shift;
      candidate = table[hash]!;
      table[hash] = at;
      if (at - candidate <= FARTHEST && view.getInt32(candidate, true) === word) break;
    }
    if (!isOpen) break;
    writeLiteral(out, input, emitted, at);
    for (;;) {
      const start = at;
      at += 4;
      for (let from = candidate + 4; at < length && input[at] === input[from]; from++) at++;
      writeCopy(out, start - candidate, at - start);
      emitted = at;
      if (at >= last) {
        isOpen = false;
        break;
      }
      table[Math.imul(view.getInt32(at - 1, true), HASH_FACTOR) >>> shift] = at - 1;
      const word = view.getInt32(at, true);
      const hash = Math.imul(word, HASH_FACTOR) >>> shift;
      candidate = table[hash]!;
      table[hash] = at;
      if (at - candidate > FARTHEST || view.getInt32(candidate, true) !== word) break;
    }
    at++;
  }
  if (emitted < length) writeLiteral(out, input, emitted, length);
}

/** Writes bytes as they are: their number less one, in the tag if it is below 60, and the bytes. */
function writeLiteral(out: Bytes, input: Uint8Array, start: number, end: number): void {
  const count = end - start - 1;
  const bytes = out.room(end - start + 5);
  let at = out.length;
  if (count < 60) {
    bytes[at++] = count << 2;
  } else {
    const size = count < 1 << 8 ? 1 : count < 1 << 16 ? 2 : count < 1 << 24 ? 3 : 4;
    bytes[at++] = (59 + size) << 2;
    for (let i = 0; i < size; i++) bytes[at++] = count >>> (8 * i);
  }
  if (count < LONGEST_COPY) for (let i = start; i < end; i++) bytes[at++] = input[i]!;
  else {
    bytes.set(input.subarray(start, end), at);
    at += end - start;
  }
  out.length = at;
}

function writeCopy(out: Bytes, offset: number, length: number): void {
  let left = length;
  for (; left >= LONGEST_COPY + 4; left -= LONGEST_COPY) writeShortCopy(out, offset, LONGEST_COPY);
  // What is left must not be shorter than 4.
  if (left > LONGEST_COPY) {
    writeShortCopy(out, offset, LONGEST_COPY - 4);
    left -= LONGEST_COPY - 4;
  }
  writeShortCopy(out, offset, left);
}

/** Writes a copy of 4 to 64 bytes. */
function writeShortCopy(out: Bytes, offset: number, length: number): void {
  const bytes = out.room(3);
  if (length < 12 && offset < 2048) {
    bytes[out.length++] = 1 + ((length - 4) << 2) + ((offset >>> 8) << 5);
    bytes[out.length++] = offset;
  } else {
    bytes[out.length++] = 2 + ((length - 1) << 2);
    bytes[out.length++] = offset;
    bytes[out.length++] = offset >>> 8;
  }
}
