import type { Micros } from "../../base/units.js";
import { COMMA, type Row, unescapeText } from "../fields.js";

/** A step of V8's work on a function, with its duration. Written with `--log-function-events`. */
export interface FunctionEventRecord {
  readonly type: "function";
  /** As logged: `full-parse`, `preparse-resolution`, `interpreter-lazy`, `first-execution`, … */
  readonly event: string;
  /** The id of its script. */
  readonly script: number;
  /** Where the function starts in its script, in UTF-16 units; -1 for code made with arguments of its own. */
  readonly start: number;
  readonly end: number;
  /** In milliseconds. */
  readonly duration: number;
  /** When the step ended. */
  readonly timestamp: Micros;
}

/** What happened to a whole script. Written with `--log-function-events`. */
export interface ScriptEventRecord {
  readonly type: "script";
  /** As logged: `create` for one that is compiled, `deserialize` for one from a code cache, `reserve-id`, … */
  readonly event: string;
  readonly id: number;
  readonly timestamp: Micros;
}

/** The name of a script. Written with `--log-function-events`. */
export interface ScriptDetailsRecord {
  readonly type: "script-details";
  readonly id: number;
  /** A path, a URL, `node:…`; may be empty. */
  readonly url: string;
}

/** A look-up in the cache that an isolate keeps of its own code. Written with `--log-function-events`. */
export interface CompilationCacheRecord {
  readonly type: "compilation-cache";
  /** As logged: `hit`, `put`, … */
  readonly event: string;
  /** When it happened; 0 if the row does not say. */
  readonly timestamp: Micros;
}

/** V8 writes a double: digits, a point, and an exponent for very small numbers. */
const DURATION = /^\d{1,15}(?:\.\d{1,20})?(?:e-?\d{1,2})?$/;
/** The longest number that {@link DURATION} matches. */
const DURATION_LENGTH = 40;

/**
 * `event,script,start,end,milliseconds,µs,name`. Node 8 to 10 have an empty field before the script.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::FunctionEvent`.
 */
export function decodeFunctionEvent(row: Row): FunctionEventRecord | undefined {
  const event = row.rawText();
  if (row.bytes[row.at] === COMMA) row.skip();
  const script = row.position();
  const start = row.position();
  const end = row.position();
  const text = row.rawText();
  const duration = text.length <= DURATION_LENGTH && DURATION.test(text) ? Number(text) : Number.NaN;
  const timestamp = row.natural();
  // A sum of NaN or infinity is NaN or infinity.
  if (!Number.isFinite(script + start + end + duration + timestamp)) return undefined;
  return { type: "function", event, script, start, end, duration, timestamp };
}

/** `event,id,µs`. Source: V8, src/logging/log.cc, `V8FileLogger::ScriptEvent`. */
export function decodeScriptEvent(row: Row): ScriptEventRecord | undefined {
  const event = row.rawText();
  const id = row.position();
  const timestamp = row.natural();
  return Number.isNaN(id + timestamp) ? undefined : { type: "script", event, id, timestamp };
}

/**
 * `id,url,line,column,source map`. Source: V8, src/logging/log.cc, `V8FileLogger::ScriptDetails`.
 */
export function decodeScriptDetails(row: Row): ScriptDetailsRecord | undefined {
  const id = row.position();
  if (Number.isNaN(id) || !row.hasMore()) return undefined;
  return { type: "script-details", id, url: unescapeText(row.rawText()) };
}

/**
 * `event,kind,script,start,end,µs`. Source: V8, src/logging/log.cc, `V8FileLogger::CompilationCacheEvent`.
 */
export function decodeCompilationCache(row: Row): CompilationCacheRecord {
  const event = row.rawText();
  for (let field = 0; field < 4; field++) row.skip();
  const timestamp = row.natural();
  return { type: "compilation-cache", event, timestamp: Number.isNaN(timestamp) ? 0 : timestamp };
}
