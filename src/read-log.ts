import { Diagnostics } from "./diagnostics.js";
import type { LogChunks } from "./log-chunks.js";
import { feedLog, type ReadProgress } from "./log-feeder.js";
import { LogParser } from "./parser/parser.js";
import type { RecordTaker } from "./parser/record-batch.js";
import type { RecordSink } from "./parser/record-sink.js";
import { IC_ROWS } from "./parser/rows/ic.js";
import { FUNCTION_EVENT_ROWS, type OptionalRow } from "./parser/rows/row-decoders.js";
import type { Diagnostic } from "./profile/profile.js";
import type { ManyPlaces } from "./recorder/builtin-places.js";
import { LogRuns } from "./recorder/joined-runs.js";
import type { LibraryLoader } from "./recorder/library-loader.js";
import { Recorder } from "./recorder/recorder.js";
import type { RecorderOptions } from "./recorder/recorder-options.js";
import type { Recording } from "./recorder/recording.js";

export interface ReadLogOptions extends RecorderOptions {
  /** What error messages call the log. */
  readonly name: string;
  /** Returns a loader of the functions of libraries, for one run. */
  readonly openLoader: () => LibraryLoader;
  /** Whether to parse in this thread alone. Default: a large log is parsed in a second one. */
  readonly inOneThread?: boolean | undefined;
  /** Called after each chunk. Default: nothing. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Called, and waited for, when many places in builtins are told apart. Default: nothing, they all are. */
  readonly onManyPlaces?: ((places: ManyPlaces, loader: LibraryLoader) => Promise<void>) | undefined;
}

/** A run of a log that has been read. Its native addresses have no names yet. */
export interface ReadRun {
  readonly recording: Recording;
  /** Has loaded the functions of some of its libraries. */
  readonly loader: LibraryLoader;
  readonly diagnostics: readonly Diagnostic[];
}

/** A run that is being read. */
interface OpenRun {
  readonly recorder: Recorder;
  readonly loader: LibraryLoader;
  readonly diagnostics: Diagnostics;
}

/** A run that has ended. */
interface EndedRun extends Pick<OpenRun, "loader" | "diagnostics"> {
  readonly recording: Recording;
}

/**
 * Reads a log to its end, and returns its runs: one, but for files with several. The chunks may be split anywhere and
 * are not kept. Throws as {@link feedLog} does.
 */
export async function readLog(log: LogChunks, options: ReadLogOptions): Promise<ReadRun[]> {
  const { name } = options;
  const optionalRows: OptionalRow[] = options.ics ? Array.from(IC_ROWS) : [];
  if (options.inlines) optionalRows.push("code-source-info", "script-source");
  if (options.inlines || options.deopts) optionalRows.push("code-deopt");
  for (const row of options.startup ? FUNCTION_EVENT_ROWS : []) optionalRows.push(row);
  let line = 0;
  const ended: EndedRun[] = [];
  const open = (): OpenRun => {
    const diagnostics = new Diagnostics();
    const recorder = new Recorder(diagnostics, () => line, options);
    return { recorder, loader: options.openLoader(), diagnostics };
  };
  let run = open();
  const end = () => {
    const { recorder, ...rest } = run;
    const { fault } = runs;
    // Where bytes are damaged, so are times.
    const isDamaged = rest.diagnostics.list().some(({ code }) => code === "damaged-compression");
    if (fault !== undefined && !isDamaged) {
      rest.diagnostics.add(fault.kind === "mixed" ? "mixed-writers" : "time-back", fault.line);
    }
    ended.push({ ...rest, recording: recorder.finish(fault) });
  };
  const runs = new LogRuns({
    takeTicks: (fields) => run.recorder.takeTicks(fields),
    takeRecord(record, at) {
      line = at;
      run.recorder.takeRecord(record);
    },
    beginRun(at) {
      end();
      run = open();
      run.diagnostics.add("another-run", at);
    },
  });
  const diagnostics: Pick<Diagnostics, "add"> = {
    add: (code, at, type, times) => run.diagnostics.add(code, at, type, times),
  };
  const sink: RecordSink = {
    takeTicks: (fields, count) => runs.takeTicks(fields, count, parser.line),
    takeRecord: (record) => runs.takeRecord(record, parser.line),
  };
  const parser = new LogParser(sink, diagnostics, { optionalRows });
  const taker: RecordTaker = {
    takeTicks: (fields, count, at) => runs.takeTicks(fields, count, at),
    takeRecord: (record, at) => runs.takeRecord(record, at),
    takeDiagnostic: (code, at, type, times) => diagnostics.add(code, at, type, times),
  };
  await feedLog(log, parser, name, {
    async openThread() {
      if (options.inOneThread) return undefined;
      const { ParserThread } = await import("./parser/parser-thread.js"); // Small logs do not need it.
      return ParserThread.open(taker, { optionalRows });
    },
    async afterChunk(progress) {
      options.onProgress?.(progress);
      const { recorder, loader } = run;
      await recorder.loadFunctions(loader);
      const { manyPlaces } = recorder;
      if (manyPlaces !== undefined) await options.onManyPlaces?.(manyPlaces, loader);
    },
  });
  runs.end();
  end();
  const found = ended.map(({ diagnostics: faults, ...rest }) => ({ ...rest, diagnostics: faults.list() }));
  const withTicks = found.filter(({ recording }) => recording.ticks > 0);
  return withTicks.length > 0 ? withTicks : found.slice(-1);
}
