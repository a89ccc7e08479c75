import { Diagnostics } from "./diagnostics.js";
import { TicksError } from "./errors.js";
import type { LogChunks, LogRest } from "./log-chunks.js";
import { LogParser } from "./parser/parser.js";
import type { ParserThread } from "./parser/parser-thread.js";
import type { RecordTaker } from "./parser/record-batch.js";
import type { OptionalRow } from "./parser/rows/index.js";
import type { Diagnostic } from "./profile/profile.js";
import { Recorder, type RecorderOptions } from "./recorder.js";
import type { LibraryLoader } from "./symbolizer/library-loader.js";
import type { Recording } from "./symbolizer/recording.js";

export interface ReadLogOptions extends RecorderOptions {
  /** What errors call the log. */
  readonly name: string;
  /** Where the functions of libraries come from. */
  readonly loader: LibraryLoader;
  /** Told after each chunk. Default: nobody. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

/** How far the reading of a log is. */
export interface ReadProgress {
  /** Of the log, uncompressed. */
  readonly bytes: number;
  readonly ticks: number;
}

/** A log once read: its native addresses have no names yet. */
export interface ReadLog {
  readonly recording: Recording;
  readonly diagnostics: readonly Diagnostic[];
}

/** From this many bytes on a second thread pays, which takes some 40 ms to start. */
const LARGE_BYTES = 1 << 24;
/** What has so many bytes, and nobody knows how many more, is likely to have more than that. */
const LIKELY_LARGE_BYTES = 1 << 22;
/** Past this many bytes without one row that V8 writes, a file is no log. */
const PROOF_BYTES = 1 << 20;

/**
 * Reads a log to its end. The chunks may be cut anywhere and are not kept. Throws a {@link TicksError} when the
 * log is empty (`EMPTY`) or when it is something else (`NOT_A_LOG`).
 */
export async function readLog(log: LogChunks, options: ReadLogOptions): Promise<ReadLog> {
  const { name } = options;
  const diagnostics = new Diagnostics();
  const optionalRows: OptionalRow[] = options.places ? ["code-source-info", "script-source"] : [];
  if (options.deopts) optionalRows.push("code-deopt");
  let line: number | undefined;
  const recorder = new Recorder(diagnostics, () => line ?? parser.line, options);
  const parser = new LogParser(recorder, diagnostics, { optionalRows });
  const taker: RecordTaker = {
    takeTicks: (cells) => recorder.takeTicks(cells),
    takeRecord(record, at) {
      line = at;
      recorder.takeRecord(record);
    },
    takeFault: (code, at) => diagnostics.add(code, at),
  };
  await feedLog(log, parser, name, {
    async openThread() {
      const { ParserThread } = await import("./parser/parser-thread.js"); // Small logs do without.
      return ParserThread.open(taker, { optionalRows });
    },
    async afterChunk(progress) {
      options.onProgress?.(progress);
      await recorder.loadFunctions(options.loader);
    },
  });
  return { recording: recorder.finish(), diagnostics: diagnostics.list() };
}

/** What goes on while a log is fed to a parser. */
export interface FeedOptions {
  /** Waited for after each chunk. Default: nothing. */
  readonly afterChunk?: ((progress: ReadProgress) => Promise<void>) | undefined;
  /** Opens a thread that goes on for the parser where a log is large; undefined when there is none. Default: never. */
  readonly openThread?: (() => Promise<ParserThread | undefined>) | undefined;
}

/**
 * Feeds a whole log to a parser. The chunks may be cut anywhere and are not kept; `name` is what errors call the log.
 * Throws as {@link readLog} does.
 */
export async function feedLog(
  log: LogChunks,
  parser: LogParser,
  name: string,
  { afterChunk, openThread }: FeedOptions = {},
): Promise<void> {
  let bytes = 0;
  let head: Uint8Array | undefined;
  let thread: ParserThread | undefined;
  /** Bytes at which a thread is opened. */
  let threadFrom = LIKELY_LARGE_BYTES;
  let isThreaded = false;
  let rest: LogRest | undefined;
  const tell = async () => afterChunk?.({ bytes, ticks: parser.ticks + (thread?.ticks ?? 0) });
  try {
    for await (const chunk of log) {
      head ??= chunk.slice(0, 16);
      const size = bytes === 0 ? log.size : undefined;
      if (size !== undefined) threadFrom = size >= LARGE_BYTES ? 0 : Number.POSITIVE_INFINITY;
      bytes += chunk.length;
      if (bytes >= threadFrom) {
        threadFrom = Number.POSITIVE_INFINITY;
        thread = await openThread?.();
      }
      isThreaded = thread?.takesOver(parser) ?? false;
      if (thread !== undefined && isThreaded) await thread.push(chunk);
      else parser.push(chunk);
      await tell();
      if (bytes > PROOF_BYTES && parser.knownRows === 0) break;
      rest = isThreaded ? log.rest?.() : undefined;
      if (rest !== undefined) break;
    }
    if (thread === undefined || !isThreaded) {
      parser.end(log.fault?.());
    } else {
      if (rest !== undefined) {
        await thread.pushRest({ ...rest, position: bytes }, async (read) => {
          bytes += read;
          await tell();
        });
      }
      await thread.end(log.fault?.());
      await tell();
    }
  } finally {
    await thread?.close();
  }
  if (bytes === 0) throw new TicksError("EMPTY", `${name} is empty`, RECORD_HINT);
  if (parser.knownRows === 0) throw log.fault?.() === undefined ? notALog(name, head) : nothingUnpacked(name);
}

const RECORD_HINT = "Record one with: node --prof app.js (it writes isolate-0x…-v8.log)";

function nothingUnpacked(name: string): TicksError {
  return new TicksError(
    "BAD_COMPRESSION",
    `${name}: the compressed data is damaged or cut before its first row`,
  );
}

function notALog(name: string, head: Uint8Array | undefined): TicksError {
  const first = head?.[0];
  const isJson = first === 0x7b || first === 0x5b;
  const kind = isJson ? " (it is JSON: a .cpuprofile or the output of --preprocess?)" : "";
  return new TicksError("NOT_A_LOG", `${name} is not a V8 log${kind}`, RECORD_HINT);
}
