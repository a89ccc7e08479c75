// Reads plain tick rows: in the layout of Node 4 and later, in lines that end in \n, with only absolute
// frames, at most MAX_DEPTH of them. Stops at any other row and leaves it to the parser. Compiled to
// WebAssembly by AssemblyScript; the host is src/log/tick-rows.ts.
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
  OPEN_ROW_BYTES,
  STATE_NUMBERS,
  STATE_SHIFT,
  TICK_BUFFER_BYTES,
  TICK_PC,
  TICK_SHARED,
  TICK_TIME,
  TICK_TOS,
} from "../layout";
import { commonEnd, lineEnd } from "./lines";
import { decimal, hex, numberEnd } from "./numbers";

const LAST_STATE_NUMBER: u64 = STATE_NUMBERS - 1;
/** A chunk of the log, and a row that began before it. */
const INPUT_BYTES: i32 = (1 << 18) + OPEN_ROW_BYTES;
/** Memory that one tick can take: its head, the top of the stack, and its frames. */
const TICK_BYTES: i32 = TICK_TOS + ((1 + MAX_DEPTH) << 3);
/** Usual length of a field with its comma, as a first guess. */
const USUAL_FIELD: i32 = 15;

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

/** Bytes that no number begins with. */
const nowhere: usize = memory.data(16);

/** The length in bytes at which V8 cuts rows; 0 if it does not. */
let rowLimit: i32 = 0;
/** Bytes of `fields` in use. */
export let filled: i32 = 0;
/** Rows that the last `read` took, and whether it stopped because there was no more room. */
export let rows: i32 = 0;
export let wasFull: bool = false;
/** Time of the last tick. */
export let timestamp: f64 = 0;

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
  const pc = hex(row + 5);
  const time = decimal(nextField());
  const external = decimal(nextField());
  const top = hex(nextField());
  const number = decimal(nextField());
  const start = numberEnd;
  if (start === 0 || number > LAST_STATE_NUMBER) return 0;
  const state = <u32>load<u8>(states + <usize>number);
  if (state === NO_STATE) return 0;
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
  const same = commonEnd(end, lastEnd, min(lastLength, <i32>(end - start)));
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
  let at = start;
  while (at < stop) {
    if (fresh === room || load<u8>(at) !== 0x2c) return -1;
    store<i32>(freshOffsets + ((<usize>fresh) << 2), <i32>(end - at));
    store<f64>(to + ((<usize>fresh) << 3), hex(at + 1));
    at = numberEnd;
    if (at === 0) return -1;
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

/** Returns where the field after the last number begins. If it does not follow, no number begins there. */
function nextField(): usize {
  return numberEnd !== 0 && load<u8>(numberEnd) === 0x2c ? numberEnd + 1 : nowhere;
}
