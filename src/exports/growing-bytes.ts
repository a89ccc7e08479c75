import { reaching } from "../base/columns.js";

const WORD = 2 ** 32;
/** The most bytes of 64 bits in groups of 7. */
const VARINT_BYTES = 10;

/** Bytes that grow. */
export class Bytes {
  length = 0;
  #bytes: Uint8Array;

  constructor(capacity = 1 << 16) {
    this.#bytes = new Uint8Array(capacity);
  }

  clear(): void {
    this.length = 0;
  }

  /** Returns what was written; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  /** Returns an array with room for some more bytes after `length`. */
  room(count: number): Uint8Array {
    this.#bytes = reaching(this.#bytes, this.length + count);
    return this.#bytes;
  }

  byte(value: number): void {
    this.room(1)[this.length++] = value;
  }

  bytes(values: Uint8Array): void {
    this.room(values.length).set(values, this.length);
    this.length += values.length;
  }

  /** Writes an integer below 2^63 in as few groups of 7 bits as it needs; a negative one as 64 bits. */
  varint(value: number): void {
    if (value < 0) {
      this.#negative(value);
      return;
    }
    const bytes = this.room(VARINT_BYTES);
    let at = this.length;
    let rest = value;
    for (; rest >= WORD / 2; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) | 0x80;
    for (; rest > 0x7f; rest >>>= 7) bytes[at++] = rest | 0x80;
    bytes[at++] = rest;
    this.length = at;
  }

  #negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.byte(Number(rest & 0x7fn) | 0x80);
    this.byte(Number(rest));
  }
}
