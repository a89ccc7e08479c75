import { isAscii, isUtf8 } from "node:buffer";
import { LAST_CODE_ADDRESS, LAST_POSITION, LAST_TIME, WORD_END } from "../base/limits.js";

/** Bytes that have a meaning in a log. */
const PARENTHESIS = 40;
export const COMMA = 44;
export const QUOTE = 34;
export const ZERO = 48;
const NINE = 57;
export const PLUS = 43;
export const MINUS = 45;
const BACKSLASH = 92;
const LOWER_F = 102;
const LOWER_N = 110;
export const LOWER_O = 111;
export const LOWER_T = 116;
const LOWER_U = 117;
export const LOWER_X = 120;
export const NEWLINE = 10;
export const CARRIAGE_RETURN = 13;

/** The value of each hexadecimal digit, by byte; 255 for any other byte. */
export const HEX_DIGIT: Uint8Array = hexDigits();
/** Length of `\xffffffe4` in UTF-16 units. */
const WIDENED_SIZE = 10;
/** UTF-16 units, or ASCII letters. */
type Units = Uint8Array | Uint16Array;

/** UTF-16 units of a text that are decoded at once. */
const PIECE = 1 << 14;

/**
 * Decodes V8's escapes: `\n`, `\\`, `\x2C`, `\u65e5`, and `\xffffffe4`, which Node 10 writes for `\xe4`
 * because it widens a signed char. Anything else is kept as it is.
 *
 * Source: V8, src/logging/log-file.cc, `LogFile::MessageBuilder::AppendCharacter`.
 */
export function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return unescapeUnits(units, 0, units.length);
}

/** No system has a longer path, even if each byte is escaped. */
const LONGEST_PATH = 1 << 16;
/** Bytes beyond ASCII of a path, and the other escapes that V8 writes in one. */
const PATH_ESCAPES = /(?:\\x(?:f{6})?[89a-f][0-9a-f])+|\\(?:[\\n]|x[0-9a-f]{2}|u[0-9a-f]{4})/gi;
/** The same for Node 10, which leaves backslashes as they are. */
const NODE_10_ESCAPES = /(?:\\xf{6}[89a-f][0-9a-f])+|\\x2C/g;
/** How paths of Windows begin if their backslashes are not escaped: with a drive or a server. */
const UNESCAPED_WINDOWS_PATH = /^(?:[A-Za-z]:\\(?!\\)|\\\\(?!\\))/;
/** What V8 writes if it escapes backslashes: commas, and no other character that can be printed. */
const WRITTEN_ESCAPES = /\\(?:[\\n]|x(?:[01][0-9a-f]|2C|7f|[89a-f][0-9a-f])|u[0-9a-f]{4})/g;

/**
 * Decodes the path of a library. V8 gets it from the system as bytes of UTF-8 and escapes each beyond ASCII:
 * `\xc3\xb6`, and `\xffffffc3\xffffffb6` in Node 10, where a byte is a signed char. Names of scripts and functions are
 * UTF-16 instead, where `\xf6` is a unit: {@link unescapeText}. Node 10 does not escape backslashes, so that `\n` in
 * `C:\new` is no newline. Bytes that are not UTF-8 become a character each.
 *
 * Source: V8, src/logging/log.cc, `SharedLibraryEvent`: `msg << library_path.c_str()`.
 */
export function unescapePath(path: string): string {
  if (path.length > LONGEST_PATH) return unescapeText(path);
  const isUnescaped = UNESCAPED_WINDOWS_PATH.test(path) || path.replace(WRITTEN_ESCAPES, "").includes("\\");
  return path.replace(isUnescaped ? NODE_10_ESCAPES : PATH_ESCAPES, (escapes) => {
    const bytes = Buffer.from(unescapeText(escapes), "latin1");
    return bytes[0]! >= 0x80 && isUtf8(bytes) ? bytes.toString() : unescapeText(escapes);
  });
}

/** Decodes the bytes of a text as {@link unescapeText} does. */
export function unescapeBytes(bytes: Uint8Array<ArrayBuffer>): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!isAscii(text)) return unescapeText(text.toString());
  if (!text.includes(BACKSLASH)) return text.toString("latin1");
  return unescapeUnits(text, 0, text.length);
}

/** Decodes the escapes of UTF-16 units, or of ASCII letters, from `start` up to `end`. */
function unescapeUnits(units: Units, start: number, end: number): string {
  // A script can have millions of escapes, so its units become text many at a time, which takes a byte for each
  // of them unless one needs two.
  const room = Math.min(end - start, PIECE);
  const narrow = Buffer.allocUnsafe(room);
  const wide = Buffer.allocUnsafe(2 * room);
  const pieces: string[] = [];
  for (let at = start; at < end; ) {
    let length = 0;
    let bits = 0;
    for (; length < room && at < end; length++) {
      let unit = units[at++]!;
      if (unit === BACKSLASH) {
        if (at < end && units[at] === LOWER_N) {
          unit = NEWLINE;
          at++;
        } else {
          const size = escapeSize(units, at, end);
          const next = at + size - 1;
          if (size > 2) unit = hexNumber(units, size === WIDENED_SIZE ? next - 2 : at + 1, next);
          at = next;
        }
      }
      narrow[length] = unit;
      wide[2 * length] = unit;
      wide[2 * length + 1] = unit >> 8;
      bits |= unit;
    }
    pieces.push(bits < 256 ? narrow.toString("latin1", 0, length) : wide.toString("utf16le", 0, 2 * length));
  }
  return pieces.length === 1 ? pieces[0]! : pieces.join("");
}

function hexNumber(units: Units, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 16 + HEX_DIGIT[units[at]!]!;
  return value;
}

/**
 * Returns the length of the escape whose backslash is before `at`; 1 if it is not an escape. The caller
 * handles `\n`.
 */
function escapeSize(units: Units, at: number, end: number): number {
  if (at >= end) return 1;
  const letter = units[at]!;
  if (letter === BACKSLASH) return 2;
  if (letter === LOWER_U) return areHexDigits(units, at + 1, end, 4) ? 6 : 1;
  if (letter !== LOWER_X || !areHexDigits(units, at + 1, end, 2)) return 1;
  return isWidened(units, at + 1) && areHexDigits(units, at + 7, end, 2) ? WIDENED_SIZE : 4;
}

/** Returns whether six digits `f` follow, which start a widened number. */
function isWidened(units: Units, at: number): boolean {
  for (let i = at; i < at + 6; i++) if ((units[i]! | 32) !== LOWER_F) return false;
  return true;
}

function areHexDigits(units: Units, at: number, end: number, count: number): boolean {
  if (at + count > end) return false;
  for (let i = at; i < at + count; i++) if ((HEX_DIGIT[units[i]!] ?? 255) === 255) return false;
  return true;
}

function hexDigits(): Uint8Array {
  const table = new Uint8Array(256).fill(255);
  for (let i = 0; i < 10; i++) table[ZERO + i] = i;
  for (let i = 0; i < 6; i++) {
    table[65 + i] = 10 + i;
    table[97 + i] = 10 + i;
  }
  return table;
}

/** Bytes searched for the name of a row. */
const NAME_LIMIT = 64;

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
  /** Whether a text of this row was not valid UTF-8. */
  hasInvalidText = false;
  /** Whether a quoted text of this row had no closing quote. */
  hasOpenQuote = false;

  /** Moves the cursor to the field at `at` of a row that ends at `end`. */
  reset(bytes: Buffer, at: number, end: number): void {
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
    return new Uint8Array(rest); // Not a Buffer, whose memory may be shared with others.
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
