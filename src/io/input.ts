import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import type { Transform } from "node:stream";
import { isatty } from "node:tty";
import * as zlib from "node:zlib";
import { recordHint, TicksError, tried } from "../base/errors.js";
import {
  type CompressionDiagnostic,
  firstBytes,
  type LogChunks,
  type LogRest,
  prepend,
} from "./log-chunks.js";
import { openRegular } from "./regular-file.js";
import { type Compression, keepPacked, unpacked } from "./unpacked.js";

/** Large enough that the loop over chunks costs nothing. */
const CHUNK_BYTES = 1 << 20;
/** Bytes that are decompressed at once. */
const UNPACKED_BYTES = 1 << 18;

/** The name of standard input. */
export const STDIN = "-";
const STDIN_DESCRIPTOR = 0;

export interface OpenLogOptions {
  /** Whether the file was found, not named by the user: it must be a regular file then. Default: false. */
  readonly isFound?: boolean | undefined;
}

/**
 * Opens a log: a path, or `-` for standard input. gzip and zstd are recognized by their first bytes,
 * brotli, which has none of its own, by the name's `.br`.
 * Compressed data that is cut short or damaged is read as far as possible; `diagnostic` reports it. UTF-16,
 * which PowerShell's `>` writes, is converted to UTF-8, and a byte order mark is dropped.
 *
 * Throws a {@link TicksError} before the first chunk if the path does not exist, is a directory or cannot be
 * read, or if none of the compressed data can be read.
 */
export function openLog(path: string, { isFound = false }: OpenLogOptions = {}): Required<LogChunks> {
  const source = new LogSource(path, isFound);
  return {
    rest: () => source.rest,
    diagnostic: () => source.diagnostic,
    isCompressed: () => source.isCompressed,
    packedBytes: () => source.packedBytes,
    get size() {
      return logSize(path);
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* decoded(source);
      } catch (error) {
        throw asTicksError(error, path);
      }
    },
  };
}

/** Returns the size of an uncompressed log file in bytes; undefined if it is not known before reading. */
export function logSize(path: string): number | undefined {
  if (path === STDIN || /\.(?:gz|zst|br)$/.test(path)) return undefined;
  return fileStats(path)?.size;
}

/**
 * Returns when the file of a log was made and last written, in milliseconds since 1970; undefined if it is no
 * file.
 */
export function fileTimes(path: string): { readonly born: number; readonly changed: number } | undefined {
  if (path === STDIN) return undefined;
  const stats = fileStats(path);
  return stats && { born: stats.birthtimeMs, changed: stats.mtimeMs };
}

/** Returns what the system says of a file; undefined if it is none. Opening a wrong path tells what is wrong with it. */
function fileStats(path: string): Stats | undefined {
  const stats = tried(() => statSync(path));
  return stats?.isFile() ? stats : undefined;
}

/**
 * The bytes of a log as they are stored. Reads block the thread: the system has read ahead, and passing each
 * read to another thread would take longer.
 */
class LogSource {
  readonly path: string;
  /** Whether the bytes are those that were logged, neither compressed nor in another encoding. */
  isPlain = false;
  isCompressed = false;
  /** How many of them were read for the first time, if they are compressed. */
  packedBytes = 0;
  /** What cut the bytes short. */
  diagnostic: CompressionDiagnostic | undefined;
  /** What is being read; undefined if the current offset is not known. */
  #reading: LogRest | undefined;
  /** Whether the bytes come from a file, which can be read again. */
  #isFile = false;

  readonly #isFound: boolean;

  constructor(path: string, isFound: boolean) {
    this.path = path;
    this.#isFound = isFound;
  }

  get isFile(): boolean {
    return this.#isFile;
  }

  get rest(): LogRest | undefined {
    return this.isPlain ? this.#reading : undefined;
  }

  chunks(): AsyncGenerator<Uint8Array> {
    return this.path === STDIN ? this.#readStdin() : this.#readFile();
  }

