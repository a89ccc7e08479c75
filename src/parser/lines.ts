import { NEWLINE } from "./bytes.js";

/** Takes one line: `bytes[start..end)` without its newline, valid only until it returns. */
export type LineSink = (bytes: Buffer, start: number, end: number) => void;

/** Told where a line begins: returns where the next one that the sink takes does, past whole lines that it took itself. */
export type LineSkip = (bytes: Buffer, start: number) => number;

/** Cuts chunks of bytes, split anywhere, into lines. Bytes are copied only for lines that span chunks. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #skip: LineSkip;
  /** The pieces of a line whose end has not come yet. */
  #pieces: Buffer[] = [];

  constructor(sink: LineSink, skip: LineSkip = (_, start) => start) {
    this.#sink = sink;
    this.#skip = skip;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#pieces.length > 0) {
      const end = bytes.indexOf(NEWLINE);
      this.#pieces.push(end < 0 ? Buffer.from(bytes) : bytes.subarray(0, end));
      if (end < 0) return;
      const line = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#sink(line, 0, line.length);
      start = end + 1;
    }
    for (;;) {
      start = this.#skip(bytes, start);
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#sink(bytes, start, end);
      start = end + 1;
    }
    // A copy, since the owner of the chunk may use its memory again.
    if (start < bytes.length) this.#pieces.push(Buffer.from(bytes.subarray(start)));
  }

  /** What came after the last newline; empty when the input ended with one. */
  rest(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}
