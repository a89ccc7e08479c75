import { ROW_BYTES } from "../limits.js";
import { NEWLINE } from "./fields.js";

/** Takes one line: `bytes[start..end)`, without its newline. The bytes are valid only during the call. */
type LineSink = (bytes: Buffer, start: number, end: number) => void;

/**
 * Called at the start of a line. May take whole lines itself; returns the start of the next line for the
 * sink.
 */
type LineSkip = (bytes: Buffer, start: number) => number;

/** Bytes kept of a line that is too long. */
const HEAD_BYTES = 256;
/**
 * Bytes of memory for lines that span chunks: how much is allocated at first, and how much is kept for the
 * next line.
 */
const LEAST_BYTES = 1 << 12;
const KEPT_BYTES = 1 << 20;
/** How many times as much is allocated for a line that outgrows its memory. */
const GROWTH = 2;
/** Bytes by which the memory of a longer line grows, in place: what is not written to takes no room. */
const STEP_BYTES = 1 << 20;
const NO_BYTES = Buffer.alloc(0);

/** Memory that grows in place, as every Node has it that this runs on. The types of Node 20 do not include it. */
type GrowingBuffer = ArrayBuffer & { readonly resizable: boolean; resize(bytes: number): void };
type GrowingBufferClass = new (bytes: number, limits: { readonly maxByteLength: number }) => GrowingBuffer;

interface LineSplitterOptions {
  /** Takes whole lines before the sink does. Default: none. */
  readonly skip?: LineSkip | undefined;
  /** Called with the beginning of a line that is too long, instead of the sink. Default: nothing. */
  readonly onLongLine?: ((head: Buffer) => void) | undefined;
  /** Longest line in bytes. Longer ones are not kept. Default: {@link ROW_BYTES}. */
  readonly limit?: number | undefined;
}

/** Splits chunks of bytes, cut anywhere, into lines. Copies bytes only for lines that span chunks. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #skip: LineSkip;
  readonly #onLongLine: (head: Buffer) => void;
  readonly #limit: number;
  /** The beginning of an unfinished line; only its head if the line is too long. */
  #line: Buffer = NO_BYTES;
  /** Bytes of that line so far. */
  #length = 0;
  /** The memory of the line that the sink takes, if it is not used again. */
  #given: Buffer | undefined;

  constructor(sink: LineSink, { skip, onLongLine, limit = ROW_BYTES }: LineSplitterOptions = {}) {
    this.#sink = sink;
    this.#skip = skip ?? ((_, start) => start);
    this.#onLongLine = onLongLine ?? (() => {});
    this.#limit = limit;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    if (this.#length > 0) {
      const end = bytes.indexOf(NEWLINE);
      this.#keep(bytes, 0, end < 0 ? bytes.length : end);
      if (end < 0) return;
      this.#endLine();
      start = end + 1;
    }
    for (;;) {
      start = this.#skip(bytes, start);
      const end = bytes.indexOf(NEWLINE, start);
      if (end < 0) break;
      if (end - start <= this.#limit) this.#sink(bytes, start, end);
      else this.#onLongLine(bytes.subarray(start, start + HEAD_BYTES));
      start = end + 1;
    }
    this.#keep(bytes, start, bytes.length);
  }

  /** Returns whether the sink may keep the memory of bytes that it was given: the line is alone in it. */
  gives(bytes: Buffer): boolean {
    return bytes === this.#given;
  }

  /** Whether there are bytes after the last newline. */
  get hasRest(): boolean {
    return this.#length > 0;
  }

  /**
   * Returns the bytes after the last newline and forgets them, unless they are none or more than `limit`. They
   * are valid until the next {@link push}, which must begin with them.
   */
  takeRest(limit: number): Buffer | undefined {
    const length = this.#length;
    if (length === 0 || length > limit) return undefined;
    this.#length = 0;
    return this.#line.subarray(0, length);
  }

  /** Copies a part of a line, because the owner of the chunk may reuse its memory. */
  #keep(bytes: Buffer, start: number, end: number): void {
    const before = this.#length;
    if (start === end || before > this.#limit) return;
    const length = before + end - start;
    this.#length = length;
    if (length <= this.#limit) {
      if (length > this.#line.length) this.#reach(length);
      bytes.copy(this.#line, before, start, end);
    } else {
      const isHeadKept = before >= HEAD_BYTES;
      const head = isHeadKept ? [] : [bytes.subarray(start, start + HEAD_BYTES)];
      this.#line = Buffer.concat([this.#line.subarray(0, Math.min(before, HEAD_BYTES)), ...head]);
    }
  }

  /** Makes room for so many bytes of a line. */
  #reach(length: number): void {
    const line = this.#line;
    const memory = line.buffer as GrowingBuffer;
    if (memory.resizable) {
      memory.resize(Math.min(this.#limit, length + STEP_BYTES));
      this.#line = Buffer.from(memory);
      return;
    }
    const growing = length > KEPT_BYTES ? growingBuffer(length + STEP_BYTES, this.#limit) : undefined;
    const bytes = Math.max(Math.min(this.#limit, GROWTH * length), LEAST_BYTES);
    this.#line = growing === undefined ? Buffer.allocUnsafeSlow(bytes) : Buffer.from(growing);
    line.copy(this.#line);
  }

  #endLine(): void {
    const [line, length] = [this.#line, this.#length];
    this.#length = 0;
    if (line.length > KEPT_BYTES || length > this.#limit) this.#line = NO_BYTES;
    this.#given = this.#line === line ? undefined : line;
    if (length > this.#limit) this.#onLongLine(line.subarray(0, HEAD_BYTES));
    else this.#sink(line, 0, length);
    this.#given = undefined;
  }
}

/** Returns memory that grows in place, up to `most` bytes; undefined where there is too little address space for it. */
function growingBuffer(bytes: number, most: number): ArrayBuffer | undefined {
  const Growing = ArrayBuffer as unknown as GrowingBufferClass;
  try {
    return new Growing(Math.min(bytes, most), { maxByteLength: most });
  } catch {
    return undefined;
  }
}
