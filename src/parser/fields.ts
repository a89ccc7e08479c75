import { isUtf8 } from "node:buffer";
import { COMMA, LOWER_X, MINUS, QUOTE, ZERO } from "./bytes.js";

/** The value of a hexadecimal digit by its byte; 255 for every other byte. */
export const HEX_DIGIT: Uint8Array = hexDigits();

/** A cursor over the comma-separated fields of one row. It reads, and says what it could not read. */
export class Row {
  bytes: Buffer = Buffer.alloc(0);
  /** Where the next field starts; `end + 1` after the last one. */
  at = 0;
  /** The first byte past the row. */
  end = 0;
  /** Whether a double quote begins a text that ends at the row's last one, as it does to Node 8. */
  hasQuotes = false;
  /** Whether a text of this row was not valid UTF-8. */
  hasInvalidText = false;

  /** Puts the cursor before the field at `at` of a row that ends at `end`. */
  reset(bytes: Buffer, at: number, end: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.hasInvalidText = false;
  }

  hasMore(): boolean {
    return this.at <= this.end;
  }

  /** Whether the next field is a quoted text. */
  isQuoted(): boolean {
    return this.hasQuotes && this.at < this.end && this.bytes[this.at] === QUOTE;
  }

  /**
   * Whether the next field is an address: `0x…`, or the 16 digits that V8 5.4 to 6.0 writes on Windows.
   */
  isAddress(): boolean {
    const { bytes, at } = this;
    if (at + 1 < this.end && bytes[at] === ZERO && bytes[at + 1] === LOWER_X) return true;
    const end = this.#fieldEnd();
    if (end - at !== 16) return false;
    for (let i = at; i < end; i++) if (HEX_DIGIT[bytes[i]!] === 255) return false;
    return true;
  }

  skip(): void {
    this.at = this.#fieldEnd() + 1;
  }

  /** The next field as an unsigned hexadecimal number with or without `0x`; NaN if it is none. */
  hex(): number {
    const end = this.#fieldEnd();
    let at = this.at;
    this.at = end + 1;
    const { bytes } = this;
    if (end - at > 2 && bytes[at] === ZERO && bytes[at + 1] === LOWER_X) at += 2;
    if (at >= end) return Number.NaN;
    let value = 0;
    for (; at < end; at++) {
      const digit = HEX_DIGIT[bytes[at]!]!;
      if (digit === 255) return Number.NaN;
      value = value * 16 + digit;
    }
    return value;
  }

  /** The next field as a decimal integer; NaN if it is none. */
  integer(): number {
    const end = this.#fieldEnd();
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
    return isNegative ? -value : value;
  }

  /** The next field as text, unescaped; a quoted one without its quotes. */
  text(): string {
    if (this.isQuoted()) return this.#quoted();
    return unescapeText(this.rawText());
  }

  /** The next field as it stands. */
  rawText(): string {
    const end = this.#fieldEnd();
    const text = this.#decode(this.at, end);
    this.at = end + 1;
    return text;
  }

  /** What stands before a comma further on, commas and all; the cursor is past that comma then. */
  textUntil(comma: number): string {
    const text = this.#decode(this.at, comma);
    this.at = comma + 1;
    return text;
  }

  /** All that is left as it stands, commas and all. */
  rest(): string {
    const text = this.#decode(Math.min(this.at, this.end), this.end);
    this.at = this.end + 1;
    return text;
  }

  /**
   * A text of Node 8 and older, which escapes nothing between its quotes. The last quote of the row is its end:
   * no later field of any row has one.
   */
  #quoted(): string {
    const start = this.at + 1;
    let close = this.bytes.lastIndexOf(QUOTE, this.end - 1);
    if (close < start) close = this.end;
    this.at = close + 1 < this.end ? close + 2 : this.end + 1;
    return this.#decode(start, close);
  }

  #decode(start: number, end: number): string {
    const text = this.bytes.toString("utf8", start, end);
    if (text.includes("\ufffd") && !isUtf8(this.bytes.subarray(start, end))) this.hasInvalidText = true;
    return text;
  }

  #fieldEnd(): number {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end && bytes[at] !== COMMA) at++;
    return at;
  }
}

const ESCAPE = /\\(?:n|\\|x[fF]{6}([0-9a-fA-F]{2})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/g;

/**
 * Undoes V8's escapes: `\n`, `\\`, `\x2C`, `\u65e5`, and `\xffffffe4`, by which Node 10 means `\xe4`
 * (it widened a signed char). Anything else stands for itself.
 *
 * Source: V8, src/logging/log-file.cc, `LogFile::MessageBuilder::AppendCharacter`.
 */
export function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (sequence, widened?: string, byte?: string, unit?: string) => {
    if (sequence === "\\n") return "\n";
    if (sequence === "\\\\") return "\\";
    return String.fromCharCode(Number.parseInt(widened ?? byte ?? unit ?? "", 16));
  });
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
