// The yardstick: `node scan.mjs [--newlines] LOG`. Reads LOG in chunks of 1 MiB and does the least that any
// processor of the log has to do: finds every newline and (without --newlines) turns every hexadecimal
// number of the tick rows into a double. The counts and the sum are printed so that no work can be skipped.
import fs from "node:fs";
import { parseArgs } from "node:util";

const CHUNK = 1 << 20;
const NEWLINE = 10;
const COMMA = 44;
const ZERO = 48;
const X = 120;

/** Value of a hexadecimal digit by its character code; 16 for every other byte. */
const DIGIT = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++) DIGIT[value.toString(16).charCodeAt(0)] = value;

/** Counts the newlines of a file. */
function countNewlines(path) {
  const chunk = Buffer.allocUnsafeSlow(CHUNK);
  let newlines = 0;
  readChunks(path, chunk, 0, (end) => {
    const bytes = chunk.subarray(0, end);
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) newlines++;
    return 0;
  });
  return { newlines };
}

/** Counts the newlines of a file and adds up the hexadecimal numbers of its tick rows. */
function decodeTicks(path) {
  const buffer = Buffer.allocUnsafeSlow(2 * CHUNK);
  const result = { newlines: 0, ticks: 0, numbers: 0, sum: 0 };
  /** Inside a row that began in an earlier chunk and is not a tick (a script's source may be megabytes). */
  let skipping = false;
  readChunks(path, buffer, CHUNK, (end) => {
    const bytes = buffer.subarray(0, end);
    let start = 0;
    for (let newline = bytes.indexOf(NEWLINE); newline !== -1; newline = bytes.indexOf(NEWLINE, start)) {
      result.newlines++;
      if (!skipping && isTick(bytes, start)) decodeRow(bytes, start, newline, result);
      skipping = false;
      start = newline + 1;
    }
    skipping ||= end - start >= CHUNK || (end - start >= 5 && !isTick(bytes, start));
    if (skipping) return 0;
    buffer.copyWithin(0, start, end);
    return end - start;
  });
  return result;
}

function isTick(bytes, start) {
  return (
    bytes[start] === 116 && bytes[start + 1] === 105 && bytes[start + 2] === 99 && bytes[start + 4] === COMMA
  );
}

/**
 * Addresses (of 48 bits at most) are put together in two integers of 24 bits: as fast as in one double on
 * Node 20 to 24 and twice as fast on Node 26.
 */
function decodeRow(bytes, start, end, result) {
  let numbers = 0;
  let sum = 0;
  let at = start + 4;
  while (at < end) {
    if (bytes[at] === COMMA && bytes[at + 1] === ZERO && bytes[at + 2] === X) {
      at += 3;
      let high = 0;
      let low = 0;
      let digit = DIGIT[bytes[at] ?? 0] ?? 16;
      while (digit < 16) {
        high = (high << 4) | (low >>> 20);
        low = ((low << 4) | digit) & 0xffffff;
        digit = DIGIT[bytes[++at] ?? 0] ?? 16;
      }
      sum += high * 16777216 + low;
      numbers++;
    } else {
      at++;
    }
  }
  result.ticks++;
  result.numbers += numbers;
  result.sum += sum;
}

/**
 * Reads a file to its end. `take` is told how many bytes of the buffer are filled, and answers how many it
 * has moved to the front and wants to see again.
 * `room` is how many bytes of the buffer may be kept from one call to the next.
 */
function readChunks(path, buffer, room, take) {
  const file = fs.openSync(path, "r");
  let kept = 0;
  for (;;) {
    const length = fs.readSync(file, buffer, kept, Math.min(CHUNK, buffer.length - room), null);
    if (length === 0) break;
    kept = take(kept + length);
  }
  fs.closeSync(file);
}

const { values, positionals } = parseArgs({
  options: { newlines: { type: "boolean", default: false } },
  allowPositionals: true,
});
const path = positionals[0];
if (path === undefined) throw new Error("usage: scan.mjs [--newlines] LOG");
console.log(JSON.stringify(values.newlines ? countNewlines(path) : decodeTicks(path)));
