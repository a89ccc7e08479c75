import type { Micros } from "../base/units.js";

/** The top-level code of a script that V8 made: by compiling it, or from a code cache. */
export interface ModuleCode {
  readonly time: Micros;
  /** Its file, as in the names of frames. */
  readonly file: string;
}

/**
 * V8's steps of work on functions, in the order of the log, in columns. Only with `--log-function-events`. Only
 * the first `length` entries count.
 */
export interface FunctionEvents {
  readonly length: number;
  /** V8's names of the steps, each once: `full-parse`, `interpreter-lazy`, `first-execution`, … */
  readonly names: readonly string[];
  /** An index into {@link names}. */
  readonly name: Uint16Array;
  /** The id of the function's script. */
  readonly script: Int32Array;
  /** Where the function starts in its script; -1 if V8 does not say. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** In milliseconds. */
  readonly duration: Float64Array;
  /** When the step ended. */
  readonly timestamp: Float64Array;
}

/** A script of a log. */
export interface ScriptLoad {
  /** Its name as logged; empty if it has none or the log does not say. */
  readonly url: string;
  /** Whether V8 compiled it or took it from a code cache; undefined if the log does not say. */
  readonly from: "source" | "cache" | undefined;
  /** When. */
  readonly time: Micros;
}

/** A look-up in the cache that an isolate keeps of its own code. */
export interface CacheLookup {
  readonly event: string;
  readonly time: Micros;
}

/** What a log says about the start of its program. */
export interface StartupLog {
  /** In the order of the log. */
  readonly modules: readonly ModuleCode[];
  /** The first code of each other function of a package, in the order of the log: it ran, or was compiled with its script. */
  readonly functions: readonly ModuleCode[];
  /** When Node turned to the main module, after those of `--require`. Undefined if its snapshot hides that (Node 22 and later). */
  readonly entry: Micros | undefined;
  readonly events: FunctionEvents;
  /** By id. */
  readonly scripts: ReadonlyMap<number, ScriptLoad>;
  readonly lookups: readonly CacheLookup[];
}
