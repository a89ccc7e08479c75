import { isUtf8 } from "node:buffer";
import { LAST_CODE_ADDRESS, LAST_POSITION, LAST_TIME, WORD_END } from "../limits.js";
import { COMMA, LOWER_X, MINUS, NINE, PARENTHESIS, QUOTE, ZERO } from "./bytes.js";
import { HEX_DIGIT, unescapeText } from "./escapes.js";

/** How C libraries print a null pointer if not as zeros. */
const NULL_POINTERS: ReadonlySet<string> = new Set(["(nil)", "(null)"]);
const LONGEST_NULL = 6;

/**
 * A cursor over the comma-separated fields of one row. Each method reads the next field, and reports if it
 * cannot.
 */
export class Row {
  bytes: Buffer = Buffer.alloc(0);
  /** Offset of the next field; `end + 1` after the last one. */
  at = 0;
  /** Offset of the first byte past the row. */
  end = 0;
  /** Whether a text may be in double quotes, ending at the last quote of the row. True up to Node 8. */
  hasQuotes = false;
  /** Whether the row is from a V8 too old to write its version. */
  isUnversioned = false;
  /** Whether the memory of `bytes` is not used for other rows, so that a text may stay in it. */
  #isOwn = false;
  /** Whether a text of this row was not valid UTF-8. */
  hasInvalidText = false;
  /** Whether a quoted text of this row had no closing quote. */
  hasOpenQuote = false;

  /**
   * Moves the cursor to the field at `at` of a row that ends at `end`. `isOwn` says that the memory of `bytes` is not used for
   * other rows.
   */
  reset(bytes: Buffer, at: number, end: number, isOwn = false): void {
    this.#isOwn = isOwn;
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.hasInvalidText = false;
    this.hasOpenQuote = false;
  }

  hasMore(): boolean {
    return this.at <= this.end;
  }

  /** Returns whether the next field is a quoted text. */
  isQuoted(): boolean {
    return this.hasQuotes && this.at < this.end && this.bytes[this.at] === QUOTE;
  }

  /** Returns whether the next field begins with `0x`, the prefix of an address, or is a null pointer in words. */
  isMarked(): boolean {
    return this.#isMarkAt(this.at) || isNullPointer(this.bytes, this.at, this.fieldEnd());
  }

  /** Returns whether the field after the next one begins with `0x`. */
  isBeforeMarked(): boolean {
    return this.#isMarkAt(this.fieldEnd() + 1);
  }

  /**
   * Returns whether the next field is an address: `0x…`, or the 16 digits that V8 5.4 to 6.0 writes on
   * Windows. With `areMarked`, only `0x…` counts.
   */
  isAddress(areMarked = false): boolean {
    if (this.isMarked()) return true;
    if (areMarked) return false;
    const { bytes, at } = this;
    const end = this.fieldEnd();
    if (end - at !== 16) return false;
    for (let i = at; i < end; i++) if (HEX_DIGIT[bytes[i]!] === 255) return false;
    return true;
  }

  /** Returns whether the next field is a decimal number and no address. `areMarked` as for {@link isAddress}. */
  isNumber(areMarked = false): boolean {
    const { bytes } = this;
    const end = this.fieldEnd();
    const first = this.at + Number(bytes[this.at] === MINUS);
    for (let i = first; i < end; i++) if (bytes[i]! < ZERO || bytes[i]! > NINE) return false;
    return first < end && !this.isAddress(areMarked);
  }

  /** Returns how many fields come before the first quoted text; -1 if `most` fields have none after them. */
  fieldsBeforeQuote(most: number): number {
    if (!this.hasQuotes) return -1;
    const { at } = this;
    let count = 0;
    while (count <= most && this.hasMore() && !this.isQuoted()) {
      this.skip();
      count++;
    }
    const isFound = count <= most && this.isQuoted();
    this.at = at;
    return isFound ? count : -1;
  }

  skip(): void {
    this.at = this.fieldEnd() + 1;
  }

  /** Reads the next field as {@link hex} does, but returns NaN if it is too high for code. */
  codeAddress(): number {
    const address = this.hex();
    return address <= LAST_CODE_ADDRESS ? address : Number.NaN;
  }

