import type { Row } from "../fields.js";
import { decodeCodeCreation } from "./code-creation.js";
import { decodeCodeDelete } from "./code-delete.js";
import { decodeCodeDeopt } from "./code-deopt.js";
import { decodeCodeMove, decodeSfiMove } from "./code-move.js";
import { decodeCodeSourceInfo } from "./code-source-info.js";
import {
  decodeCompilationCache,
  decodeFunctionEvent,
  decodeScriptDetails,
  decodeScriptEvent,
} from "./function-event.js";
import { IC_ROWS, type IcRecord, icDecoder } from "./ic.js";
import { decodeNew } from "./new.js";
import { decodeProfiler } from "./profiler.js";
import { decodeScriptSource } from "./script-source.js";
import { decodeSharedLibrary } from "./shared-library.js";
import type { TickRecord } from "./tick.js";
import { decodeActiveRuntimeTimer, decodeCurrentTime, decodeTimerEvent } from "./timer.js";
import { decodeV8Platform, decodeV8Version } from "./version.js";

/**
 * The decoder of each row, by row name. A decoder reads the fields after the name and returns undefined if it
 * cannot read the row. Ticks have a decoder of their own, which allocates nothing.
 */
const DECODERS = {
  "code-creation": decodeCodeCreation,
  "code-move": decodeCodeMove,
  "code-delete": decodeCodeDelete,
  "code-deopt": decodeCodeDeopt,
  "code-source-info": decodeCodeSourceInfo,
  "script-source": decodeScriptSource,
  "sfi-move": decodeSfiMove,
  "shared-library": decodeSharedLibrary,
  "v8-version": decodeV8Version,
  "v8-platform": decodeV8Platform,
  profiler: decodeProfiler,
  new: decodeNew,
  "current-time": decodeCurrentTime,
  "active-runtime-timer": decodeActiveRuntimeTimer,
  "timer-event-start": decodeTimerEvent,
  "timer-event-end": decodeTimerEvent,
  function: decodeFunctionEvent,
  script: decodeScriptEvent,
  "script-details": decodeScriptDetails,
  "compilation-cache": decodeCompilationCache,
};

/** Every record that a log can contain. */
export type LogRecord =
  | TickRecord
  | IcRecord
  | NonNullable<ReturnType<(typeof DECODERS)[keyof typeof DECODERS]>>;

export type RowDecoder = (row: Row) => LogRecord | undefined;

export const ROW_DECODERS: ReadonlyMap<string, RowDecoder> = new Map([
  ...Object.entries<RowDecoder>(DECODERS),
  ...IC_ROWS.map((kind): [string, RowDecoder] => [kind, icDecoder(kind)]),
]);

/** The rows of `--log-function-events`. */
export const FUNCTION_EVENT_ROWS = ["function", "script", "script-details", "compilation-cache"] as const;

/** Rows that are decoded only on request: they are long or many, and few reports use them. */
export const OPTIONAL_ROWS = [
  "code-deopt",
  "code-source-info",
  "script-source",
  ...FUNCTION_EVENT_ROWS,
  ...IC_ROWS,
] as const;

export type OptionalRow = (typeof OPTIONAL_ROWS)[number];

/**
 * Rows that V8 writes or has written and that say nothing about where ticks went.
 *
 * Source: V8, src/logging/log.cc and its predecessor src/log.cc, `LOG_EVENTS_AND_TAGS_LIST` in src/log.h, and
 * the callers of `Logger::StringEvent`, `IntEvent`, `ResourceEvent` and `HandleEvent`.
 */
export const IGNORED_ROWS: ReadonlySet<string> = new Set([
  // Written to every log by some version.
  "shared-library-end",
  "code-disable-optimization",
  "heap-capacity",
  "heap-available",
  "delete",
  // Written with one of V8's many logging flags.
  "map",
  "map-create",
  "map-details",
  "feedback-vector",
  "code-disassemble",
  "scavenge",
  "markcompact",
  "timer-event",
  "suspect-read",
  "heap-sample-begin",
  "heap-sample-end",
  "heap-sample-item",
  "heap-sample-stats",
  // Inline caches of V8 1 to 5, in another form. Source: src/ic/ic.cc, `IC::TraceIC`.
  "CallIC",
  "KeyedCallIC",
  "CompareIC",
  "BinaryOpIC",
  "ToBooleanIC",
  // Written up to Node 4, some of them only by V8 1 and 2.
  "function-creation",
  "function-move",
  "function-delete",
  "snapshot-pos",
  "snapshot-code-name",
  "code-allocate",
  "code-moving-gc",
  "begin-code-region",
  "end-code-region",
  "api",
  "debug-tag",
  "debug-queue-event",
  "heap-js-cons-item",
  "heap-js-ret-item",
  "heap-js-prod-item",
  "check-maps-depth",
  "StackDump",
  "OS::Allocate",
  "GlobalHandle::MakeWeak",
  // Regular expressions. Source: src/regexp.js and src/string.js.
  "regexp-compile",
  "regexp-exec",
  "regexp-match",
  "regexp-replace",
  "regexp-split",
  // Changes of the VM state. Source: src/vm-state-inl.h.
  "Entering",
  "From",
  "Leaving",
  "To",
]);

/** Tells apart the rows that are read, those that are skipped, and those of unknown types. */
export class RowTypes {
  readonly #skipped: ReadonlySet<string>;

  /** `optional` are the optional rows to read. */
  constructor(optional: Iterable<OptionalRow>) {
    const read = new Set<string>(optional);
    this.#skipped = new Set([...IGNORED_ROWS, ...OPTIONAL_ROWS.filter((name) => !read.has(name))]);
  }

  /** Returns whether V8 writes rows of this name. */
  isKnown(name: string): boolean {
    return name === "tick" || ROW_DECODERS.has(name) || this.#skipped.has(name);
  }

  /** Returns whether rows of this name are known and not read. */
  isSkipped(name: string): boolean {
    return this.#skipped.has(name);
  }
}
