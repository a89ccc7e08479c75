// The bytes of lines, eight at a time, or sixteen where there is SIMD.

/** 1 in each byte. */
const EACH_BYTE: u64 = u64.MAX_VALUE / 255;

/** Returns the offset of the newline; 0 if there is none before `to`. */
export function lineEnd(from: usize, to: usize): usize {
  let end = from;
  while (end < to) {
    if (ASC_FEATURE_SIMD) {
      const newlines = i8x16.bitmask(i8x16.eq(v128.load(end), i8x16.splat(0x0a)));
      if (newlines !== 0) {
        end += ctz(newlines);
        return end < to ? end : 0;
      }
      end += 16;
    } else {
      // A byte of this is 0 where there is a newline. The lowest bit set marks the first one.
      const bytes = load<u64>(end) ^ (EACH_BYTE * 0x0a);
      const zeros = (bytes - EACH_BYTE) & ~bytes & (EACH_BYTE << 7);
      if (zeros !== 0) {
        end += <usize>(ctz(zeros) >> 3);
        return end < to ? end : 0;
      }
      end += 8;
    }
  }
  return 0;
}

/** Returns how many of the last `limit` bytes before two offsets are the same. */
export function commonEnd(end: usize, otherEnd: usize, limit: i32): i32 {
  let same = 0;
  while (same < limit) {
    if (ASC_FEATURE_SIMD) {
      const isSame = i8x16.eq(v128.load(end - same - 16), v128.load(otherEnd - same - 16));
      const different = ~i8x16.bitmask(isSame) << 16;
      if (different !== 0) {
        same += clz(different);
        break;
      }
      same += 16;
    } else {
      const difference = load<u64>(end - same - 8) ^ load<u64>(otherEnd - same - 8);
      if (difference !== 0) {
        same += <i32>(clz(difference) >> 3);
        break;
      }
      same += 8;
    }
  }
  return min(same, limit);
}
