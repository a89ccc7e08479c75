// Undoes V8's escapes in the text of a script and finds its lines. Such a text can be megabytes long and is read once, often
// before V8 has optimized the same loop in JavaScript. Compiled to WebAssembly by AssemblyScript; the host is
// src/parser/escape-kernel.ts, and src/parser/escapes.ts says what an escape is.

import { BACKSLASH, CARRIAGE_RETURN, LOWER_N, LOWER_U, LOWER_X, NEWLINE } from "../../parser/bytes";
import { ESCAPED_PIECE_BYTES } from "../layout";
import { decodeWindows, nextLetter, nextLine, nextUnit } from "./escape-windows";

/** Length of `\xffffffe4`, the longest escape, in letters. */
const WIDENED_SIZE: usize = 10;
/** Ends a line, as the line separator before it does. */
const PARAGRAPH_SEPARATOR: u32 = 0x2029;
/** Stands for digits that are none: more than any byte, and any two. */
const NO_BYTE: u32 = 1 << 16;

/** Where the host puts ASCII letters. Letters after those that it put have no effect. */
export const input: usize = memory.data(ESCAPED_PIECE_BYTES + 16, 16);
/** Where the text goes: a byte, or two, for each UTF-16 unit. */
export const output: usize = memory.data(ESCAPED_PIECE_BYTES << 1, 16);
/** Letters that the last call took: all, or all before an escape, or a line's end, that the next letters may complete. */
export let taken: i32 = 0;
/** Where the offsets go of the lines that begin after the start of the decoded text, in units, four bytes for each. */
export const lineStarts: usize = memory.data((ESCAPED_PIECE_BYTES >> 1) << 2, 16);
/** How many of them the last call found. */
export let lines: i32 = 0;

/** The value of the escape last read. */
let escaped: u32 = 0;

/**
 * Decodes `count` letters to UTF-16 units, of one byte each or, if `isWide`, of two. Returns their number; -1 if one needs
 * two bytes and has one. `before` is the number of units before them. `isEnd` says that no letters follow. Letters that are
 * not escaped are taken to end no line.
 *
 * Source of what ends one: V8, src/strings/unicode.h, `IsLineTerminatorSequence`.
 */
export function decode(count: i32, before: i32, isEnd: bool, isWide: bool): i32 {
  const end = input + <usize>count;
  let at = input;
  let to = output;
  let line = lineStarts;
  // The escape of the last carriage return.
  let returnAt: usize = 0;
  let returnEnd: usize = 0;
  while (at < end) {
    // What follows a carriage return may belong to its end of a line, and the last letters may be the beginning of an escape.
    if (ASC_FEATURE_SIMD && !isWide && returnEnd !== at) {
      decodeWindows(at, isEnd ? end : end - WIDENED_SIZE, to, line, output - <usize>before);
      at = nextLetter;
      to = nextUnit;
      line = nextLine;
      if (at >= end) break;
    }
    let unit: u32 = load<u8>(at);
    let size: usize = 1;
    if (unit === BACKSLASH) {
      if (!isEnd && end - at < WIDENED_SIZE) break;
      size = escapeSize(at, end);
      unit = escaped;
      const isLineFeed = unit === NEWLINE;
      const isReturn = unit === CARRIAGE_RETURN;
      if (isLineFeed || isReturn || (unit | 1) === PARAGRAPH_SEPARATOR) {
        // `\r\n` ends one line.
        if (isLineFeed && returnEnd === at) line -= 4;
        if (isReturn) {
          returnAt = at;
          returnEnd = at + size;
        }
        store<i32>(line, before + 1 + <i32>(isWide ? (to - output) >> 1 : to - output));
        line += 4;
      }
    }
    if (isWide) {
      store<u16>(to, <u16>unit);
      to += 2;
    } else {
      if (unit > 0xff) return -1;
      store<u8>(to, <u8>unit);
      to++;
    }
    at += size;
  }
  if (returnEnd === at && !isEnd) {
    at = returnAt;
    to -= isWide ? 2 : 1;
    line -= 4;
  }
  taken = <i32>(at - input);
  lines = <i32>((line - lineStarts) >> 2);
  return <i32>(isWide ? (to - output) >> 1 : to - output);
}

/** Returns the length of the escape that begins at a backslash, whose unit is then in `escaped`; 1 if it is none. */
function escapeSize(at: usize, end: usize): usize {
  escaped = BACKSLASH;
  const left = end - at;
  if (left < 2) return 1;
  const letter: u32 = load<u8>(at, 1);
  if (letter === BACKSLASH) return 2;
  if (letter === LOWER_N) {
    escaped = NEWLINE;
    return 2;
  }
  if (letter === LOWER_U) {
    const unit = left < 6 ? NO_BYTE : (byteAt(at + 2) << 8) | byteAt(at + 4);
    if (unit >= NO_BYTE) return 1;
    escaped = unit;
    return 6;
  }
  if (letter !== LOWER_X || left < 4) return 1;
  const value = byteAt(at + 2);
  if (value >= NO_BYTE) return 1;
  escaped = value;
  if (value !== 0xff || left < WIDENED_SIZE) return 4;
  // Node 10 widened a signed char.
  const last = byteAt(at + 8);
  if (byteAt(at + 4) !== 0xff || byteAt(at + 6) !== 0xff || last >= NO_BYTE) return 4;
  escaped = last;
  return WIDENED_SIZE;
}

/** Returns the value of two hexadecimal digits; {@link NO_BYTE} or more if they are none. */
function byteAt(at: usize): u32 {
  return (digit(load<u8>(at)) << 4) | digit(load<u8>(at, 1));
}

/** Without branches: which kind the next digit is can hardly be predicted. */
function digit(letter: u32): u32 {
  const decimal = letter - 0x30;
  const other = (letter | 0x20) - 0x61;
  return select(decimal, select(other + 10, NO_BYTE, other < 6), decimal < 10);
}
