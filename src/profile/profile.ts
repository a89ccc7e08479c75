import type { CallTree } from "./call-tree.js";
import type { Deopts } from "./deopt.js";
import type { Frame } from "./frame.js";
import type { LibraryProblem } from "./library-problem.js";
import type { SampleTable } from "./sample-table.js";
import type { Sampling } from "./sampling.js";
import type { Timeline } from "./timeline.js";
import type { Micros, Ticks } from "./units.js";
import type { V8Version } from "./v8-version.js";

/** A kind of fault found in a log: how often, and where first. */
export interface Diagnostic {
  readonly code: string;
  readonly count: number;
  /** The first line that has it, counted from 1. */
  readonly line: number;
  /** What it means, as a sentence without its count. */
  readonly message: string;
}

/** How a library that owns frames of the profile got its names. */
export interface LibraryInfo {
  readonly path: string;
  /** In lower-case hex; undefined when the file has none, or was not read. */
  readonly buildId: string | undefined;
  /** The symbol source that named it; undefined when none could. */
  readonly source: string | undefined;
  /** How many functions that source knows. */
  readonly symbols: number;
  /** Why there are no names; undefined when there is nothing to say. */
  readonly problem: LibraryProblem | undefined;
}

/** How many rows a log has that ranges of ticks can go by: without any, asking for such a range changes nothing. */
export interface RangeRows {
  /** `current-time` rows, which V8 wrote to Node 8. */
  readonly currentTime: number;
  /** `active-runtime-timer` rows. */
  readonly runtimeTimers: number;
}

/** Whether an isolate is the first of its process or belongs to a worker thread. */
export type ThreadKind = "main" | "worker";

/** What a log was written by, as its file name has it. */
export interface ThreadOrigin {
  /** The process; undefined where the name does not say. */
  readonly pid: number | undefined;
  /** The address of the isolate, in lower-case hex with `0x`; undefined where the name does not say. */
  readonly isolate: string | undefined;
}

/** One isolate's log: the main thread of a process, or a worker. */
export interface ThreadInfo extends ThreadOrigin {
  /** Short, and no other thread of the profile has it: `pid 123 main`, `pid 123 worker 0x7f…`. */
  readonly name: string;
  /** The name of the log. */
  readonly log: string;
  /** Undefined where the log does not have one start of Node in it, or where several threads may share the file. */
  readonly kind: ThreadKind | undefined;
  /** All its ticks in range, also those that a filter left out. */
  readonly ticks: Ticks;
  /** From its first tick to its last. */
  readonly span: Micros;
}

/** The text of a script. */
export interface SourceText {
  /** The script's name, as the names of functions have it. */
  readonly file: string;
  readonly text: string;
  /** The source map on disk that has the text; undefined where the log has it. */
  readonly mapFile?: string | undefined;
}

export interface ProfileInfo {
  /** What reports call all the logs together: their names, or those of their folders. */
  readonly title: string;
  /** The names of the logs, in the order given. */
  readonly logs: readonly string[];
  /** Where the ticks were taken: `samples.thread` indexes them. */
  readonly threads: readonly ThreadInfo[];
  /** Of the first log that states one. */
  readonly v8: V8Version | undefined;
  readonly sampling: Sampling;
  readonly rangeRows: RangeRows;
  /** All ticks in range, also those that a filter left out of `samples`. */
  readonly ticks: Ticks;
  /** The ticks that a filter left out. */
  readonly excluded: Ticks;
  /** All ticks in range by VM state, indexed as `VM_STATES`. */
  readonly ticksByState: readonly Ticks[];
  readonly libraries: readonly LibraryInfo[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What one or several logs say, free of machine state: frames, stacks and counts. */
export interface Profile {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  /** Every tick with its time; only where it was asked for. */
  readonly timeline?: Timeline | undefined;
  /** Only where it was asked for. */
  readonly deopts?: Deopts | undefined;
  /** The scripts that own ticks and whose text the log has; none where frames have no lines. */
  readonly sources: readonly SourceText[];
  readonly info: ProfileInfo;
}
