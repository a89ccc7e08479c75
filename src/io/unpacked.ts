import type { Transform } from "node:stream";
import type { CompressionDiagnostic } from "./log-chunks.js";

/** Compressed bytes per write. If they turn out to be damaged, they are written again in smaller pieces. */
const PIECE_BYTES = 1 << 15;
const FINER = [1 << 8, 1];
/**
 * Compressed bytes kept of a stream that can be read only once, so that damage can be located to the byte.
 */
const KEPT_BYTES = 1 << 25;
/**
 * Maximum number of frames in a file, since each needs a stream of its own. Tools that write several make
 * them megabytes long.
 */
const FRAMES = 1 << 14;
/** Bytes with which no zstd frame begins, and the error code for them. */
const NO_FRAME = Buffer.alloc(8, 0xff);
const NO_FRAME_CODE = "ZSTD_error_prefix_unknown";

/** Compressed bytes. */
interface Packed {
  /** Each chunk is valid only until the next one is requested. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Returns the same bytes from the beginning; undefined if they cannot be read again. */
  again(): AsyncIterable<Uint8Array> | undefined;
}

/** Keeps what is read, up to a limit, so that it can be read again. */
export function keepPacked(chunks: AsyncIterable<Uint8Array>): Packed {
  const kept: Uint8Array[] = [];
  let length = 0;
  return {
    chunks: (async function* () {
      for await (const chunk of chunks) {
        length += chunk.length;
        if (length <= KEPT_BYTES) kept.push(Uint8Array.from(chunk));
        else kept.length = 0;
        yield chunk;
      }
    })(),
    again: () =>
      length > KEPT_BYTES
        ? undefined
        : (async function* () {
            yield* kept;
          })(),
  };
}

/** A compression format. */
export interface Compression {
  /** Creates a stream that decompresses. */
  create(): Transform;
  /** Whether a stream ends after the first frame and does not report one that is cut short, as with zstd. */
  readonly hasFrames: boolean;
  /** Whether a stream reports a frame that is cut short nevertheless, as with brotli. Default: false. */
  readonly reportsCut?: boolean;
}

/**
 * Decompresses bytes. If they are damaged or cut short, yields everything before that and calls
 * `onDiagnostic`. Throws the stream's error if nothing can be decompressed.
 */
export async function* unpacked(
  packed: Packed,
  compression: Compression,
  onDiagnostic: (diagnostic: CompressionDiagnostic) => void,
): AsyncGenerator<Uint8Array> {
  const unpacker = new Unpacker(compression);
  const input = pieces(packed.chunks);
  let read = 0;
  let given = 0;
  let diagnostic: CompressionDiagnostic | undefined;
  try {
    for (let out: readonly Uint8Array[] = [], isLast = false; !isLast; ) {
      const { value: piece } = await input.next();
      // While another thread decompresses this, the consumer works on the previous output.
      const work = piece === undefined ? unpacker.end() : unpacker.write(piece);
      given += lengthOf(out);
      yield* out;
      out = await work;
      if (unpacker.failure !== undefined) {
        diagnostic = piece === undefined ? "cut-compression" : "damaged-compression";
      } else {
        read += piece?.length ?? 0;
      }
      isLast = piece === undefined || diagnostic !== undefined;
      if (!isLast) continue;
      given += lengthOf(out);
      yield* out;
    }
  } finally {
    unpacker.close();
    await input.return(undefined);
  }
  if (diagnostic === undefined) return;
  if (diagnostic === "damaged-compression") {
    for await (const part of lastBytes(packed, compression, { read, given })) {
      given += part.length;
      yield part;
    }
  }
  if (given === 0) throw unpacker.failure;
  onDiagnostic(diagnostic);
}

/**
 * Yields the bytes up to the damage: those after the first `given` bytes of output, decompressed from those
 * after the first `read` bytes of input.
 */
