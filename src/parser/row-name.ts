import { COMMA } from "./bytes.js";

/** Bytes that are looked at for the name of a row. */
const NAME_LIMIT = 64;

/** The first field of a row; longer ones than any row has are cut. */
export function rowName(bytes: Buffer, start: number, end: number): string {
  const stop = Math.min(end, start + NAME_LIMIT);
  let comma = start;
  while (comma < stop && bytes[comma] !== COMMA) comma++;
  return bytes.toString("latin1", start, comma);
}

/** Whether `bytes[start..end)` is the row of a tick. */
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
