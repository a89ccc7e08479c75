// The same as src/exporters/parquet/snappy.ts, step for step.

const HASH_BITS: i32 = 14;
/** A copy reaches back by at most this many bytes. */
const FARTHEST: i32 = 0xffff;
/** No match is looked for in the last bytes. */
const MARGIN: i32 = 15;
const HASH_FACTOR: u32 = 0x1e35a7bd;
/** Copies are at most this long. */
const LONGEST_COPY: i32 = 64;

const table: usize = memory.data(1 << 16, 16);

/** Writes bytes in Snappy's raw format, and returns their number. */
export function compress(start: usize, input: usize, length: i32): i32 {
  let out = start;
  let rest = length;
  for (; rest > 0x7f; rest >>= 7) store<u8>(out++, rest | 0x80);
  store<u8>(out++, rest);
  const bits = max(0, min(HASH_BITS, 31 - <i32>clz(length)));
  const shift = 32 - bits;
  memory.fill(table, 0, (<usize>4) << bits);
  let emitted = 0;
  const last = length - MARGIN;
  let at = 1;
  let isOpen = last >= 0;
  while (isOpen) {
    let next = at;
    let candidate = 0;
    // The longer nothing is found, the fewer places are tried.
    for (let skip = 32; ; skip++) {
      at = next;
      next = at + (skip >> 5);
      if (at > last) {
        isOpen = false;
        break;
      }
      const word = wordAt(input, at);
      const slot = slotOf(word, shift);
      candidate = load<i32>(slot);
      store<i32>(slot, at);
      if (at - candidate <= FARTHEST && wordAt(input, candidate) === word) break;
    }
    if (!isOpen) break;
    out = writeLiteral(out, input + <usize>emitted, at - emitted);
    for (;;) {
      const from = at;
      at = endOfMatch(input, at + 4, candidate + 4, length);
      out = writeCopy(out, from - candidate, at - from);
      emitted = at;
      if (at >= last) {
        isOpen = false;
        break;
      }
      store<i32>(slotOf(wordAt(input, at - 1), shift), at - 1);
      const word = wordAt(input, at);
      const slot = slotOf(word, shift);
      candidate = load<i32>(slot);
      store<i32>(slot, at);
      if (at - candidate > FARTHEST || wordAt(input, candidate) !== word) break;
    }
    at++;
  }
  if (emitted < length) out = writeLiteral(out, input + <usize>emitted, length - emitted);
  return <i32>(out - start);
}

function wordAt(input: usize, at: i32): u32 {
  return load<u32>(input + <usize>at);
}

/** Returns up to where the bytes from two places on are equal; the first of them is farther on. */
function endOfMatch(input: usize, first: i32, second: i32, length: i32): i32 {
  let at = first;
  const back = <usize>(first - second);
  for (; at + 8 <= length; at += 8) {
    const place = input + <usize>at;
    const differs = load<u64>(place) ^ load<u64>(place - back);
    if (differs !== 0) return at + <i32>(ctz(differs) >> 3);
  }
  while (at < length && load<u8>(input + <usize>at) === load<u8>(input + <usize>at - back)) at++;
  return at;
}

function slotOf(word: u32, shift: i32): usize {
  return table + ((<usize>((word * HASH_FACTOR) >> shift)) << 2);
}

/** Writes bytes as they are: their number less one, in the tag if it is below 60, and the bytes. */
function writeLiteral(start: usize, input: usize, length: i32): usize {
  let out = start;
  const count = length - 1;
  if (count < 60) {
    store<u8>(out++, count << 2);
  } else {
    const size = count < 1 << 8 ? 1 : count < 1 << 16 ? 2 : count < 1 << 24 ? 3 : 4;
    store<u8>(out++, (59 + size) << 2);
    for (let i = 0; i < size; i++) store<u8>(out++, count >> (8 * i));
  }
  memory.copy(out, input, length);
  return out + <usize>length;
}

function writeCopy(start: usize, offset: i32, length: i32): usize {
  let out = start;
  let left = length;
  for (; left >= LONGEST_COPY + 4; left -= LONGEST_COPY) out = writeShortCopy(out, offset, LONGEST_COPY);
  // What is left must not be shorter than 4.
  if (left > LONGEST_COPY) {
    out = writeShortCopy(out, offset, LONGEST_COPY - 4);
    left -= LONGEST_COPY - 4;
  }
  return writeShortCopy(out, offset, left);
}

/** Writes a copy of 4 to 64 bytes. */
function writeShortCopy(start: usize, offset: i32, length: i32): usize {
  let out = start;
  if (length < 12 && offset < 2048) {
    store<u8>(out++, 1 + ((length - 4) << 2) + ((offset >> 8) << 5));
    store<u8>(out++, offset);
  } else {
    store<u8>(out++, 2 + ((length - 1) << 2));
    store<u8>(out++, offset);
    store<u8>(out++, offset >> 8);
  }
  return out;
}
