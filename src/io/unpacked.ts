import type { Transform } from "node:stream";
import type { CompressionDiagnostic } from "../log-chunks.js";

/** Packed bytes that are handed over at once. Where they turn out to be damaged, they are handed over again, a few at a time. */
const PIECE_BYTES = 1 << 15;
const FINER = [1 << 8, 1];
/** Packed bytes that are kept of what can be read but once, so that damage in them can be found to the byte. */
const KEPT_BYTES = 1 << 25;
/** Frames that a file may have: each takes a stream of its own. Tools that write several make them of megabytes. */
const FRAMES = 1 << 14;
/** No frame of zstd begins so, and what its stream says of that. */
const NO_FRAME = Buffer.alloc(8, 0xff);
const NO_FRAME_CODE = "ZSTD_error_prefix_unknown";

/** Bytes that are compressed. */
export interface Packed {
  /** Good until the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The same from the beginning; undefined where they cannot be had again. */
  again(): AsyncIterable<Uint8Array> | undefined;
}

/** Keeps what is read once, as long as it is not much. */
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

/** How bytes are compressed. */
export interface Compression {
  /** Makes a stream that unpacks. */
  create(): Transform;
  /** Whether its streams end with the first of several parts, and say nothing of one that is cut short: those of zstd. */
  readonly hasFrames: boolean;
}

/**
 * Unpacks bytes. Where they are damaged or cut, all that stands before comes out, and `onDiagnostic` is told. Throws what the stream
 * says when nothing can be unpacked.
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
      // While this is unpacked in another thread, somebody works on what came before.
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

/** What comes after the first `given` bytes out of the packed ones that follow the first `read`, up to the damage. */
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
        // Past the piece that was damaged, the input is another now.
        if (unpacker.failure !== undefined || at > before + PIECE_BYTES) break;
        read = Math.max(read, at);
      }
    } finally {
      unpacker.close();
    }
  }
}

/** Cuts chunks into pieces, of a size that may depend on how many bytes came before. */
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

/** Streams that unpack, one after the other, fed piece by piece. */
class Unpacker {
  readonly #compression: Compression;
  #stream: Transform & { readonly bytesWritten?: number };
  #out: Uint8Array[] = [];
  #hasEnded = false;
  #frames = 0;
  /** What ended it before its end. Nothing comes out from then on. */
  failure: Error | undefined;

  constructor(compression: Compression) {
    this.#compression = compression;
    this.#stream = this.#open();
  }

  /** What comes out of a piece, up to the damage where there is some; the piece has to stay as it is so long. */
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

  /** What comes out at the end. */
  async end(): Promise<readonly Uint8Array[]> {
    if (this.#hasEnded) return [];
    if (!this.#compression.hasFrames) return await this.#run((done) => this.#stream.once("end", done).end());
    // Where a frame begins, these bytes are wrong in a way of their own; inside of one they are anything.
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

  /** What comes out while something is done with the stream, until that is done or fails. */
  #run(start: (done: (error?: Error | null) => void) => void): Promise<readonly Uint8Array[]> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const done = (error?: Error | null) => {
        this.failure ??= error ?? undefined;
        while (stream.read() !== null); // Whoever takes data gets it.
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
