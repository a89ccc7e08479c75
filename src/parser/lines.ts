import { NEWLINE } from "./bytes.js";

/** Takes one line: `bytes[start..end)` without its newline, valid only until it returns. */
export type LineSink = (bytes: Buffer, start: number, end: number) => void;

/** Cuts chunks of bytes, split anywhere, into lines. Bytes are copied only for lines that span chunks. */
export class LineSplitter {
  readonly #sink: LineSink;
  /** The pieces of a line whose end has not come yet. */
  #pieces: Buffer[] = [];

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    let end = bytes.indexOf(NEWLINE);
    if (end >= 0 && this.#pieces.length > 0) {
      this.#pieces.push(bytes.subarray(0, end));
      const line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#sink(line, 0, line.length);
      start = end + 1;
      end = bytes.indexOf(NEWLINE, start);
    }
    while (end >= 0) {
      this.#sink(bytes, start, end);
      start = end + 1;
      end = bytes.indexOf(NEWLINE, start);
    }
    // A copy, since the owner of the chunk may use its memory again.
    if (start < bytes.length) this.#pieces.push(Buffer.from(bytes.subarray(start)));
  }

  /** What came after the last newline; empty when the input ended with one. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