async function* lastBytes(
  packed: Packed,
  compression: Compression,
  { read, given }: { read: number; given: number },
): AsyncGenerator<Uint8Array> {
  for (const size of FINER) {
    const again = packed.again();
    if (again === undefined) return;
    const unpacker = new Unpacker(compression);
    const before = read;
    let skipped = 0;
    let at = 0;
    try {
      for await (const piece of pieces(again, (at) =>
        at < before ? Math.min(PIECE_BYTES, before - at) : size,
      )) {
        for (const part of await unpacker.write(piece)) {
          const skip = Math.min(part.length, given - skipped);
          skipped += skip;
          if (skip === part.length) continue;
          skipped += part.length - skip;
          given += part.length - skip;
          yield part.subarray(skip);
        }
        at += piece.length;
        // If it gets past the damaged piece, the input has changed.
        if (unpacker.failure !== undefined || at > before + PIECE_BYTES) break;
        read = Math.max(read, at);
      }
    } finally {
      unpacker.close();
    }
  }
}

/** Splits chunks into pieces, whose size may depend on the offset. */
async function* pieces(
  chunks: AsyncIterable<Uint8Array>,
  sizeAt: (at: number) => number = () => PIECE_BYTES,
): AsyncGenerator<Uint8Array, undefined> {
  let at = 0;
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const piece = chunk.subarray(from, from + sizeAt(at));
      from += piece.length;
      at += piece.length;
      yield piece;
    }
  }
}

/** Decompresses piece by piece, with one stream after the other. */
class Unpacker {
  readonly #compression: Compression;
  #stream: Transform & { readonly bytesWritten?: number };
  #out: Uint8Array[] = [];
  #hasEnded = false;
  #frames = 0;
  /** Why it ended early. There is no more output after that. */
  failure: Error | undefined;

  constructor(compression: Compression) {
    this.#compression = compression;
    this.#stream = this.#open();
  }

  /** Decompresses a piece, up to any damage. The piece must not change meanwhile. */
  async write(piece: Uint8Array): Promise<readonly Uint8Array[]> {
    const before = this.#stream.bytesWritten ?? 0;
    let out = await this.#run((done) => this.#stream.write(piece, done));
    let used = (this.#stream.bytesWritten ?? 0) - before;
    while (this.#hasEnded && this.#compression.hasFrames && this.failure === undefined) {
      this.#stream = this.#open();
      out = [...out, ...(await this.#run((done) => this.#stream.write(piece.subarray(used), done)))];
      used += this.#stream.bytesWritten ?? 0;
      if (++this.#frames > FRAMES) this.failure ??= new Error("too many frames");
    }
    return out;
  }

  /** Ends the input and returns the last output. */
  async end(): Promise<readonly Uint8Array[]> {
    if (this.#hasEnded) return [];
    const { hasFrames, reportsCut = false } = this.#compression;
    // Nothing followed the last frame.
    if (hasFrames && reportsCut && this.#stream.bytesWritten === 0) return [];
    if (!hasFrames || reportsCut) {
      return await this.#run((done) => this.#stream.once("end", done).end());
    }
    // At the start of a frame these bytes cause an error of their own; inside a frame they could be anything.
    await this.#run((done) => this.#stream.write(NO_FRAME, done));
    const isWhole = (this.failure as NodeJS.ErrnoException | undefined)?.code === NO_FRAME_CODE;
    this.failure = isWhole
      ? undefined
      : Object.assign(new Error("unexpected end of file"), { code: "ZSTD_cut" });
    return [];
  }

  close(): void {
    this.#stream.destroy();
  }

  #open(): Transform {
    const stream = this.#compression.create();
    this.#hasEnded = false;
    stream.on("data", (part: Uint8Array) => this.#out.push(part));
    stream.on("end", () => {
      this.#hasEnded = true;
    });
    return stream;
  }

  /** Starts an operation on the stream and resolves with its output, once it is done or has failed. */
  #run(start: (done: (error?: Error | null) => void) => void): Promise<readonly Uint8Array[]> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const done = (error?: Error | null) => {
        this.failure ??= error ?? undefined;
        while (stream.read() !== null); // The listener for data takes it.
        const out = this.#out;
        this.#out = [];
        resolve(out);
      };
      stream.removeAllListeners("error");
      stream.on("error", done);
      start(done);
    });
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
