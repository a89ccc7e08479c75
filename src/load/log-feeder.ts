import { recordHint, TicksError } from "../base/errors.js";
import { binaryKindOf, fileKindOf, KIND_BYTES } from "../io/file-kind.js";
import {
  type CompressionDiagnostic,
  LARGE_LOG_BYTES,
  type LogChunks,
  type LogRest,
} from "../io/log-chunks.js";
import { LogParser } from "../log/parser.js";
import type { ParserThread } from "../log/parser-thread.js";

/** How much of a log has been read. */
export interface ReadProgress {
  /** Bytes of the log, uncompressed. */
  readonly bytes: number;
  readonly ticks: number;
}

/** A thread that parses a log in place of a parser. */
export type OtherParser = Pick<ParserThread, "push" | "pushRest" | "end" | "close" | "ticks">;

/** Hooks for feeding a log to a parser. */
export interface FeedOptions {
  /** Called and awaited after each chunk. Default: nothing. */
  readonly afterChunk?: ((progress: ReadProgress) => Promise<void>) | undefined;
  /**
   * Opens a thread that parses the log if that is large; resolves to undefined if there is none. Default: no thread.
   */
  readonly openThread?: (() => Promise<OtherParser | undefined>) | undefined;
}

/** When a log of unknown size has given this many bytes, it is probably large. */
const LIKELY_LARGE_BYTES = 1 << 22;
/** A file with no row that V8 writes in this many bytes is not a log. */
const PROOF_BYTES = 1 << 20;
/** So many first bytes of a log have a row. */
const PROBE_BYTES = 1 << 16;

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
  if (!feeder.isLog) {
    throw notALog(name, feeder.head, {
      diagnostic: log.diagnostic?.(),
      isPlain: log.isCompressed?.() === false,
    });
  }
}

/**
 * Feeds a parser chunk by chunk; or, if the log is large, a thread, from its first byte on. Chunks are held until it is known which.
 */
class LogFeeder {
  readonly #parser: LogParser;
  readonly #options: FeedOptions;
  #bytes = 0;
  #head = new Uint8Array();
  #isBinary = false;
  #held: Uint8Array[] = [];
  /** The byte count up to which chunks are held. */
  #holdBytes = 0;
  #thread: OtherParser | undefined;

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

  /** Whether a thread parses the log. */
  get isThreaded(): boolean {
    return this.#thread !== undefined;
  }

  /** Whether it has a known row: only such a log is given to a thread. */
  get isLog(): boolean {
    return this.isThreaded || (!this.#isBinary && this.#parser.knownRows > 0);
  }

  /** Whether enough has been read to say that this is not a log: no known row, or a beginning that no log has. */
  get isNotALog(): boolean {
    return this.#isBinary || (this.#bytes > PROOF_BYTES && this.#held.length === 0 && !this.isLog);
  }

  /** Takes the next chunk of a log of `size` bytes; `size` is undefined if unknown. */
  async push(chunk: Uint8Array, size: number | undefined): Promise<void> {
    if (this.#bytes === 0) {
      this.#isBinary = binaryKindOf(chunk) !== undefined;
      if (this.#options.openThread !== undefined) this.#holdBytes = bytesToHold(size);
    }
    if (!this.isLog) this.#keepHead(chunk);
    this.#bytes += chunk.length;
    if (this.#isBinary) return;
    if (this.#bytes < this.#holdBytes) this.#held.push(Uint8Array.from(chunk));
    else {
      if (this.#holdBytes > 0) await this.#decide(chunk);
      await this.#parse(chunk);
    }
    await this.#reportProgress();
  }

  /**
   * Ends the log. The thread first reads `rest` itself, if any; `diagnostic` returns what cut the log short.
   */
  async end(rest: LogRest | undefined, diagnostic: () => CompressionDiagnostic | undefined): Promise<void> {
    await this.#parseHeld();
    const thread = this.#thread;
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

  /** Opens a thread for a log that is large, and parses what was held. */
  async #decide(chunk: Uint8Array): Promise<void> {
    this.#holdBytes = 0;
    if (hasRow(this.#held.length === 0 ? chunk : Buffer.concat(this.#held)))
      this.#thread = await this.#options.openThread?.();
    await this.#parseHeld();
  }

  async #parseHeld(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    for (const chunk of held) {
      await this.#parse(chunk);
      await this.#reportProgress();
    }
  }

  async #parse(chunk: Uint8Array): Promise<void> {
    if (this.#thread === undefined) this.#parser.push(chunk);
    else await this.#thread.push(chunk);
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

/** Returns how many bytes of a log are held until it is known whether it is large. */
function bytesToHold(size: number | undefined): number {
  if (size === undefined) return LIKELY_LARGE_BYTES;
  return size >= LARGE_LOG_BYTES ? PROBE_BYTES : 0;
}

/** Returns whether the first bytes of a log have a row that V8 writes. */
function hasRow(bytes: Uint8Array): boolean {
  const probe = new LogParser({ takeTicks() {}, takeRecord() {} }, { add() {} });
  probe.push(bytes.subarray(0, PROBE_BYTES));
  return probe.knownRows > 0;
}

const COMPRESSED_NAME = /\.(?:gz|zst|br)$/;
const RECORD_HINT = recordHint("ticks");

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
