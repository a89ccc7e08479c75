import * as zlib from "node:zlib";

const POLYNOMIAL = 0xedb88320;
let table: Uint32Array | undefined;

/** Returns the CRC-32 of bytes; `value` is that of the bytes before them. */
export function crc32(bytes: Uint8Array, value = 0): number {
  // Node 20.15, 22.2 and later have it. It is ten times faster.
  const native = (zlib as { crc32?: typeof zlib.crc32 }).crc32;
  return native === undefined ? crc32Here(bytes, value) : native(bytes, value);
}

/** Does the same in JavaScript. */
export function crc32Here(bytes: Uint8Array, value = 0): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
    return rest;
  });
  let rest = ~value;
  for (let i = 0; i < bytes.length; i++) rest = table[(rest ^ bytes[i]!) & 0xff]! ^ (rest >>> 8);
  return ~rest >>> 0;
}
