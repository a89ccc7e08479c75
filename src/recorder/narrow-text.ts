import { EscapeKernel, hasEscapedEnds } from "../parser/escape-kernel.js";
import { scriptText } from "../parser/rows/script-source.js";
import { reaching } from "../profile/columns.js";
import type { LineStarts } from "./line-starts.js";

/**
 * The text of a long script, as far as its UTF-16 units take one byte each. It is decoded in the memory of its row, since
 * no escape is shorter than what it stands for, and piece by piece, no further than needed.
 */
export class NarrowText {
  readonly #kernel: EscapeKernel;
  /** The text so far, what is left of escapes, and the letters to decode. */
  readonly #bytes: Buffer;
  /** Units of the text so far. */
  #length = 0;
  /** The next letter. */
  #at = 0;
  #starts = new Int32Array(64);
  #lines = 1;
  #isWide = false;

  private constructor(bytes: Buffer, kernel: EscapeKernel) {
    this.#bytes = bytes;
    this.#kernel = kernel;
  }

  /**
   * Returns the text of a row, whose memory it takes over; undefined if it must be decoded as a whole: because it is short,
   * because V8, which escapes all letters but printable ASCII ones, has not written it, or because there are no kernels.
   */
  static of(row: Uint8Array<ArrayBuffer>): NarrowText | undefined {
    const kernel = EscapeKernel.for(row);
    const bytes = Buffer.from(row.buffer, row.byteOffset, row.length);
    if (kernel === undefined || !hasEscapedEnds(bytes)) return undefined;
    return new NarrowText(bytes, kernel);
  }

  /** Decodes the text up to an offset, if it is as long. Returns false if that has a unit of two bytes. */
  decodeTo(offset: number): boolean {
    while (this.#length <= offset && this.#at < this.#bytes.length && !this.#isWide) this.#decodePiece();
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

  /** Returns all of the text. */
  whole(): string {
    this.decodeTo(Number.POSITIVE_INFINITY);
    const rest = this.#bytes.subarray(this.#at) as Buffer<ArrayBuffer>;
    return this.slice(0, this.#length) + scriptText(rest);
  }

  #decodePiece(): void {
    const { taken, units, isWide, lineStarts } = this.#kernel.decode(this.#bytes, this.#at, this.#length);
    this.#isWide = isWide;
    if (isWide) return;
    this.#starts = reaching(this.#starts, this.#lines + lineStarts.length);
    this.#starts.set(lineStarts, this.#lines);
    this.#lines += lineStarts.length;
    this.#length += units.copy(this.#bytes, this.#length);
    this.#at += taken;
  }
}
