import type { LogChunks } from "../io/log-chunks.js";
import { LogParser } from "../log/parser.js";
import { IC_ROWS } from "../log/rows/ic.js";
import { FUNCTION_EVENT_ROWS, type OptionalRow, type RecordTaker } from "../log/rows/row-decoders.js";
import { Diagnostics } from "../profile/diagnostics.js";
import type { Diagnostic, ThreadKind } from "../profile/profile.js";
import { LogRuns } from "../replay/joined-runs.js";
import type { LibraryLoader } from "../replay/libraries.js";
import { Replay } from "../replay/replay.js";
import type { ReplayedLog, ReplayOptions } from "../replay/replayed-log.js";
import type { ManyPlaces } from "../replay/resolver.js";
import { feedLog, type ReadProgress } from "./log-feeder.js";

/** The options of a {@link LogReader}. */
export interface LogReaderOptions extends ReplayOptions {
  /** Returns a loader of the functions of libraries, for one run. */
  readonly openLoader: () => LibraryLoader;
  /** The optional rows that the parser must read. Default: those that the other options need. */
  readonly optionalRows?: readonly OptionalRow[] | undefined;
  /** Called, and waited for, when many places in builtins are told apart. Default: nothing, they all are. */
  readonly onManyPlaces?: ((places: ManyPlaces, loader: LibraryLoader) => Promise<void>) | undefined;
}

export interface ReadLogOptions extends LogReaderOptions {
  /** What error messages call the log. */
  readonly name: string;
  /** Whether to parse in this thread alone. Default: a large log is parsed in a second one. */
  readonly inOneThread?: boolean | undefined;
  /** Called after each chunk. Default: nothing. */
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
}

/** A run of a log that has been read. Its native addresses have no names yet. */
export interface ReadRun {
  readonly replayed: ReplayedLog;
  /** Has loaded the functions of some of its libraries. */
  readonly loader: LibraryLoader;
  readonly diagnostics: readonly Diagnostic[];
}

/** A run that is being read. */
interface OpenRun {
  readonly replay: Replay;
  readonly loader: LibraryLoader;
  readonly diagnostics: Diagnostics;
}

/** Reads a log run by run: one, but for files with several. */
export class LogReader {
  /** Takes the bytes of the log. */
  readonly parser: LogParser;
  readonly optionalRows: readonly OptionalRow[];
  readonly #options: LogReaderOptions;
  readonly #runs: LogRuns;
  readonly #ended: ReadRun[] = [];
  #run: OpenRun;
  /** The line of the record that is being applied. */
  #line = 0;

  constructor(options: LogReaderOptions) {
    this.#options = options;
    this.optionalRows = options.optionalRows ?? rowsFor(options);
    this.#run = this.#open();
    this.#runs = new LogRuns({
      takeTicks: (fields) => this.#run.replay.takeTicks(fields),
      takeRecord: (record, at) => {
        this.#line = at;
        this.#run.replay.takeRecord(record);
      },
      add: (code, at, type, times) => this.#run.diagnostics.add(code, at, type, times),
      beginRun: (at) => {
        this.#end();
        this.#run = this.#open();
        this.#run.diagnostics.add("another-run", at);
      },
    });
    this.parser = new LogParser(this.#runs, this.#runs, { optionalRows: this.optionalRows });
  }

  /** Takes what a parser in another thread finds, in place of {@link parser}. */
  get taker(): RecordTaker {
    return this.#runs;
  }

  /** Loads the functions of the libraries that got their first ticks. To be called between two chunks. */
  async loadFunctions(): Promise<void> {
    const { replay, loader } = this.#run;
    await replay.loadFunctions(loader);
    const { manyPlaces } = replay;
    if (manyPlaces !== undefined) await this.#options.onManyPlaces?.(manyPlaces, loader);
  }

  /** What wrote the run that is being read; undefined if the log does not tell. */
  get threadKind(): ThreadKind | undefined {
    return this.#run.replay.threadKind;
  }

  /** Whether the profiler has ended, and no tick came since. */
  get hasEnded(): boolean {
    return this.#runs.hasEnded;
  }

  /**
   * Returns what came since the last call: a part of each run, undefined if that has no tick and no deoptimization. Only with the option
   * `inPieces`.
   */
  take(): readonly (ReadRun | undefined)[] {
    const { replay, loader } = this.#run;
    const replayed = replay.isEmpty ? undefined : replay.take();
    return [...this.#ended.splice(0), replayed && { replayed, loader, diagnostics: [] }];
  }

  /** Ends the log, and returns its runs. */
  finish(): readonly ReadRun[] {
    this.#runs.end();
    this.#end();
    return this.#ended;
  }

  #open(): OpenRun {
    const diagnostics = new Diagnostics();
    const replay = new Replay(diagnostics, () => this.#line, this.#options);
    return { replay, loader: this.#options.openLoader(), diagnostics };
  }

  #end(): void {
    const { replay, loader, diagnostics } = this.#run;
    const { fault } = this.#runs;
    // Where bytes are damaged, so are times.
    const isDamaged = diagnostics.list().some(({ code }) => code === "damaged-compression");
    if (fault !== undefined && !isDamaged) {
      diagnostics.add(fault.kind === "mixed" ? "mixed-writers" : "time-back", fault.line);
    }
    this.#ended.push({ replayed: replay.finish(fault), loader, diagnostics: diagnostics.list() });
  }
}

function rowsFor({ ics, inlines, deopts, startup }: ReplayOptions): readonly OptionalRow[] {
  const rows: OptionalRow[] = ics ? Array.from(IC_ROWS) : [];
  if (inlines) rows.push("code-source-info", "script-source");
  if (inlines || deopts) rows.push("code-deopt");
  for (const row of startup ? FUNCTION_EVENT_ROWS : []) rows.push(row);
  return rows;
}

/**
 * Reads a log to its end, and returns its runs. The chunks may be split anywhere and are not kept. Throws as
 * {@link feedLog} does.
 */
export async function readLog(log: LogChunks, options: ReadLogOptions): Promise<readonly ReadRun[]> {
  const reader = new LogReader(options);
  const { parser, taker, optionalRows } = reader;
  await feedLog(log, parser, options.name, {
    async openThread() {
      if (options.inOneThread) return undefined;
      const { ParserThread } = await import("../log/parser-thread.js"); // Small logs do not need it.
      return ParserThread.open(taker, { optionalRows });
    },
    async afterChunk(progress) {
      options.onProgress?.(progress);
      await reader.loadFunctions();
    },
  });
  return reader.finish();
}

/** Returns the runs with ticks; of none, the last run. */
export function sampledRuns(runs: readonly ReadRun[]): ReadRun[] {
  const withTicks = runs.filter(({ replayed }) => replayed.ticks > 0);
  return withTicks.length > 0 ? withTicks : runs.slice(-1);
}
