// Encodes the columns of a Parquet row group: gathers their numbers, packs them, and compresses that. The host is
// src/exporters/parquet/kernel-pages.ts; what it writes there without a kernel must be the same bytes. Compiled to
// WebAssembly by AssemblyScript.

import { DELTA_BLOCK, DELTA_MINIBLOCKS, GROUP_ROWS, PACKED_GROUPS, SHORTEST_RUN } from "../layout";
import { compress } from "./snappy";

/** A value takes at most 64 bits, with its share of the heads of blocks and runs. */
const PAGE_BYTES: i32 = GROUP_ROWS * 9;
const MINIBLOCK: i32 = DELTA_BLOCK / DELTA_MINIBLOCKS;

// What the host writes, in integers but for the last one: by row, by local frame or stack, by row, by stack, by stack.
export const ids: usize = memory.data(GROUP_ROWS << 2, 16);
export const few: usize = memory.data(GROUP_ROWS << 2, 16);
export const ofRow: usize = memory.data(GROUP_ROWS << 2, 16);
export const ends: usize = memory.data(GROUP_ROWS << 2, 16);
export const wide: usize = memory.data(GROUP_ROWS << 3, 16);

// What the host reads: the page, compressed, and its levels.
export const packed: usize = memory.data(PAGE_BYTES + (PAGE_BYTES >> 2), 16);
export const levels: usize = memory.data(GROUP_ROWS, 16);
export let levelBytes: i32 = 0;
/** The length of the page before it was compressed, and the number of its values. */
export let plainBytes: i32 = 0;
export let present: i32 = 0;

const plain: usize = memory.data(PAGE_BYTES, 16);
/** The rows that are not null, and which they are. */
const kept: usize = memory.data(GROUP_ROWS << 2, 16);
const isKept: usize = memory.data(GROUP_ROWS << 2, 16);
/** The differences of a block, and the widths of its miniblocks. */
const deltas: usize = memory.data(DELTA_BLOCK << 3, 16);

/** Sets the number of each row to that of its frame. */
export function gather(rows: i32): void {
  const bytes = (<usize>rows) << 2;
  for (let at: usize = 0; at < bytes; at += 4) {
    store<i32>(ids + at, load<i32>(few + ((<usize>load<u32>(ofRow + at)) << 2)));
  }
}

/** Sets the number of each row to that of its stack. */
export function spread(stacks: i32): void {
  let at = ids;
  for (let stack = 0; stack < stacks; stack++) {
    const id = load<i32>(few + ((<usize>stack) << 2));
    const end = ids + ((<usize>load<i32>(ends + ((<usize>stack) << 2))) << 2);
    for (; at < end; at += 4) store<i32>(at, id);
  }
}

/** Encodes the numbers of the rows into a dictionary; those below 0 are left out if there are any. Returns the bytes. */
export function numbered(rows: i32, width: i32, hasNull: bool): i32 {
  let values = ids;
  present = rows;
  levelBytes = 0;
  if (hasNull) {
    present = keep(rows);
    levelBytes = <i32>(hybrid(levels, isKept, rows, 1) - levels);
    values = kept;
  }
  store<u8>(plain, width);
  return finish(hybrid(plain + 1, values, present, width));
}

/** Encodes the numbers of the rows, 0 and 1, as booleans. Returns the bytes. */
export function flags(rows: i32): i32 {
  const end = hybrid(plain + 4, ids, rows, 1);
  store<u32>(plain, <u32>(end - plain - 4));
  return finish(end);
}

/** Encodes the integers of the stacks as differences, for all rows. Returns the bytes. */
export function differences(stacks: i32): i32 {
  const length = stacks === 0 ? 0 : endOf(stacks - 1);
  let out = varint(plain, DELTA_BLOCK);
  out = varint(out, DELTA_MINIBLOCKS);
  out = varint(out, length);
  out = zigzag(out, length === 0 ? 0 : load<f64>(wide));
  let at = 0;
  for (let start = 1; start < length; start += DELTA_BLOCK) {
    const stop = min(length, start + DELTA_BLOCK);
    memory.fill(deltas, 0, DELTA_BLOCK << 3);
    let least = Infinity;
    let changes = 0;
    for (; endOf(at) < stop; at++) {
      const value = wide + ((<usize>at) << 3);
      const delta = load<f64>(value, 8) - load<f64>(value);
      store<f64>(deltas + ((<usize>(endOf(at) - start)) << 3), delta);
      if (delta < least) least = delta;
      changes++;
    }
    if (changes < stop - start && least > 0) least = 0;
    if (least !== 0) {
      const end = deltas + ((<usize>(stop - start)) << 3);
      for (let delta = deltas; delta < end; delta += 8) store<f64>(delta, load<f64>(delta) - least);
    }
    out = writeBlock(zigzag(out, least), stop - start);
  }
  return finish(out);
}

function finish(end: usize): i32 {
  plainBytes = <i32>(end - plain);
  return compress(packed, plain, plainBytes);
}

function endOf(stack: i32): i32 {
  return load<i32>(ends + ((<usize>stack) << 2));
}

