import { TicksError } from "./errors.js";
import { binaryKindOf, fileKindOf, KIND_BYTES } from "./file-kind.js";
import { type CompressionDiagnostic, LARGE_LOG_BYTES, type LogChunks, type LogRest } from "./log-chunks.js";
import type { LogParser } from "./parser/parser.js";
import type { ParserThread } from "./parser/parser-thread.js";

/** How much of a log has been read. */
export interface ReadProgress {
  /** Bytes of the log, uncompressed. */
  readonly bytes: number;
  readonly ticks: number;
}

/** A thread that takes over from a parser. */
export type NextParser = Pick<ParserThread, "takesOver" | "push" | "pushRest" | "end" | "close" | "ticks">;

/** Hooks for feeding a log to a parser. */
export interface FeedOptions {
  /** Called and awaited after each chunk. Default: nothing. */
  readonly afterChunk?: ((progress: ReadProgress) => Promise<void>) | undefined;
  /**
   * Opens a thread that takes over from the parser if the log is large; resolves to undefined if there is
   * none. Default: no thread.
   */
  readonly openThread?: (() => Promise<NextParser | undefined>) | undefined;
}

/** When a log of unknown size has given this many bytes, it is probably large. */
const LIKELY_LARGE_BYTES = 1 << 22;
/** A file with no row that V8 writes in this many bytes is not a log. */
const PROOF_BYTES = 1 << 20;
/** Bytes that the parser takes at a time while the thread starts. */
const PIECE_BYTES = 1 << 16;

/**
 * Feeds a whole log to a parser. The chunks may be split anywhere and are not kept; `name` is what error
 * messages call the log.
 * Throws a {@link TicksError} if the log is empty (`EMPTY`), if none of it can be decompressed
 * (`BAD_COMPRESSION`), or if it is not a log (`NOT_A_LOG`).
 */
export async function feedLog(
  log: LogChunks,
  parser: LogParser,
  name: string,
  options: FeedOptions = {},
): Promise<void> {
  const feeder = new LogFeeder(parser, options);
  let rest: LogRest | undefined;
  try {
    for await (const chunk of log) {
      await feeder.push(chunk, log.size);
      if (feeder.isNotALog) break;
      rest = feeder.isThreaded ? log.rest?.() : undefined;
      if (rest !== undefined) break;
    }
    await feeder.end(rest, () => log.diagnostic?.());
  } finally {
    await feeder.close();
  }
  if (feeder.bytes === 0) throw new TicksError("EMPTY", `${name} is empty`, RECORD_HINT);
  if (feeder.isBinary || parser.knownRows === 0) {
    throw notALog(name, feeder.head, {
      diagnostic: log.diagnostic?.(),
      isPlain: log.isCompressed?.() === false,
    });
  }
}

/**
 * Feeds a parser chunk by chunk. If the log is large, opens a thread and feeds that as soon as it takes over.
 */
class LogFeeder {
  readonly #parser: LogParser;
  readonly #options: FeedOptions;
  #bytes = 0;
  #head = new Uint8Array();
  #isBinary = false;
  /** The byte count at which to open a thread. Infinite once one has been opened. */
  #threadFrom = LIKELY_LARGE_BYTES;
  /** The opened thread. It takes a while to start running. */
  #thread: NextParser | undefined;
  #isThreaded = false;

  constructor(parser: LogParser, options: FeedOptions) {
    this.#parser = parser;
    this.#options = options;
  }

  /** Bytes fed so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first bytes of the log. */
  get head(): Uint8Array {
    return this.#head;
  }

  /** Whether the thread has taken over. */
  get isThreaded(): boolean {
    return this.#isThreaded;
  }

  /** Whether it begins as no log does. */
  get isBinary(): boolean {
    return this.#isBinary;
  }

