import { LAST_INTERVAL } from "../../base/limits.js";
import type { Address, Micros } from "../../base/units.js";
import type { Diagnostics } from "../../profile/diagnostics.js";
import type { V8Version } from "../../profile/v8-version.js";
import { type Row, unescapeBytes, unescapePath, unescapeText } from "../fields.js";
import {
  decodeCodeCreation,
  decodeCodeDelete,
  decodeCodeDeopt,
  decodeCodeMove,
  decodeCodeSourceInfo,
  decodeSfiMove,
} from "./code.js";
import {
  decodeCompilationCache,
  decodeFunctionEvent,
  decodeScriptDetails,
  decodeScriptEvent,
} from "./function-event.js";
import { IC_ROWS, type IcRecord, icDecoder } from "./ic.js";
import { type TickFields, TickReader, type TickRecord } from "./tick.js";

/** V8 reserved memory. */
interface NewRecord {
  readonly type: "new";
  /** What it is for: `CodeRange`, `MemoryChunk`, … */
  readonly name: string;
  readonly address: Address;
}

/** `name,address,size`. Source: V8, src/logging/log.cc, `V8FileLogger::NewEvent`. */
function decodeNew(row: Row): NewRecord | undefined {
  const name = row.rawText();
  const address = row.codeAddress();
  return Number.isNaN(address) ? undefined : { type: "new", name, address };
}

/** The profiler started, paused, resumed or ended. */
interface ProfilerRecord {
  readonly type: "profiler";
  readonly event: string;
  /** The requested interval; undefined if the row has none. */
  readonly interval: Micros | undefined;
}

/**
 * `begin,interval` or `end`, quoted up to Node 8.
 *
 * Source: V8, src/logging/log.cc, `Profiler::Engage` and `V8FileLogger::ProfilerBeginEvent`.
 */
function decodeProfiler(row: Row): ProfilerRecord | undefined {
  const event = row.text();
  if (!row.hasMore()) return { type: "profiler", event, interval: undefined };
  const number = row.natural();
  if (!(number <= LAST_INTERVAL)) return undefined;
  // Up to Node 6 the number is in milliseconds, as few as one. Node 8, which also quotes, writes
  // microseconds.
  const isMillis = row.hasQuotes && number > 0 && number <= 10;
  return { type: "profiler", event, interval: isMillis ? number * 1000 : number };
}

/** A file mapped into the process. */
interface SharedLibraryRecord {
  readonly type: "shared-library";
  readonly path: string;
  readonly start: Address;
  readonly end: Address;
  /** What was added to every address of the file; always 0 except on macOS. */
  readonly slide: number;
}

/**
 * `path,start,end[,slide]`; the path is quoted up to Node 8.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::SharedLibraryEvent`.
 */
function decodeSharedLibrary(row: Row): SharedLibraryRecord | undefined {
  const written = row.isQuoted() ? row.text() : unescapePath(row.rawText());
  // Linux's own escape of a newline, its only one. Source: Linux, fs/proc/task_mmu.c, `show_map_vma`.
  const path = written.startsWith("/") ? written.replaceAll("\\012", "\n") : written;
  const start = row.hex();
  const end = row.hex();
  const slide = row.hasMore() ? row.integer() : 0;
  if (Number.isNaN(start + end + slide) || end < start) return undefined;
  return { type: "shared-library", path, start, end, slide };
}

/** The program asked for the time. With one of V8's flags these rows mark ranges. Written up to Node 8. */
interface CurrentTimeRecord {
  readonly type: "current-time";
}

/** The runtime timer that is active from here on. */
interface ActiveRuntimeTimerRecord {
  readonly type: "active-runtime-timer";
  readonly name: string;
}

/** V8 began or ended a timed piece of work. */
interface TimerEventRecord {
  readonly type: "timer-event";
}

function decodeCurrentTime(): CurrentTimeRecord {
  return { type: "current-time" };
}

function decodeActiveRuntimeTimer(row: Row): ActiveRuntimeTimerRecord {
  return { type: "active-runtime-timer", name: row.text() };
}

function decodeTimerEvent(): TimerEventRecord {
  return { type: "timer-event" };
}

/** The V8 that wrote the log. */
interface V8VersionRecord extends V8Version {
  readonly type: "v8-version";
}

/** The systems that V8 was built for, in V8's words. */
interface V8PlatformRecord {
  readonly type: "v8-platform";
  /** The system that it runs on, such as `linux`, `macos` or `windows`. */
  readonly system: string;
  /** The system that its code is made for, which is the same but in simulators. */
  readonly target: string;
}

/** What a program that embeds V8 appends to its version: `-node.34`, `-electron.0`. The text stands in the head of each report. */
const EMBEDDER = /^-[\w.+-]{1,40}$/;

/**
 * `major,minor,build,patch[,embedder],candidate`. What cannot be part of a version is left out.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogVersion`; include/v8-version.h, `V8_EMBEDDER_STRING`.
 */
function decodeV8Version(row: Row): V8VersionRecord | undefined {
  const major = row.integer();
  const minor = row.integer();
  const build = row.integer();
  const patch = row.integer();
  if (Number.isNaN(major + minor + build + patch)) return undefined;
  const field = row.rawText();
  const embedder = row.hasMore() && EMBEDDER.test(field) ? field : "";
  return { type: "v8-version", major, minor, build, patch, embedder };
}

/**
 * `system,target`.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogVersion`, and `V8_OS_STRING` in include/v8config.h; from V8 9 on.
 */
function decodeV8Platform(row: Row): V8PlatformRecord {
  return { type: "v8-platform", system: row.rawText(), target: row.rawText() };
}

/**
 * The text of a script. Written by Node 16 and later, when the first function with source positions is
 * logged.
 */
export interface ScriptSourceRecord {
  readonly type: "script-source";
  readonly id: number;
  /** Name of the script: a path, a URL, `node:…`, `<unknown>`; may be empty. */
  readonly url: string;
  /** The text as the log has it, which {@link scriptText} decodes. It may be empty, or megabytes long. */
  readonly source: Uint8Array<ArrayBuffer>;
}

/**
 * `id,url,source`, all on one line.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::EnsureLogScriptSource`.
 */
function decodeScriptSource(row: Row): ScriptSourceRecord | undefined {
  const id = row.position();
  if (!(id >= 0) || !row.hasMore()) return undefined;
  const url = unescapeText(row.rawText());
  return row.hasMore() ? { type: "script-source", id, url, source: row.restBytes() } : undefined;
}

export function scriptText(source: Uint8Array<ArrayBuffer>): string {
  return unescapeBytes(source);
}

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

type RowDecoder = (row: Row) => LogRecord | undefined;

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

/** Takes what a parser finds, in the order of the log. */
export interface RecordSink {
  /** All ticks share one record object. `line` counts from 1. */
  takeRecord(record: LogRecord, line: number): void;
  /** Takes `count` ticks at once, as most of them arrive. The fields are valid only during the call; `line` is that of the last one. */
  takeTicks(fields: TickFields, count: number, line: number): void;
}

/** Takes what a parser found, in the order of the log; scripts that a thread held back come last. */
export interface RecordTaker extends RecordSink, Pick<Diagnostics, "add"> {}

/** Returns a sink that receives each tick as a record. */
export function recordSink(takeRecord: (record: LogRecord) => void): RecordSink {
  const reader = new TickReader(takeRecord);
  return { takeRecord, takeTicks: (fields) => reader.read(fields) };
}
