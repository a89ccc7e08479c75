import { Diagnostics } from "./diagnostics.js";
import type { LogChunks } from "./log-chunks.js";
import { feedLog, type ReadProgress } from "./log-feeder.js";
import { LogParser } from "./parser/parser.js";
import type { RecordTaker } from "./parser/record-batch.js";
import { IC_ROWS } from "./parser/rows/ic.js";
import { FUNCTION_EVENT_ROWS, type OptionalRow } from "./parser/rows/row-decoders.js";
import type { Diagnostic } from "./profile/profile.js";
import type { ManyPlaces } from "./recorder/builtin-places.js";
import type { LibraryLoader } from "./recorder/library-loader.js";
import { Recorder } from "./recorder/recorder.js";
import type { RecorderOptions } from "./recorder/recorder-options.js";
import type { Recording } from "./recorder/recording.js";

export interface ReadLogOptions extends RecorderOptions {
  /** What error messages call the log. */
  readonly name: string;
  /** Loads the functions of libraries. */
  readonly loader: LibraryLoader;
  /** Whether to parse in this thread alone. Default: a large log is parsed in a second one. */
  readonly inOneThread?: boolean | undefined;
  /** Called after each chunk. Default: nothing. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Called, and waited for, when many places in builtins are told apart. Default: nothing, they all are. */
  readonly onManyPlaces?: ((places: ManyPlaces) => Promise<void>) | undefined;
}

/** A log that has been read. Its native addresses have no names yet. */
export interface ReadLog {
  readonly recording: Recording;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a log to its end. The chunks may be split anywhere and are not kept. Throws as {@link feedLog} does.
 */
export async function readLog(log: LogChunks, options: ReadLogOptions): Promise<ReadLog> {
  const { name } = options;
  const diagnostics = new Diagnostics();
  const optionalRows: OptionalRow[] = options.ics ? Array.from(IC_ROWS) : [];
  if (options.inlines) optionalRows.push("code-source-info", "script-source");
  if (options.inlines || options.deopts) optionalRows.push("code-deopt");
  for (const row of options.startup ? FUNCTION_EVENT_ROWS : []) optionalRows.push(row);
  let line: number | undefined;
  const recorder = new Recorder(diagnostics, () => line ?? parser.line, options);
  const parser = new LogParser(recorder, diagnostics, { optionalRows });
  const taker: RecordTaker = {
    takeTicks: (fields) => recorder.takeTicks(fields),
    takeRecord(record, at) {
      line = at;
      recorder.takeRecord(record);
    },
    takeDiagnostic: (code, at, type) => diagnostics.add(code, at, type),
  };
  await feedLog(log, parser, name, {
    async openThread() {
      if (options.inOneThread) return undefined;
      const { ParserThread } = await import("./parser/parser-thread.js"); // Small logs do not need it.
      return ParserThread.open(taker, { optionalRows });
    },
    async afterChunk(progress) {
      options.onProgress?.(progress);
      await recorder.loadFunctions(options.loader);
      const { manyPlaces } = recorder;
      if (manyPlaces !== undefined) await options.onManyPlaces?.(manyPlaces);
    },
  });
  return { recording: recorder.finish(), diagnostics: diagnostics.list() };
}
