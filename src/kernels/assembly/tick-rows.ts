// Reads plain tick rows: in the layout of Node 4 and later, in lines that end in \n, with only absolute
// frames, at most MAX_DEPTH of them. Stops at any other row and leaves it to the parser. Compiled to
// WebAssembly by AssemblyScript; the host is src/parser/tick-rows.ts.
//
//     tick,0x7f20a1,1042,0,0x0,0,0x7f20a,0x1c40,0x1d88,0x2f10      the tick before, leaf first as V8 writes it
//        tick,0x7f20b9,2051,0,0x0,0,0x3b00,0x1d88,0x2f10           this tick
//                                         ^^^^^^^^^^^^^^ read once, then only compared
//
// Neighbouring ticks share the root side of their stacks, and so the end of their rows.
// Bytes past the end of the input never matter: a row counts only if its newline is before that end, and its
// head contains none.

import {
  FRESH_SHIFT,
  HAS_TOS,
  IS_EXTERNAL,
  MAX_DEPTH,
  NO_STATE,
  STATE_NUMBERS,
  STATE_SHIFT,
  TICK_BUFFER_BYTES,
  TICK_PC,
  TICK_SHARED,
  TICK_TIME,
  TICK_TOS,
} from "../layout";

const LAST_STATE_NUMBER: u64 = STATE_NUMBERS - 1;
const INPUT_BYTES: i32 = 1 << 18;
/** Memory that one tick can take: its head, the top of the stack, and its frames. */
const TICK_BYTES: i32 = TICK_TOS + ((1 + MAX_DEPTH) << 3);
/** Hexadecimal digits that a double always holds exactly. */
const WHOLE_HEX_DIGITS: usize = 13;
const POWERS: usize = memory.data<u32>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000]);
/** Usual length of a field with its comma, as a first guess. */
const USUAL_FIELD: i32 = 15;
/** 1 in each byte. */
const EACH_BYTE: u64 = u64.MAX_VALUE / 255;
/** All bits of every other byte, and of every other pair of bytes. */
const EACH_SECOND_BYTE: u64 = u64.MAX_VALUE / 257;
const EACH_SECOND_PAIR: u64 = u64.MAX_VALUE / 65537;

/** Where the bytes of the log go, and how many fit. Bytes before it may be read, but have no effect. */
export const input: usize = memory.data(INPUT_BYTES + 64, 16) + 32;
export const inputBytes: i32 = INPUT_BYTES;
/** Where the ticks go, as rows/tick-fields.ts lays them out. */
export const fields: usize = memory.data(TICK_BUFFER_BYTES, 16);
/** The VM state of each state number of one byte. */
export const states: usize = memory.data(STATE_NUMBERS);
/** Bytes from the comma before each frame to the end of its row, root first; of new frames, leaf first. */
const offsets: usize = memory.data(MAX_DEPTH << 2, 16);
const freshOffsets: usize = memory.data(MAX_DEPTH << 2, 16);

/** The length in bytes at which V8 cuts rows; 0 if it does not. */
let rowLimit: i32 = 0;
/** Bytes of `fields` in use. */
export let filled: i32 = 0;
/** Rows that the last `read` took, and whether it stopped because there was no more room. */
export let rows: i32 = 0;
export let wasFull: bool = false;
/** Time of the last tick. */
export let timestamp: f64 = 0;

/** The cursor over a row; 0 after an unexpected field. */
let at: usize = 0;
/** The end of the previous row, and the length of its stack in bytes. */
let lastEnd: usize = 0;
let lastLength: i32 = 0;
let depth: i32 = 0;

export function setRowLimit(bytes: i32): void {
  rowLimit = bytes;
}

/** Makes the next tick share nothing with the one before. */
export function forget(): void {
  lastLength = 0;
}

/** Reads plain ticks in `[from, to)` while there is room. Returns the offset of the first row not read. */
export function read(from: usize, to: usize): usize {
  let row = from;
  rows = 0;
  wasFull = false;
  while (row < to) {
    wasFull = filled + TICK_BYTES > TICK_BUFFER_BYTES;
    if (wasFull) break;
    const next = readRow(row, to);
    if (next === 0) break;
    row = next;
    rows++;
  }
  return row;
}

