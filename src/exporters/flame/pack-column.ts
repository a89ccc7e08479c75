import type { PackedColumn } from "../../flame-page/packed-column.js";

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
  return Buffer.from(bytes.buffer, 0, end).toString("base64");
}
