import type { Ticks } from "../base/units.js";
import type { LogRecord } from "../log/rows/row-decoders.js";
import type { TickRecord } from "../log/rows/tick.js";
import type { MappedCode } from "../native/process-map.js";
import type { CallTree } from "../profile/call-tree.js";
import type { LogPlatform } from "../profile/library-problem.js";
import type { RangeRows, ThreadKind } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import type { Sampling } from "../profile/sampling.js";
import type { Timeline } from "../profile/timeline.js";
import type { V8Version } from "../profile/v8-version.js";
import type { EmbeddedBuiltins } from "./builtins.js";
import type { DeoptCosts } from "./deopt-costs.js";
import type { IcRows } from "./ic-rows.js";
import type { LibraryMap } from "./libraries.js";
import type { LoggedFunction } from "./logged-functions.js";
import type { ReplayedFrame } from "./replayed-frame.js";
import type { BuiltinPlaces, Resolver } from "./resolver.js";
import type { Scripts } from "./scripts.js";
import type { LoggedStartup } from "./startup-rows.js";
import type { TickRangeOptions } from "./tick-range.js";

/** Whether a profile has deoptimizations; `events` leaves out what they cost. */
export type DeoptsForm = boolean | "events";

/** Whether to keep inline caches; `if-logged` not if the log has no rows of them, where ticks alone tell of them. */
export type IcsForm = boolean | "if-logged";

export interface ReplayOptions {
  /** What the process had mapped at its end: names ticks outside of the log's libraries. Default: unknown. */
  readonly mapped?: readonly MappedCode[] | undefined;
  /** Which ticks count. */
  readonly range: TickRangeOptions;
  /** Whether to keep each tick with its time. Default: false. */
  readonly timeline?: boolean | undefined;
  /**
   * Whether the frames of functions are offsets in their code. Default: false, each function is one frame.
   */
  readonly inlines?: boolean | undefined;
  /** Whether to keep what it takes to infer callers that the sampler skipped. Default: false. */
  readonly inferred?: boolean | undefined;
  /** Whether to keep all functions of the log, to know which is which. Default: false. Only with `inlines`. */
  readonly identities?: boolean | undefined;
  /** Whether to keep deoptimizations and their costs; `events` without costs. Default: false. */
  readonly deopts?: DeoptsForm | undefined;
  /** Whether to keep what the log says about the start of the program. Default: false. */
  readonly startup?: boolean | undefined;
  /** Whether to keep inline caches; `if-logged` only if the log has rows of them. Default: false. Only with `inlines`. */
  readonly ics?: IcsForm | undefined;
  /**
   * Whether the log is taken piece by piece, as a log grows: then all ticks and stacks of a piece can be forgotten, which those
   * in the memory of a kernel cannot. Default: false.
   */
  readonly inPieces?: boolean | undefined;
  /** Takes all records in place of the call tree, which stays empty. Default: none. */
  readonly visitor?: ReplayVisitor | undefined;
}

/** What a replay knows of one run of a log, as it is now. */
export interface VisitedRun {
  readonly resolver: Pick<Resolver, "codeAt" | "codeFrom">;
  readonly libraries: LibraryMap;
  readonly builtins: EmbeddedBuiltins;
}

/**
 * Takes the records of a log as a replay has applied them, for outputs that need more than functions and stacks: each
 * piece of code and each address.
 */
export interface ReplayVisitor {
  beginRun(run: VisitedRun): void;
  /** Takes a tick that is in the range asked for. */
  tick(tick: TickRecord): void;
  /** Takes any other record, which was applied before. */
  record(record: Exclude<LogRecord, TickRecord>): void;
  endRun(): void;
}

/** The contents of one log, before native addresses have names. */
export interface ReplayedLog {
  readonly frames: readonly ReplayedFrame[];
  readonly tree: CallTree;
  readonly samples: SampleTable;
  readonly timeline: Timeline | undefined;
  /** Only if requested. */
  readonly deopts: DeoptCosts | undefined;
  /** Only if requested. */
  readonly startup: LoggedStartup | undefined;
  /** Only if requested. */
  readonly ics: IcRows | undefined;
  readonly libraries: LibraryMap;
  readonly builtins: EmbeddedBuiltins;
  /** Undefined without the option `inferred`. */
  readonly builtinPlaces?: BuiltinPlaces | undefined;
  /** Empty without the option `inlines`. */
  readonly scripts: Scripts;
  /** All functions of the log; none without the option `identities`. */
  readonly functions: Iterable<LoggedFunction>;
  /** The functions that V8 compiled, also if no tick was in them; none without the option `inlines`. */
  readonly compiledFunctions: ReadonlySet<LoggedFunction>;
  readonly v8: V8Version | undefined;
  /** Whether it is from a V8 too old to state its version: up to 3.28. */
  readonly isUnversioned: boolean;
  /** The system that the log was recorded on. */
  readonly platform: LogPlatform;
  readonly threadKind: ThreadKind | undefined;
  /** Which worker of its process it is, as Node counts them; undefined if `ticks record` did not say so in the log. */
  readonly threadNumber: number | undefined;
  readonly sampling: Sampling;
  readonly rangeRows: RangeRows;
  readonly ticks: Ticks;
  readonly excluded: Ticks;
  readonly ticksByState: readonly Ticks[];
}