/** Reads the row at `row`. Returns the offset of the next row, or 0 if it is not a plain tick. */
function readRow(row: usize, to: usize): usize {
  if (load<u32>(row) !== 0x6b636974 || load<u8>(row, 4) !== 0x2c) return 0; // tick,
  at = row + 5;
  const pc = hexField();
  const time = decimalField();
  const external = decimalField();
  const top = hexField();
  const number = decimal();
  if (at === 0 || number > LAST_STATE_NUMBER) return 0;
  const state = <u32>load<u8>(states + <usize>number);
  if (state === NO_STATE) return 0;
  const start = at;
  const end = lineEnd(start, to);
  if (end === 0 || (rowLimit > 0 && <i32>(end - row) >= rowLimit)) return 0;

  const shared = sharedFrames(start, end);
  const head = fields + <usize>filled;
  const frames = head + (top === 0 ? TICK_TOS : TICK_TOS + 8);
  const fresh = readFrames(start, end, shared, frames);
  if (fresh < 0) return 0;
  const flags = (external === 1 ? IS_EXTERNAL : 0) | (top === 0 ? 0 : HAS_TOS);
  store<u32>(head, flags | (state << STATE_SHIFT) | ((<u32>fresh) << FRESH_SHIFT));
  store<i32>(head, shared, TICK_SHARED);
  store<f64>(head, pc, TICK_PC);
  timestamp = <f64>time;
  store<f64>(head, timestamp, TICK_TIME);
  if (top !== 0) store<f64>(head, top, TICK_TOS);
  filled = <i32>(frames - fields) + (fresh << 3);
  depth = shared + fresh;
  lastEnd = end;
  lastLength = <i32>(end - start);
  return end + 1;
}

/** Returns how many frames, from the root on, have the same text as in the previous row. */
function sharedFrames(start: usize, end: usize): i32 {
  const limit = min(lastLength, <i32>(end - start));
  let same = 0;
  while (same < limit) {
    const difference = load<u64>(end - same - 8) ^ load<u64>(lastEnd - same - 8);
    if (difference !== 0) {
      same += <i32>(clz(difference) >> 3);
      break;
    }
    same += 8;
  }
  same = min(same, limit);
  // A field counts only if all of it matches, including the comma before it.
  let shared = min(depth, same / USUAL_FIELD);
  while (shared < depth && load<i32>(offsets + ((<usize>shared) << 2)) <= same) shared++;
  while (shared > 0 && load<i32>(offsets + ((<usize>(shared - 1)) << 2)) > same) shared--;
  return shared;
}

/**
 * Reads the frames in `[start, end)` except for the `shared` ones at the root, and writes them to `to`, root
 * first. Returns how many there are, or -1 if one is not plain or the stack is too deep.
 */
function readFrames(start: usize, end: usize, shared: i32, to: usize): i32 {
  const stop = shared === 0 ? end : end - load<i32>(offsets + ((<usize>(shared - 1)) << 2));
  const room = MAX_DEPTH - shared;
  let fresh = 0;
  at = start;
  while (at < stop) {
    if (fresh === room || load<u8>(at) !== 0x2c) return -1;
    store<i32>(freshOffsets + ((<usize>fresh) << 2), <i32>(end - at));
    at++;
    const address = hex();
    if (at === 0) return -1;
    store<f64>(to + ((<usize>fresh) << 3), <f64>address);
    fresh++;
  }
  for (let i = 0, j = fresh - 1; i < j; i++, j--) {
    const leaf = load<f64>(to + ((<usize>i) << 3));
    store<f64>(to + ((<usize>i) << 3), load<f64>(to + ((<usize>j) << 3)));
    store<f64>(to + ((<usize>j) << 3), leaf);
  }
  for (let i = shared, j = fresh - 1; j >= 0; i++, j--) {
    store<i32>(offsets + ((<usize>i) << 2), load<i32>(freshOffsets + ((<usize>j) << 2)));
  }
  return fresh;
}

/** Returns the offset of the newline; 0 if there is none before `to`. */
function lineEnd(from: usize, to: usize): usize {
  let end = from;
  while (end < to) {
    // A byte of this is 0 where there is a newline. The lowest bit set marks the first one.
    const bytes = load<u64>(end) ^ (EACH_BYTE * 0x0a);
    const zeros = (bytes - EACH_BYTE) & ~bytes & (EACH_BYTE << 7);
    if (zeros !== 0) {
      end += <usize>(ctz(zeros) >> 3);
      return end < to ? end : 0;
    }
    end += 8;
  }
  return 0;
}

/** Reads a field `0x…` at the cursor, and the comma after it. */
function hexField(): f64 {
  const value = hex();
  skipComma();
  return value;
}

