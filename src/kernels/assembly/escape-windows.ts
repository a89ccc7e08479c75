// Undoes the usual escapes of 16 letters at once, with SIMD: a branch for each of them can hardly be predicted, and a text with
// binary data has one every few letters.

import { BACKSLASH, CARRIAGE_RETURN, LOWER_N, LOWER_X, NEWLINE } from "../../parser/bytes";

/** Letters of a window. */
const WINDOW: u32 = 16;
/** Bits of every other letter. */
const ODD: u32 = 0xaaaaaaaa;
/** For each choice of eight bytes, by its bits: the numbers of the chosen ones, eight bytes. */
const choices: usize = memory.data(256 << 3, 16);

/** The next letter after {@link decodeWindows}, where its unit goes, and where the offset of the next line goes. */
export let nextLetter: usize = 0;
export let nextUnit: usize = 0;
export let nextLine: usize = 0;

if (ASC_FEATURE_SIMD) fillChoices();

/**
 * Decodes windows from a letter on, each of which must end before `end`, to units of a byte, up to the first escape that is
 * not `\\`, `\n` or `\xNN`, or that ends a line with a carriage return or may be longer: `\xff`. Writes up to eight bytes after the
 * last unit. The offset of a line is that from `text`.
 */
export function decodeWindows(at: usize, end: usize, to: usize, line: usize, text: usize): void {
  while (at + WINDOW <= end) {
    const letters = v128.load(at);
    const starts = escapeStarts(maskOf(letters, <u8>BACKSLASH));
    const isDecimal = i8x16.lt_u(i8x16.sub(letters, i8x16.splat(0x30)), i8x16.splat(10));
    const others = i8x16.sub(v128.or(letters, i8x16.splat(0x20)), i8x16.splat(0x61));
    const isOther = i8x16.lt_u(others, i8x16.splat(6));
    const digits: u32 = i8x16.bitmask(v128.or(isDecimal, isOther));
    const values = i8x16.add(v128.and(letters, i8x16.splat(15)), v128.and(isOther, i8x16.splat(9)));
    // A shift of 16 bits, since no value has more than four.
    const bytes = v128.or(i16x8.shl(fromBefore(values), 4), values);

    const feeds = starts & (maskOf(letters, <u8>LOWER_N) >> 1);
    const numbers = starts & (maskOf(letters, <u8>LOWER_X) >> 1) & (digits >> 2) & (digits >> 3);
    const known = feeds | (starts & (maskOf(letters, <u8>BACKSLASH) >> 1)) | numbers;
    const odd = (maskOf(bytes, 0xff) | maskOf(bytes, <u8>CARRIAGE_RETURN)) >> 3;
    const left = (starts & ~known) | (numbers & odd) | (1 << WINDOW);
    const taken: u32 = ctz(left);
    if (taken === 0) break;

    const ofNumbers = v128.bitselect(bytes, letters, lanesOf(numbers << 3));
    const units = v128.bitselect(i8x16.splat(<i8>NEWLINE), ofNumbers, lanesOf(feeds << 1));
    const kept = ~(starts | (numbers << 1) | (numbers << 2)) & ((1 << taken) - 1);
    // Those of a row are all escaped.
    let ends = maskOf(units, <u8>NEWLINE) & kept;
    while (ends !== 0) {
      const before = kept & (ends ^ (ends - 1));
      store<i32>(line, <i32>(to - text) + popcnt(before));
      line += 4;
      ends &= ends - 1;
    }
    const low = kept & 0xff;
    const high = kept >> 8;
    storeChosen(to, units, low);
    to += popcnt(low);
    storeChosen(
      to,
      i8x16.shuffle(units, units, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
      high,
    );
    to += popcnt(high);
    at += taken;
  }
  nextLetter = at;
  nextUnit = to;
  nextLine = line;
}

/**
 * Returns which backslashes begin an escape, of those in a window that begins with none escaped: every other one of a row,
 * beginning with the first. Adding finds the ends of rows; see "Parsing gigabytes of JSON per second", Langdale and Lemire,
 * section 3.1.1.
 */
function escapeStarts(backslashes: u32): u32 {
  return ((((backslashes << 1) | ODD) - backslashes) ^ ODD) & backslashes;
}

/** Returns a bit for each lane that has a value. */
function maskOf(lanes: v128, value: u8): u32 {
  return i8x16.bitmask(i8x16.eq(lanes, i8x16.splat(<i8>value)));
}

/** Returns lanes that are all ones where a bit is set, else all zeros. */
function lanesOf(bits: u32): v128 {
  const both = i16x8.splat(<i16>bits);
  const each = i8x16.shuffle(both, both, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const own = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return i8x16.eq(v128.and(each, own), own);
}

/** Returns for each lane the value of the one before it, and 0 for the first. */
function fromBefore(lanes: v128): v128 {
  const none = i8x16.splat(0);
  return i8x16.shuffle(none, lanes, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

/** Stores the chosen ones of the first eight lanes, without gaps. */
function storeChosen(to: usize, lanes: v128, chosen: u32): void {
  const order = v128.load_zero<u64>(choices + ((<usize>chosen) << 3));
  v128.store_lane<u64>(to, i8x16.swizzle(lanes, order), 0);
}

function fillChoices(): void {
  for (let chosen: u32 = 0; chosen < 256; chosen++) {
    let to = choices + ((<usize>chosen) << 3);
    for (let bits = chosen; bits !== 0; bits &= bits - 1) store<u8>(to++, <u8>ctz(bits));
  }
}
