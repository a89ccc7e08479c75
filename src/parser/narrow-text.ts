import { reaching } from "../profile/columns.js";
import type { LineStarts } from "../profile/line-starts.js";
import { EscapeKernel, hasEscapedEnds } from "./escape-kernel.js";
import { unescapeBytes } from "./escapes.js";

/** How far the text of a long script is decoded, in the memory of its row. */
export interface DecodedText {
  /** Units of the text so far. */
  readonly length: number;
  /** The next letter to decode. */
  readonly at: number;
  /** The lines that begin in the text so far. */
  readonly lines: LineStarts;
  /** Whether the next units take two bytes each. */
  readonly isWide: boolean;
}

/**
 * The text of a long script, as far as its UTF-16 units take one byte each. It is decoded in the memory of its row, since
 * no escape is shorter than what it stands for, and piece by piece, no further than needed.
 */
export class NarrowText {
  /** Undefined until it is needed, if another thread decoded the text so far. */
  #kernel: EscapeKernel | undefined;
  /** The text so far, what is left of escapes, and the letters to decode. */
  readonly #bytes: Buffer<ArrayBuffer>;
  /** Units of the text so far. */
  #length = 0;
  /** The next letter. */
  #at = 0;
  #starts: Int32Array = new Int32Array(64);
  #lines = 1;
  #isWide = false;

  private constructor(bytes: Buffer<ArrayBuffer>, kernel: EscapeKernel | undefined) {
    this.#bytes = bytes;
    this.#kernel = kernel;
  }

  /**
   * Returns the text of a row, whose memory it takes over; undefined if it must be decoded as a whole: because it is short,
   * because V8, which escapes all letters but printable ASCII ones, has not written it, or because there are no kernels.
   */
  static of(row: Uint8Array<ArrayBuffer>): NarrowText | undefined {
    const kernel = EscapeKernel.for(row);
    const bytes = bytesOf(row);
    if (kernel === undefined || !hasEscapedEnds(bytes)) return undefined;
    return new NarrowText(bytes, kernel);
  }

  /** Returns the text of a row that another thread has begun to decode. */
  static resumed(row: Uint8Array<ArrayBuffer>, { length, at, lines, isWide }: DecodedText): NarrowText {
    const text = new NarrowText(bytesOf(row), undefined);
    text.#length = length;
    text.#at = at;
    text.#starts = lines.starts;
    text.#lines = lines.count;
    text.#isWide = isWide;
    return text;
  }

  /** How far it is decoded. */
  get decoded(): DecodedText {
    return { length: this.#length, at: this.#at, lines: this.lines, isWide: this.#isWide };
  }

  /** Decodes a piece. Returns false if there is none left. */
  decodeMore(): boolean {
    if (this.#at >= this.#bytes.length || this.#isWide) return false;
    this.#decodePiece();
    return true;
  }

  /** Decodes the text up to an offset, if it is as long. Returns false if that has a unit of two bytes. */
  decodeTo(offset: number): boolean {
    while (this.#length <= offset && this.decodeMore());
    return this.#length > offset || !this.#isWide;
  }

  /** The lines that begin in what is decoded. */
  get lines(): LineStarts {
    return { starts: this.#starts, count: this.#lines };
  }

  /** Returns a part of what is decoded. Offsets are from 0. */
  slice(start: number, end: number): string {
    return start < end ? this.#bytes.toString("latin1", start, Math.min(end, this.#length)) : "";
  }

  /** Returns the end of what is decoded, from so many units before the last occurrence of a word on; undefined if it has none. */
  endFrom(word: string, before: number): string | undefined {
    const at = this.#bytes.subarray(0, this.#length).lastIndexOf(word, undefined, "latin1");
    return at < 0 ? undefined : this.slice(Math.max(0, at - before), this.#length);
  }

  /** Returns all of the text. */
  whole(): string {
    this.decodeTo(Number.POSITIVE_INFINITY);
    const rest = this.#bytes.subarray(this.#at);
    return this.slice(0, this.#length) + unescapeBytes(rest);
  }

  #decodePiece(): void {
    this.#kernel ??= EscapeKernel.load();
    // Without a kernel, what is left is decoded with the whole.
    const piece = this.#kernel?.decode(this.#bytes, this.#at, this.#length);
    this.#isWide = piece?.isWide ?? true;
    if (piece === undefined || this.#isWide) return;
    const { taken, units, lineStarts } = piece;
    this.#starts = reaching(this.#starts, this.#lines + lineStarts.length);
    this.#starts.set(lineStarts, this.#lines);
    this.#lines += lineStarts.length;
    this.#length += units.copy(this.#bytes, this.#length);
    this.#at += taken;
  }
}

function bytesOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.from(buffer, byteOffset, length);
}