  /**
   * Reads the next field as an unsigned 64-bit hexadecimal number, with or without `0x`, rounded to a double, or
   * as a null pointer, which is 0. Returns NaN if it is neither.
   */
  hex(): number {
    const end = this.fieldEnd();
    let at = this.at;
    this.at = end + 1;
    const { bytes } = this;
    if (end - at > 2 && bytes[at] === ZERO && bytes[at + 1] === LOWER_X) at += 2;
    if (at >= end) return Number.NaN;
    let value = 0;
    for (; at < end; at++) {
      const digit = HEX_DIGIT[bytes[at]!]!;
      if (digit === 255) return isNullPointer(bytes, at, end) ? 0 : Number.NaN;
      value = value * 16 + digit;
    }
    return value <= WORD_END ? value : Number.NaN;
  }

  /**
   * Reads the next field as a position in a script or an index; negative means none. Returns NaN if it is out
   * of range.
   */
  position(): number {
    const value = this.integer();
    return Math.abs(value) <= LAST_POSITION ? value : Number.NaN;
  }

  /** Reads the next field as a time or a size. Returns NaN if it is not one. */
  natural(): number {
    const value = this.integer();
    return value >= 0 && value <= LAST_TIME ? value : Number.NaN;
  }

  /** Reads the next field as a decimal integer that a double holds exactly. Returns NaN if it is not one. */
  integer(): number {
    const end = this.fieldEnd();
    let at = this.at;
    this.at = end + 1;
    const { bytes } = this;
    const isNegative = bytes[at] === MINUS && at < end;
    if (isNegative) at++;
    if (at >= end) return Number.NaN;
    let value = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - ZERO;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
    return isNegative ? -value : value;
  }

  /** Reads the next field as text, unescaped or without its quotes. */
  text(): string {
    if (this.isQuoted()) return this.#quoted();
    return unescapeText(this.rawText());
  }

  /** Reads the next field as written. */
  rawText(): string {
    const end = this.fieldEnd();
    const text = this.#decode(this.at, end);
    this.at = end + 1;
    return text;
  }

  /** Reads up to the comma at offset `comma`, including any commas before it, and moves past it. */
  textUntil(comma: number): string {
    const text = this.#decode(this.at, comma);
    this.at = comma + 1;
    return text;
  }

  /** Reads the rest of the row as written, including commas. */
  rest(): string {
    const text = this.#decode(Math.min(this.at, this.end), this.end);
    this.at = this.end + 1;
    return text;
  }

  /** Reads the rest of the row, including commas: its bytes in memory of their own. */
  restBytes(): Uint8Array<ArrayBuffer> {
    const rest = this.bytes.subarray(Math.min(this.at, this.end), this.end);
    this.at = this.end + 1;
    if (!isUtf8(rest)) this.hasInvalidText = true;
    // Not a Buffer, whose memory may be shared with others.
    return this.#isOwn
      ? new Uint8Array(rest.buffer as ArrayBuffer, rest.byteOffset, rest.length)
      : new Uint8Array(rest);
  }

  /**
   * Reads a quoted text of Node 8 or older, which escapes nothing. The last quote of the row closes it: no
   * later field of any row contains one.
   */
  #quoted(): string {
    const start = this.at + 1;
    let close = this.bytes.lastIndexOf(QUOTE, this.end - 1);
    if (close < start) {
      this.hasOpenQuote = true;
      close = this.end;
    }
    this.at = close + 1 < this.end ? close + 2 : this.end + 1;
    return this.#decode(start, close);
  }

  #decode(start: number, end: number): string {
    const text = this.bytes.toString("utf8", start, end);
    if (text.includes("\ufffd") && !isUtf8(this.bytes.subarray(start, end))) this.hasInvalidText = true;
    return text;
  }

  #isMarkAt(at: number): boolean {
    return at + 1 < this.end && this.bytes[at] === ZERO && this.bytes[at + 1] === LOWER_X;
  }

  /** Returns the offset of the end of the next field. */
  fieldEnd(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end && bytes[at] !== COMMA) at++;
    return at;
  }
}

/**
 * Returns whether `bytes[start..end)` is a null pointer in words, as the C library spells it that V8 5.4 to 6.0
 * lets print addresses: `(nil)` on Linux. Others print zeros, with or without `0x`.
 */
export function isNullPointer(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== PARENTHESIS || end - start > LONGEST_NULL) return false;
  return NULL_POINTERS.has(bytes.toString("latin1", start, end));
}