/** Takes the rows that are not null, notes which they are, and returns how many there are. */
function keep(rows: i32): i32 {
  let out = kept;
  for (let at: usize = 0; at < (<usize>rows) << 2; at += 4) {
    const id = load<i32>(ids + at);
    const flag = (<u32>id >> 31) ^ 1;
    store<u32>(isKept + at, flag);
    store<i32>(out, id);
    out += (<usize>flag) << 2;
  }
  return <i32>((out - kept) >> 2);
}

/** Writes numbers of up to 24 bits in Parquet's hybrid of run lengths and packed bits. Returns where it ends. */
function hybrid(start: usize, values: usize, length: i32, width: i32): usize {
  let out = start;
  const last = values + ((<usize>length) << 2);
  let packedFrom = values;
  let at = values;
  while (at < last) {
    const first = load<u32>(at);
    let end = at + 4;
    while (end < last && load<u32>(end) === first) end += 4;
    const count = <i32>((end - at) >> 2);
    if (count < SHORTEST_RUN) {
      at += SHORTEST_RUN << 2;
      continue;
    }
    if (packedFrom < at) out = writePacked(out, packedFrom, at, width);
    out = varint(out, count * 2);
    for (let shift = 0; shift < width; shift += 8) store<u8>(out++, first >> shift);
    at = end;
    packedFrom = end;
  }
  return packedFrom < last ? writePacked(out, packedFrom, last, width) : out;
}

/** Writes a range of numbers with packed bits; it is filled up with zeros to whole groups. */
function writePacked(start: usize, from: usize, to: usize, width: i32): usize {
  let out = start;
  for (let at = from; at < to; ) {
    const groups = min(PACKED_GROUPS, <i32>(((to - at) >> 2) + SHORTEST_RUN - 1) / SHORTEST_RUN);
    store<u8>(out++, (groups << 1) | 1);
    const end = out + <usize>(groups * width);
    const stop = min(to, at + ((<usize>(groups * SHORTEST_RUN)) << 2));
    if (width <= 8) {
      // All of a group fits 64 bits.
      for (; at + (SHORTEST_RUN << 2) <= stop; at += SHORTEST_RUN << 2) {
        store<u64>(out, packedGroup(at, width));
        out += <usize>width;
      }
    }
    let bits = 0;
    let pending: u64 = 0;
    for (; at < stop; at += 4) {
      pending |= (<u64>load<u32>(at)) << bits;
      bits += width;
      if (bits < 32) continue;
      store<u32>(out, <u32>pending);
      out += 4;
      pending >>= 32;
      bits -= 32;
    }
    for (; out < end; pending >>= 8) store<u8>(out++, <u8>pending);
  }
  return out;
}

/** Returns a group of numbers of up to 8 bits. */
function packedGroup(at: usize, width: i32): u64 {
  const w2 = 2 * width;
  const first = <u64>load<u32>(at) | ((<u64>load<u32>(at, 4)) << width);
  const second = <u64>load<u32>(at, 8) | ((<u64>load<u32>(at, 12)) << width);
  const third = <u64>load<u32>(at, 16) | ((<u64>load<u32>(at, 20)) << width);
  const fourth = <u64>load<u32>(at, 24) | ((<u64>load<u32>(at, 28)) << width);
  return first | (second << w2) | ((third | (fourth << w2)) << (2 * w2));
}

/** Writes the widths of a block's miniblocks, and the numbers in them. */
function writeBlock(start: usize, count: i32): usize {
  let out = start + DELTA_MINIBLOCKS;
  for (let i = 0; i < DELTA_MINIBLOCKS; i++) {
    const from = deltas + ((<usize>(i * MINIBLOCK)) << 3);
    const width = widthOf(from);
    store<u8>(start + <usize>i, width);
    // A miniblock without values has no bytes.
    if (width > 0 && i * MINIBLOCK < count) out = writeMiniblock(out, from, width);
  }
  return out;
}

/** Returns the bits of the largest number of a miniblock. */
function widthOf(from: usize): i32 {
  let largest: f64 = 0;
  for (let i = 0; i < MINIBLOCK; i++) largest = max(largest, load<f64>(from + ((<usize>i) << 3)));
  return 64 - <i32>clz(<u64>largest);
}

/** Writes numbers of up to 56 bits, most of them 0. */
function writeMiniblock(start: usize, from: usize, width: i32): usize {
  const end = start + <usize>((MINIBLOCK * width) >> 3);
  memory.fill(start, 0, end + 8 - start);
  let bit = 0;
  for (let i = 0; i < MINIBLOCK; i++) {
    const delta = <u64>load<f64>(from + ((<usize>i) << 3));
    const at = start + <usize>(bit >> 3);
    if (delta !== 0) store<u64>(at, load<u64>(at) | (delta << (bit & 7)));
    bit += width;
  }
  return end;
}

function varint(start: usize, value: u64): usize {
  let out = start;
  let rest = value;
  for (; rest > 0x7f; rest >>= 7) store<u8>(out++, rest | 0x80);
  store<u8>(out++, rest);
  return out;
}

/** Writes an integer with its sign in the last bit. */
function zigzag(out: usize, value: f64): usize {
  const twice = 2 * value;
  return varint(out, <u64>(value < 0 ? -twice - 1 : twice));
}
