import type { Bytes } from "../growing-bytes.js";

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