  /** Whether enough has been read to say that this is not a log: no known row, or a beginning that no log has. */
  get isNotALog(): boolean {
    return this.#isBinary || (this.#bytes > PROOF_BYTES && this.#parser.knownRows === 0);
  }

  /** Takes the next chunk of a log of `size` bytes; `size` is undefined if unknown. */
  async push(chunk: Uint8Array, size: number | undefined): Promise<void> {
    if (this.#bytes === 0) {
      this.#isBinary = binaryKindOf(chunk) !== undefined;
      if (size !== undefined) this.#threadFrom = size >= LARGE_LOG_BYTES ? 0 : Number.POSITIVE_INFINITY;
    }
    if (this.#parser.knownRows === 0) this.#keepHead(chunk);
    this.#bytes += chunk.length;
    if (this.#isBinary) return;
    if (this.#bytes >= this.#threadFrom) {
      this.#threadFrom = Number.POSITIVE_INFINITY;
      this.#thread = await this.#options.openThread?.();
    }
    await this.#parse(chunk);
    await this.#reportProgress();
  }

  /**
   * Ends the log. The thread first reads `rest` itself, if any; `diagnostic` returns what cut the log short.
   */
  async end(rest: LogRest | undefined, diagnostic: () => CompressionDiagnostic | undefined): Promise<void> {
    const thread = this.#isThreaded ? this.#thread : undefined;
    if (thread === undefined) {
      this.#parser.end(diagnostic());
      return;
    }
    if (rest !== undefined) {
      await thread.pushRest({ ...rest, position: this.#bytes }, async (read) => {
        this.#bytes += read;
        await this.#reportProgress();
      });
    }
    await thread.end(diagnostic());
    await this.#reportProgress();
  }

  /** Stops the thread, whatever it is doing. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }

  /** Parses a chunk: here, as far as the thread has not taken over. It does so only if this is a log. */
  async #parse(chunk: Uint8Array): Promise<void> {
    const thread = this.#thread;
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      this.#isThreaded = this.#parser.knownRows > 0 && (thread?.takesOver(this.#parser) ?? false);
      if (this.#isThreaded) return thread?.push(chunk.subarray(from));
      if (thread === undefined) return this.#parser.push(chunk);
      this.#parser.push(chunk.subarray(from, from + PIECE_BYTES));
    }
  }

  /** Keeps the first bytes, to say what the file is if it is not a log. */
  #keepHead(chunk: Uint8Array): void {
    const missing = KIND_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
  }

  async #reportProgress(): Promise<void> {
    const ticks = this.#parser.ticks + (this.#thread?.ticks ?? 0);
    await this.#options.afterChunk?.({ bytes: this.#bytes, ticks });
  }
}

const COMPRESSED_NAME = /\.(?:gz|zst|br)$/;
const RECORD_HINT = "Record one with: node --prof app.js (it writes isolate-0x…-v8.log)";

/** What is known of a file in which no row was found. */
interface Rowless {
  /** What cut its compressed data short. */
  readonly diagnostic?: CompressionDiagnostic | undefined;
  /** Whether it is known not to be compressed. */
  readonly isPlain: boolean;
}

/** Returns the error for a file that is not a log; it says what the file is, as far as its first bytes tell. */
export function notALog(name: string, head: Uint8Array, { diagnostic, isPlain }: Rowless): TicksError {
  const kind = fileKindOf(head);
  if (kind === undefined && diagnostic !== undefined) {
    const fault = diagnostic === "cut-compression" ? "truncated" : "damaged";
    return new TicksError("BAD_COMPRESSION", `${name}: the compressed file is ${fault} before the first row`);
  }
  const note = isPlain && COMPRESSED_NAME.test(name) ? " (and not compressed, as its name says)" : "";
  if (kind === undefined) return new TicksError("NOT_A_LOG", `${name} is not a V8 log${note}`, RECORD_HINT);
  return new TicksError("NOT_A_LOG", `${name} is ${kind.what}, not a V8 log${note}`, kind.hint);
}
