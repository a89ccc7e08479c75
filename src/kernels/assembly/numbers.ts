// The numbers of a row, eight bytes at a time. The first byte is the lowest in its word.

/** Hexadecimal digits that a double always holds exactly. */
const WHOLE_HEX_DIGITS: i32 = 13;
const POWERS: usize = memory.data<u32>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000]);
/** 1 in each byte. */
const EACH_BYTE: u64 = u64.MAX_VALUE / 255;
/** All bits of every other byte, and of every other pair of bytes. */
const EACH_SECOND_BYTE: u64 = u64.MAX_VALUE / 257;
const EACH_SECOND_PAIR: u64 = u64.MAX_VALUE / 65537;

/** Where the last number ended; 0 if there was none. */
export let numberEnd: usize = 0;

/** Reads a number `0x…` in lower case, of up to 16 digits. */
export function hex(at: usize): f64 {
  if (load<u16>(at) !== 0x7830) {
    numberEnd = 0;
    return 0;
  }
  const first = at + 2;
  const value = hexOfWords(first);
  const count = <i32>(numberEnd - first);
  return count <= WHOLE_HEX_DIGITS ? <f64>(<i64>value) : longHex(first, numberEnd);
}

/** Parses hexadecimal digits, eight at once. */
function hexOfWords(first: usize): u64 {
  const word = load<u64>(first);
  const count = fieldBytes(word);
  numberEnd = first + count;
  if (count < 8) return hexDigits(word, count);
  const nextWord = load<u64>(first, 8);
  const more = fieldBytes(nextWord);
  numberEnd += more;
  const value = hexDigits(word, 8);
  // A longer number does not end at a comma, and fails there.
  return more === 0 ? value : (value << (more << 2)) | hexDigits(nextWord, more);
}

/** Reads a decimal number of up to 15 digits. */
export function decimal(at: usize): u64 {
  const word = load<u64>(at);
  const count = fieldBytes(word);
  numberEnd = at + count;
  if (count < 8) return decimalDigits(word, count);
  const nextWord = load<u64>(at, 8);
  const more = fieldBytes(nextWord);
  numberEnd = more < 8 ? numberEnd + more : 0;
  const value = decimalDigits(word, 8);
  return more === 0 ? value : value * load<u32>(POWERS + (more << 2)) + decimalDigits(nextWord, more);
}

/** Returns how many bytes of a word come before the first one below `0`, such as `,` or `\n`. */
function fieldBytes(word: u64): usize {
  const ends = ~((word | (EACH_BYTE << 7)) - EACH_BYTE * 0x30) & (EACH_BYTE << 7);
  return ends === 0 ? 8 : <usize>(ctz(ends) >> 3);
}

/** Parses the first `count` bytes of a word as hexadecimal digits. Sets the end to 0 if they are not. */
function hexDigits(word: u64, count: usize): u64 {
  const padding = <u64>(64 - (count << 3));
  // The digits as the last ones of eight bytes, after zeros.
  const digits = word << padding;
  const values = (digits & (EACH_BYTE * 15)) + ((digits >> 6) & EACH_BYTE) * 9;
  const isLetter = ((values + EACH_BYTE * 0x76) >> 7) & EACH_BYTE;
  const expected = values + EACH_BYTE * 0x30 + isLetter * 0x27;
  const isWrong = (((expected ^ digits) >> padding) | (values & (EACH_BYTE * 0xf0))) !== 0;
  if (count === 0 || isWrong) {
    numberEnd = 0;
    return 0;
  }
  const pairs = ((values << 4) | (values >> 8)) & EACH_SECOND_BYTE;
  const fours = ((pairs << 8) | (pairs >> 16)) & EACH_SECOND_PAIR;
  return ((fours << 16) | (fours >> 32)) & 0xffffffff;
}

/** Parses the first `count` bytes of a word as decimal digits. Sets the end to 0 if they are not. */
function decimalDigits(word: u64, count: usize): u64 {
  const padding = <u64>(64 - (count << 3));
  const digits = word << padding;
  const values = digits & (EACH_BYTE * 15);
  const others = ((values + EACH_BYTE * 0x30) ^ digits) >> padding;
  const isWrong = (others | ((values + EACH_BYTE * 6) & (EACH_BYTE * 16))) !== 0;
  if (count === 0 || isWrong) {
    numberEnd = 0;
    return 0;
  }
  const pairs = (values * 10 + (values >> 8)) & EACH_SECOND_BYTE;
  const fours = (pairs * 100 + (pairs >> 16)) & EACH_SECOND_PAIR;
  return (fours * 10000 + (fours >> 32)) & 0xffffffff;
}

/** Returns the value of the hexadecimal digits in `[start, end)`, rounded as in the parser. */
function longHex(start: usize, end: usize): f64 {
  let value: f64 = 0;
  for (let digit = start; digit < end; digit++) {
    const byte = <u32>load<u8>(digit);
    value = value * 16 + <f64>((byte & 15) + (byte >> 6) * 9);
  }
  return value;
}
