import type { Micros, Ticks } from "../base/units.js";
import type { CallTree } from "./call-tree.js";
import type { Deopts } from "./deopt.js";
import type { Frame } from "./frame.js";
import type { FunctionIdentities } from "./function-identity.js";
import type { Ics } from "./inline-caches.js";
import type { LibraryProblem } from "./library-problem.js";
import type { SampleTable } from "./sample-table.js";
import type { Sampling } from "./sampling.js";
import type { StartupLog } from "./startup-log.js";
import type { Timeline } from "./timeline.js";
import type { V8Version } from "./v8-version.js";

/** A kind of fault in a log: how often it occurs, and where first. */
export interface Diagnostic {
  readonly code: string;
  readonly count: number;
  /** The first line that has it, from 1. */
  readonly line: number;
  /** What it means, as a sentence without the count. */
  readonly message: string;
}

/** Where the names of a library with frames in the profile came from. */
export interface LibraryInfo {
  readonly path: string;
  /** In lower-case hex; undefined if the file has none or was not read. */
  readonly buildId: string | undefined;
  /** The symbol source that named its functions; undefined if none could. */
  readonly source: string | undefined;
  /** The number of functions that the source knows. */
  readonly symbols: number;
  /** Why there are no names; undefined if nothing is wrong. */
  readonly problem: LibraryProblem | undefined;
}

/** The number of rows in a log that define ranges of ticks. Without any, a range option has no effect. */
export interface RangeRows {
  /** `current-time` rows, which V8 wrote up to Node 8. */
  readonly currentTime: number;
  /** `active-runtime-timer` rows. */
  readonly runtimeTimers: number;
  /** When the first and the last tick of the log were, in range or not; only if a range of times was asked for. */
  readonly times?: readonly [Micros, Micros] | undefined;
}

/** A file that is no log: what V8's CPU profiler wrote, or another profiler that has stacks and weights. */
export type InputKind = "cpuprofile" | "trace" | "pprof" | "heapprofile";

/** What ticks are of a profile of memory: as many as samples, each by what it weighs. */
export interface MemoryUnit {
  readonly of: "bytes" | "objects";
  /** How many a tick is: the mean of a sample. */
  readonly tick: number;
  /** Whether they are all that was allocated, or what was alive at the end; some files do not tell. */
  readonly is: "allocated" | "alive" | "unknown";
}

/** When a CPU profile began, and what its samples take. */
export interface RecordedTime {
  /** By the clock of the profile. */
  readonly start: Micros;
  /** Its end, from its start. */
  readonly end: Micros;
}

/** Whether an isolate is the first of its process or belongs to a worker thread. */
export type ThreadKind = "main" | "worker";

/** The process and isolate that wrote a log, according to its file name. */
export interface ThreadOrigin {
  /** The process id; undefined if the file name does not have it. */
  readonly pid: number | undefined;
  /** The address of the isolate, in lower-case hex with `0x`; undefined if the file name does not have it. */
  readonly isolate: string | undefined;
}

/** The program that a process ran, as `ticks record` noted it. */
export interface ThreadProgram {
  /** The command of the process: `node app.js`, cut if it is long. */
  readonly command: string;
  /** The command that was recorded, as it was typed: `npm test`. */
  readonly recorded: string;
  /** The folder of the recording. */
  readonly folder: string;
  /** The version of Node: `20.20.2`; undefined if it was not noted. */
  readonly node: string | undefined;
}

/** One isolate's log: the main thread of a process, or a worker. */
export interface ThreadInfo extends ThreadOrigin {
  /** Short, and unique in the profile: `pid 123 main`, `pid 123 worker 0x7f…`. */
  readonly name: string;
  /** What the profile calls the thread, if it does. */
  readonly label?: string | undefined;
  /** The name of the log. */
  readonly log: string;
  /** Undefined if `ticks record` did not write the log. */
  readonly program?: ThreadProgram | undefined;
  /** Which worker of its process it is, as Node counts them; undefined if the log does not say so. */
  readonly number?: number | undefined;
  /** The name that the program gave its worker; undefined if none is known. */
  readonly workerName?: string | undefined;
  /**
   * Undefined if the log does not have exactly one start of Node, or if several threads may share the file.
   */
  readonly kind: ThreadKind | undefined;
  /** All its ticks in range, including those that a filter left out. */
  readonly ticks: Ticks;
  /** From its first tick to its last. */
  readonly span: Micros;
  /** When its log was opened, in milliseconds since 1970; undefined if unknown. */
  readonly start?: number | undefined;
  /** How its sampler worked; undefined if only that of the profile is known. */
  readonly sampling?: Sampling | undefined;
  /** Only of a CPU profile. */
  readonly recorded?: RecordedTime | undefined;
  /** Whether its sampler calls both waits and native work `(program)`, as V8's does where the program tells it no idle time. */
  readonly isIdleUnknown?: boolean | undefined;
  /** Whether its sampler took no samples while it waited, but for some that are idle: its waits are gaps. */
  readonly isSampledAwake?: boolean | undefined;
  /** What its log says about the start of the program; only if requested. */
  readonly startup?: StartupLog | undefined;
}

/** The text of a script. */
export interface SourceText {
  /** The script's name, as in the names of functions. */
  readonly file: string;
  /** Whether the text is that of the file as it is now, not as it was recorded. */
  readonly isOnDisk?: boolean | undefined;
  /** How many scripts have this name and text. Default: one. */
  readonly scripts?: number | undefined;
  readonly text: string;
  /**
   * Returns one line of the text, from 1, without its end; undefined if there is none. Left out where that would take as long as
   * splitting the text, and from clones.
   */
  line?(line: number): string | undefined;
  /** How many lines the text has, with what follows the last line end. Left out where {@link line} is. */
  readonly lineCount?: number;
  /** Returns some lines of the text, from 1, of those that {@link lineCount} counts. Left out where {@link line} is. */
  linesBetween?(first: number, last: number): string[];
  /** The source map file that has the text; undefined if the text is from the log. */
  readonly mapFile?: string | undefined;
}