/** Reads a decimal field at the cursor, and the comma after it. */
function decimalField(): u64 {
  const value = decimal();
  skipComma();
  return value;
}

function skipComma(): void {
  if (at !== 0) at = load<u8>(at) === 0x2c ? at + 1 : 0;
}

// Numbers are read eight bytes at a time. The first byte is the lowest in its word.

/** Reads a number `0x…` at the cursor, in lower case. */
function hex(): f64 {
  if (at === 0 || load<u16>(at) !== 0x7830) {
    at = 0;
    return 0;
  }
  const first = at + 2;
  const word = load<u64>(first);
  const count = fieldBytes(word);
  at = first + count;
  if (count < 8) return <f64>hexDigits(word, count);
  const nextWord = load<u64>(first, 8);
  const more = fieldBytes(nextWord);
  at += more;
  const value = hexDigits(word, 8);
  if (more === 0) return <f64>value;
  const whole = (value << (more << 2)) | hexDigits(nextWord, more);
  // Longer numbers do not end at a comma here, and fail there.
  return more <= WHOLE_HEX_DIGITS - 8 ? <f64>whole : longHex(first, first + 8 + more);
}

/** Reads a decimal number of up to 15 digits at the cursor. */
function decimal(): u64 {
  if (at === 0) return 0;
  const word = load<u64>(at);
  const count = fieldBytes(word);
  const first = at;
  at += count;
  if (count < 8) return decimalDigits(word, count);
  const nextWord = load<u64>(first, 8);
  const more = fieldBytes(nextWord);
  at = more < 8 ? at + more : 0;
  const value = decimalDigits(word, 8);
  return more === 0 ? value : value * load<u32>(POWERS + (more << 2)) + decimalDigits(nextWord, more);
}

/** Returns how many bytes of a word come before the first one below `0`, such as `,` or `\n`. */
function fieldBytes(word: u64): usize {
  const ends = ~((word | (EACH_BYTE << 7)) - EACH_BYTE * 0x30) & (EACH_BYTE << 7);
  return ends === 0 ? 8 : <usize>(ctz(ends) >> 3);
}

/** Parses the first `count` bytes of a word as hexadecimal digits. Sets the cursor to 0 if they are not. */
function hexDigits(word: u64, count: usize): u64 {
  const padding = <u64>(64 - (count << 3));
  // The digits as the last ones of eight bytes, after zeros.
  const digits = word << padding;
  const values = (digits & (EACH_BYTE * 15)) + ((digits >> 6) & EACH_BYTE) * 9;
  const isLetter = ((values + EACH_BYTE * 0x76) >> 7) & EACH_BYTE;
  const expected = values + EACH_BYTE * 0x30 + isLetter * 0x27;
  const isWrong = (((expected ^ digits) >> padding) | (values & (EACH_BYTE * 0xf0))) !== 0;
  if (count === 0 || isWrong) {
    at = 0;
    return 0;
  }
  const pairs = ((values << 4) | (values >> 8)) & EACH_SECOND_BYTE;
  const fours = ((pairs << 8) | (pairs >> 16)) & EACH_SECOND_PAIR;
  return ((fours << 16) | (fours >> 32)) & 0xffffffff;
}

/** Parses the first `count` bytes of a word as decimal digits. Sets the cursor to 0 if they are not. */
function decimalDigits(word: u64, count: usize): u64 {
  const padding = <u64>(64 - (count << 3));
  const digits = word << padding;
  const values = digits & (EACH_BYTE * 15);
  const others = ((values + EACH_BYTE * 0x30) ^ digits) >> padding;
  const isWrong = (others | ((values + EACH_BYTE * 6) & (EACH_BYTE * 16))) !== 0;
  if (count === 0 || isWrong) {
    at = 0;
    return 0;
  }
  const pairs = (values * 10 + (values >> 8)) & EACH_SECOND_BYTE;
  const fours = (pairs * 100 + (pairs >> 16)) & EACH_SECOND_PAIR;
  return (fours * 10000 + (fours >> 32)) & 0xffffffff;
}

/** Returns the value of the hexadecimal digits in `[start, end)`, rounded as in the parser. */
function longHex(start: usize, end: usize): f64 {
  let value: f64 = 0;
  for (let digit = start; digit < end; digit++) {
    const byte = <u32>load<u8>(digit);
    value = value * 16 + <f64>((byte & 15) + (byte >> 6) * 9);
  }
  return value;
}
