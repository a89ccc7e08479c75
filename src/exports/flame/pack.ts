import type { PackedColumn } from "../../flame-page/page-data.js";

/** Bytes of the longest number. */
const LONGEST = 8;

/** Packs numbers. They must be integers from 0 to 2^53 - 1. */
export function packColumn(numbers: ArrayLike<number>): PackedColumn {
  const { length } = numbers;
  let bytes = new Uint8Array(length + 64);
  let end = 0;
  for (let i = 0; i < length; i++) {
    if (end + LONGEST > bytes.length) {
      const wider = new Uint8Array(bytes.length * 2);
      wider.set(bytes);
      bytes = wider;
    }
    const number = numbers[i]!;
    // Most are so small: no fraction is, and nothing negative.
    if ((number & 127) === number) bytes[end++] = number;
    else end = putLong(bytes, end, number);
  }
  return Buffer.from(bytes.buffer, 0, end).toString("base64");
}

/** Writes a number of several bytes at `end`. Returns where the next one begins. */
function putLong(bytes: Uint8Array, end: number, number: number): number {
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`not a whole number: ${number}`);
  let at = end;
  let rest = number;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) + 128;
  bytes[at++] = rest;
  return at;
}
