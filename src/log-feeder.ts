import { TicksError } from "./errors.js";
import type { CompressionDiagnostic, LogChunks, LogRest } from "./log-chunks.js";
import type { LogParser } from "./parser/parser.js";
import type { ParserThread } from "./parser/parser-thread.js";

/** How far the reading of a log is. */
export interface ReadProgress {
  /** Of the log, uncompressed. */
  readonly bytes: number;
  readonly ticks: number;
}

/** A thread that goes on where a parser stopped. */
export type NextParser = Pick<ParserThread, "takesOver" | "push" | "pushRest" | "end" | "close" | "ticks">;

/** What goes on while a log is fed to a parser. */
export interface FeedOptions {
  /** Waited for after each chunk. Default: nothing. */
  readonly afterChunk?: ((progress: ReadProgress) => Promise<void>) | undefined;
  /** Opens a thread that goes on for the parser where a log is large; undefined when there is none. Default: never. */
  readonly openThread?: (() => Promise<NextParser | undefined>) | undefined;
}

/** From this many bytes on a second thread pays, which takes some 40 ms to start. */
const LARGE_BYTES = 1 << 24;
/** What has so many bytes, and nobody knows how many more, is likely to have more than that. */
const LIKELY_LARGE_BYTES = 1 << 22;
/** Past this many bytes without one row that V8 writes, a file is no log. */
const PROOF_BYTES = 1 << 20;
/** Bytes that tell what a file is that is no log. */
const HEAD_BYTES = 16;

/**
 * Feeds a whole log to a parser. The chunks may be cut anywhere and are not kept; `name` is what errors call the log.
 * Throws a {@link TicksError} when the log is empty (`EMPTY`), when nothing of it can be unpacked (`BAD_COMPRESSION`), or when
 * it is something else (`NOT_A_LOG`).
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
      if (feeder.isHopeless) break;
      rest = feeder.isThreaded ? log.rest?.() : undefined;
      if (rest !== undefined) break;
    }
    await feeder.end(rest, () => log.diagnostic?.());
  } finally {
    await feeder.close();
  }
  if (feeder.bytes === 0) throw new TicksError("EMPTY", `${name} is empty`, RECORD_HINT);
  if (parser.knownRows === 0) {
    throw log.diagnostic?.() === undefined ? notALog(name, feeder.head) : nothingUnpacked(name);
  }
}

/** Feeds a parser chunk by chunk, and its thread from where that takes over: a large log has one opened for it. */
class LogFeeder {
  readonly #parser: LogParser;
  readonly #options: FeedOptions;
  #bytes = 0;
  #head = new Uint8Array();
  /** At how many bytes a thread is opened; never again after that. */
  #threadFrom = LIKELY_LARGE_BYTES;
  /** Opened; it takes a while until it runs. */
  #thread: NextParser | undefined;
  #isThreaded = false;

  constructor(parser: LogParser, options: FeedOptions) {
    this.#parser = parser;
    this.#options = options;
  }

  /** How many it was fed. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The first few bytes. */
  get head(): Uint8Array {
    return this.#head;
  }

  /** Whether the thread has taken over. */
  get isThreaded(): boolean {
    return this.#isThreaded;
  }

  /** Whether so much of it makes no sense that it is no log. */
  get isHopeless(): boolean {
    return this.#bytes > PROOF_BYTES && this.#parser.knownRows === 0;
  }

  /** Takes the next chunk of a log of `size` bytes; undefined where that is not known. */
  async push(chunk: Uint8Array, size: number | undefined): Promise<void> {
    if (this.#bytes === 0) {
      this.#head = chunk.slice(0, HEAD_BYTES);
      if (size !== undefined) this.#threadFrom = size >= LARGE_BYTES ? 0 : Number.POSITIVE_INFINITY;
    }
    this.#bytes += chunk.length;
    if (this.#bytes >= this.#threadFrom) {
      this.#threadFrom = Number.POSITIVE_INFINITY;
      this.#thread = await this.#options.openThread?.();
    }
    this.#isThreaded = this.#thread?.takesOver(this.#parser) ?? false;
    if (this.#thread !== undefined && this.#isThreaded) await this.#thread.push(chunk);
    else this.#parser.push(chunk);
    await this.#reportProgress();
  }

  /** Ends the log, after what is left of it, which only the thread reads; `fault` tells what cut it short. */
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

  /** Stops the thread, wherever it is. */
  async close(): Promise<void> {
    await this.#thread?.close();
  }

  async #reportProgress(): Promise<void> {
    const ticks = this.#parser.ticks + (this.#thread?.ticks ?? 0);
    await this.#options.afterChunk?.({ bytes: this.#bytes, ticks });
  }
}

const RECORD_HINT = "Record one with: node --prof app.js (it writes isolate-0x…-v8.log)";

function nothingUnpacked(name: string): TicksError {
  return new TicksError(
    "BAD_COMPRESSION",
    `${name}: the compressed data is damaged or cut before its first row`,
  );
}

function notALog(name: string, [first]: Uint8Array): TicksError {
  const isJson = first === 0x7b || first === 0x5b;
  const kind = isJson ? " (it is JSON: a .cpuprofile or the output of --preprocess?)" : "";
  return new TicksError("NOT_A_LOG", `${name} is not a V8 log${kind}`, RECORD_HINT);
}
