/**
 * Non-negative integers as base64 of little-endian groups of 7 bits, with the highest bit of a byte set if
 * another byte follows. Small numbers, of which trees and ticks consist, take one byte each.
 */
export type PackedColumn = string;

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
