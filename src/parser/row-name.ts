import { COMMA } from "./bytes.js";

/** Bytes searched for the name of a row. */
const NAME_LIMIT = 64;

/** What the name of a row looks like, also of types to come. */
export const ROW_NAME = /^[\w:.-]{1,40}$/;

/** Returns the first field of a row, cut if it is longer than any row name. */
export function rowName(bytes: Buffer, start: number, end: number): string {
  const stop = Math.min(end, start + NAME_LIMIT);
  let comma = start;
  while (comma < stop && bytes[comma] !== COMMA) comma++;
  return bytes.toString("latin1", start, comma);
}

/** Returns whether `bytes[start..end)` is a tick row. */
export function isTick(bytes: Buffer, start: number, end: number): boolean {
  return (
    end - start > 5 &&
    bytes[start] === 116 &&
    bytes[start + 1] === 105 &&
    bytes[start + 2] === 99 &&
    bytes[start + 3] === 107 &&
    bytes[start + 4] === COMMA
  );
}