/** What tells scripts of one name in several logs apart. */
export interface ScriptHashes {
  /** By the script's name, as in the names of functions: a hash of its text. Those of Node's own scripts are left out. */
  readonly byFile: ReadonlyMap<string, string>;
}

/**
 * The callers that are on stacks but outside all code of the log: functions that V8 never logged, such as those
 * of Node's startup snapshot. Stacks are shown without them.
 */
export interface MissingCallers {
  /** All callers, each as often as ticks passed it. Inlined functions do not count. */
  readonly callers: number;
  /** Those that are missing. */
  readonly missing: number;
  /** Ticks whose stack lacks one. */
  readonly ticks: Ticks;
  /** Those of them whose stack lacks one below a function of the program, so that it seems to call what another calls. */
  readonly belowProgram: Ticks;
  /** Ticks of the interpreter in such a function. */
  readonly interpreted: Ticks;
}

/** Ticks in which the thread waited: it was idle or in `Atomics.wait`. They are left out of the samples and of all shares. */
export interface WaitedTicks {
  readonly ticks: Ticks;
  /** The same by VM state, indexed as `VM_STATES`. */
  readonly byState: readonly Ticks[];
  /** The path of the library with the system call of most inferred waits; undefined without any. */
  readonly library: string | undefined;
}

/** The CPU time of processes: V8 samples only their threads that run JavaScript. */
export interface CpuTime {
  /** Of all threads. */
  readonly all: Micros;
  /** Of those that run JavaScript, as measured, or what the ticks stand for that did not wait. */
  readonly sampled: Micros;
  /** Whether the command came to its end by itself: nobody stopped it, and no signal. Default: false. */
  readonly isWhole?: boolean | undefined;
}

/** What is known about the logs of a profile. */
export interface ProfileInfo {
  /** What reports call the logs: their names, or those of their folders. */
  readonly title: string;
  /** What they are if they are no logs: their ticks are samples, which have a time each. */
  readonly input?: InputKind | undefined;
  /**
   * What a tick takes where samples weigh the time that they took: ticks are fractions of the mean time of a sample then, and all
   * that were read are as many as there were samples. A number of ticks times this is their time. Undefined for logs, and for profiles
   * that do not tell times: there each sample is a tick.
   */
  readonly tickTime?: Micros | undefined;
  /** What a tick is where samples weigh memory: ticks times its `tick` are bytes or objects. Undefined for all others. */
  readonly memory?: MemoryUnit | undefined;
  /**
   * Whether the profile only has times: each of its rows may be many samples. Ticks are the mean of a row then, and nothing tells how
   * sure shares are. Default: false.
   */
  readonly isCountUnknown?: boolean | undefined;
  /** The names of the logs, in the order given. */
  readonly logs: readonly string[];
  /** The threads that the ticks are from; `samples.thread` indexes them. */
  readonly threads: readonly ThreadInfo[];
  /** The versions that the logs state, each once, in the order of the logs. */
  readonly v8: readonly V8Version[];
  /**
   * Whether a log is from a V8 too old to state its version: up to 3.28, that of Node 0.x. Default: false.
   */
  readonly isUnversioned?: boolean | undefined;
  readonly sampling: Sampling;
  readonly rangeRows: RangeRows;
  /** All ticks in range, including those that a filter left out of `samples`. */
  readonly ticks: Ticks;
  /** The ticks that a filter left out, with those that {@link waited}. */
  readonly excluded: Ticks;
  /** The ticks in which the thread waited, if these are left out; undefined if they count. */
  readonly waited?: WaitedTicks | undefined;
  /** Only if all logs of the processes are here, and `ticks record` measured it. */
  readonly cpu?: CpuTime | undefined;
  /** Whether ticks were chosen by their VM state: then those that waited are not left out as well. */
  readonly hasChosenStates?: boolean | undefined;
  /** All ticks in range by VM state, indexed as `VM_STATES`. */
  readonly ticksByState: readonly Ticks[];
  /**
   * The ticks with a caller in optimized code whose line and inlined functions are lost, because V8 moved its
   * return address behind all positions. Always 0 if frames have no lines.
   */
  readonly lostLines?: Ticks | undefined;
  /** Undefined if the log was read for a report that does not tell them. */
  readonly missingCallers?: MissingCallers | undefined;
  /** Whether the stacks are already those that views show: what was dropped from them is not known any more. */
  readonly hasShownStacks?: boolean | undefined;
  readonly libraries: readonly LibraryInfo[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The frames, stacks and tick counts of one or several logs, independent of the machine. */
export interface Profile {
  readonly frames: readonly Frame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  /** Every tick with its time; only if requested. */
  readonly timeline?: Timeline | undefined;
  /** Only if requested. */
  readonly deopts?: Deopts | undefined;
  /** Only if requested. */
  readonly ics?: Ics | undefined;
  /** The scripts that have ticks and whose text is in the log; empty if frames have no lines. */
  readonly sources: readonly SourceText[];
  /** Left out if the log has no texts of scripts with ticks. */
  readonly scripts?: ScriptHashes | undefined;
  /** What functions are called in every log of their program; only if requested. */
  readonly identities?: FunctionIdentities | undefined;
  readonly info: ProfileInfo;
}