  async *#readFile(): AsyncGenerator<Uint8Array> {
    const { path } = this;
    // No system has a file with a zero byte in its name.
    const stats = path.includes("\0") ? undefined : statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      throw new TicksError("NOT_FOUND", `${path}: no such file`, recordHint("ticks"));
    }
    if (stats.isDirectory()) {
      throw new TicksError(
        "IS_DIRECTORY",
        `${path} is a folder`,
        "Name a log in it, such as isolate-0x…-v8.log",
      );
    }
    // The user may name a pipe on purpose, and waits for its writer.
    const mayBePipe = !this.#isFound && !stats.isFile();
    const file = mayBePipe ? openSync(path, "r") : openRegular(path);
    this.#isFile = fstatSync(file).isFile();
    if (this.#isFile) this.#reading = { path };
    try {
      yield* chunksOf(file);
    } finally {
      closeSync(file);
    }
  }

  async *#readStdin(): AsyncGenerator<Uint8Array> {
    if (!isatty(STDIN_DESCRIPTOR)) {
      this.#reading = { descriptor: STDIN_DESCRIPTOR };
      try {
        yield* chunksOf(STDIN_DESCRIPTOR);
        return;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EOF") return; // Windows reports the end of a pipe like this.
        // Another process made it non-blocking.
        if (code !== "EAGAIN") throw error;
        this.#reading = undefined;
      }
    }
    yield* process.stdin;
  }
}

function* chunksOf(file: number): Generator<Uint8Array> {
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
    yield chunk.subarray(0, read);
}

async function* decoded(source: LogSource): AsyncGenerator<Uint8Array> {
  const chunks = source.chunks();
  const head = await firstBytes(chunks, 4);
  if (head.length === 0) return;
  const whole = prepend(head, chunks);
  if (head[0] === 0x1f && head[1] === 0x8b) {
    yield* unpackedFrom(source, whole, GZIP);
  } else if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) {
    yield* unpackedFrom(source, whole, zstd(source.path));
  } else if (source.path.endsWith(".br") && !isText(head)) {
    yield* unpackedFrom(source, whole, BROTLI);
  } else if (head[0] === 0xff && head[1] === 0xfe) {
    yield* fromUtf16(whole);
  } else if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
    yield* prepend(head.subarray(3), chunks);
  } else {
    source.isPlain = true;
    yield* whole;
  }
}

/** Returns whether bytes begin as a row of a log does, with a word and a comma. */
function isText(head: Uint8Array): boolean {
  return /^[\w-]{1,40},/.test(Buffer.from(head.subarray(0, 41)).toString("latin1"));
}

const GZIP: Compression = {
  create: () => zlib.createGunzip({ chunkSize: UNPACKED_BYTES }),
  hasFrames: false,
};

const BROTLI: Compression = {
  create: () => zlib.createBrotliDecompress({ chunkSize: UNPACKED_BYTES }),
  hasFrames: true,
  reportsCut: true,
};

/** Decompresses the chunks of a source. */
function unpackedFrom(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  source.isCompressed = true;
  const counted = countPacked(source, chunks);
  const packed = source.isFile ? { chunks: counted, again: () => source.chunks() } : keepPacked(counted);
  return unpacked(packed, compression, (diagnostic) => {
    source.diagnostic = diagnostic;
  });
}

async function* countPacked(
  source: LogSource,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    source.packedBytes += chunk.length;
    yield chunk;
  }
}

async function* fromUtf16(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-16le");
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  const half = Buffer.from(decoder.decode()); // A replacement character, if half of a unit is left.
  if (half.length > 0) yield half;
}

function zstd(path: string): Compression {
  // Node 22.15 and later have it; the types of Node 20 do not.
  const create = (zlib as { createZstdDecompress?: (options: zlib.ZlibOptions) => Transform })
    .createZstdDecompress;
  if (create === undefined) {
    throw new TicksError(
      "BAD_COMPRESSION",
      `${path}: this version of Node cannot read zstd`,
      "Unpack it first: zstd -dc FILE > UNPACKED. Or use Node 22.15 or later.",
    );
  }
  return { create: () => create({ chunkSize: UNPACKED_BYTES }), hasFrames: true };
}

function asTicksError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof TicksError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "EACCES" || code === "EPERM")
    return new TicksError("NOT_READABLE", `${path}: permission denied`);
  if (code === "EISDIR") return new TicksError("IS_DIRECTORY", `${path} is a folder`);
  if (["ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EIO", "EAGAIN"].includes(code)) {
    return new TicksError("NOT_READABLE", `${path} cannot be read (${code})`);
  }
  if (code === "Z_BUF_ERROR" || code === "ZSTD_cut") {
    return new TicksError(
      "BAD_COMPRESSION",
      `${path}: the compressed file is truncated: nothing of it can be read`,
    );
  }
  if (/^(?:Z_|ZSTD|ERR__ERROR|ERR_BROTLI)/.test(code)) {
    return new TicksError("BAD_COMPRESSION", `${path}: the compressed data is damaged (${error.message})`);
  }
  return error;
}
