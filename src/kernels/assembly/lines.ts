// The bytes of lines, eight at a time.

/** 1 in each byte. */
const EACH_BYTE: u64 = u64.MAX_VALUE / 255;

/** Returns the offset of the newline; 0 if there is none before `to`. */
export function lineEnd(from: usize, to: usize): usize {
  let end = from;
  while (end < to) {
    // A byte of this is 0 where there is a newline. The lowest bit set marks the first one.
    const bytes = load<u64>(end) ^ (EACH_BYTE * 0x0a);
    const zeros = (bytes - EACH_BYTE) & ~bytes & (EACH_BYTE << 7);
    if (zeros !== 0) {
      end += <usize>(ctz(zeros) >> 3);
      return end < to ? end : 0;
    }
    end += 8;
  }
  return 0;
}

/** Returns how many of the last `limit` bytes before two offsets are the same. */
export function commonEnd(end: usize, otherEnd: usize, limit: i32): i32 {
  let same = 0;
  while (same < limit) {
    const difference = load<u64>(end - same - 8) ^ load<u64>(otherEnd - same - 8);
    if (difference !== 0) {
      same += <i32>(clz(difference) >> 3);
      break;
    }
    same += 8;
  }
  return min(same, limit);
}
