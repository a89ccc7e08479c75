/**
 * Non-negative integers as base64 of little-endian groups of 7 bits, with the highest bit of a byte set if
 * another byte follows. Small numbers, of which trees and ticks consist, take one byte each.
 */
export type PackedColumn = string;

/** Packs the numbers that `at` returns for 0 to `length` - 1. They must be integers from 0 to 2^53 - 1. */
export function packColumn(length: number, at: (index: number) => number): PackedColumn {
  let bytes = new Uint8Array(length + 64);
  let end = 0;
  for (let i = 0; i < length; i++) {
    if (end + 8 > bytes.length) {
      const wider = new Uint8Array(bytes.length * 2);
      wider.set(bytes);
      bytes = wider;
    }
    let rest = at(i);
    if (!Number.isSafeInteger(rest) || rest < 0) throw new Error(`not a whole number: ${rest}`);
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[end++] = (rest % 128) + 128;
    bytes[end++] = rest;
  }
  return base64Of(bytes.subarray(0, end));
}

/** Returns the numbers of a packed column. */
export function unpackColumn(column: PackedColumn): Float64Array {
  const text = atob(column);
  let length = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 128) length++;
  const numbers = new Float64Array(length);
  let number = 0;
  let unit = 1;
  for (let i = 0, n = 0; i < text.length; i++) {
    const byte = text.charCodeAt(i);
    if (byte < 128) {
      numbers[n++] = number + byte * unit;
      number = 0;
      unit = 1;
    } else {
      number += (byte - 128) * unit;
      unit *= 128;
    }
  }
  return numbers;
}

/** Maps a signed number to a non-negative one: 0, -1, 1, -2, 2, … become 0, 1, 2, 3, 4. */
export function unsigned(signed: number): number {
  return signed < 0 ? -2 * signed - 1 : 2 * signed;
}

/** Reverses {@link unsigned}. */
export function signed(unsigned: number): number {
  return unsigned % 2 === 0 ? unsigned / 2 : -(unsigned + 1) / 2;
}

/** A multiple of three, so that the concatenated pieces are the base64 of the whole. */
const PIECE_BYTES = 3 * 8192;

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES)));
  }
  return text;
}
