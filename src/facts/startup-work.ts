import { valueAt } from "../base/maps.js";
import { compareTexts } from "../base/sorted.js";
import type { Count, Micros } from "../base/units.js";
import type { ProfileInfo } from "../profile/profile.js";
import { isRecorderFile } from "../profile/stable-files.js";
import type { FunctionEvents, ScriptLoad, StartupLog } from "../profile/startup-log.js";

/** V8's work on the functions of one script. */
export interface ScriptWork {
  /** As logged. */
  readonly file: string;
  readonly parse: number;
  readonly compile: number;
  /** How many functions were compiled, with its top-level code. */
  readonly compiled: number;
  /** Those of them that were compiled with the code around them and never ran. */
  readonly neverRun: number;
}

/** V8's own account of its work during a start-up, by `--log-function-events`. Times are in milliseconds. */
export interface StartupWork {
  /** V8's steps by name, the most time first. Steps are parts of others: the times do not add up. */
  readonly events: readonly (WorkSum & { readonly event: string })[];
  /** Parsing of scripts and functions to compile them, with what is preparsed inside of them. */
  readonly parse: WorkSum;
  /** Preparsing: functions inside that are only checked, to be parsed when they first run. A part of `parse`. */
  readonly preparse: WorkSum;
  /** Compiling to bytecode. */
  readonly compile: WorkSum;
  /** Compiling to faster code: Sparkplug, Maglev, TurboFan. */
  readonly optimize: WorkSum;
  /** Functions that ran for the first time. */
  readonly firstRuns: number;
  /** Functions compiled when they first ran, and those compiled with the code around them. */
  readonly lazy: number;
  readonly eager: number;
  /**
   * Functions compiled with the code around them and never run, and the time to compile them; undefined if the log
   * does not tell.
   */
  readonly neverRun: WorkSum | undefined;
  /** Functions compiled more than once, and the time for all but the first. */
  readonly compiledTwice: WorkSum;
  readonly scripts: ScriptCounts;
  readonly lookups: LookupCounts;
  /** The program's scripts, the most time first. */
  readonly byScript: readonly ScriptWork[];
}

/** Scripts of the program, and of Node, that were compiled from source and taken from a code cache. */
export interface ScriptCounts {
  readonly fromSource: Count;
  readonly fromCache: Count;
  readonly nodeFromSource: Count;
  readonly nodeFromCache: Count;
}

/** Look-ups in the cache that the isolate keeps of its own code. */
export interface LookupCounts {
  readonly hits: Count;
  readonly puts: Count;
}

/** A log and the last moment of its start-up that counts. */
interface StartupPart {
  readonly startup: StartupLog;
  readonly until: Micros;
}

/**
 * V8 13, that of Node 24, is the first that logs the first run of a function only when it runs again: it does not
 * tell a function that ran once from one that never did. V8 10, of Node 18, logs no first run at all.
 *
 * Source: logs of Node 10 to 26 of one program.
 */
const FIRST_RUNS_AGAIN = 13;

/** Parsing that is not part of other parsing. */
const PARSE = /^parse-(?:script|eval|function)$/;
const PREPARSE = /^preparse-/;
const COMPILE = /^(?:interpreter|compile)(?:-|$)/;
const OPTIMIZE = /^(?:baseline|maglev|turboprop|turbofan|optimize)(?:-|$)/;
const FIRST_RUN = /^first-execution/;

/** Returns V8's work in the start-ups of logs; undefined if no log has rows about it. */
export function startupWork(
  parts: readonly StartupPart[],
  { v8 }: Pick<ProfileInfo, "v8">,
): StartupWork | undefined {
  const logs = parts.filter(({ startup }) => startup.events.length > 0);
  if (logs.length === 0) return undefined;
  const account = new WorkAccount(v8.every(({ major }) => major < FIRST_RUNS_AGAIN));
  for (const part of logs) account.add(part);
  return account.finish();
}

interface KnownFunction {
  readonly script: number;
  isTopLevel: boolean;
  isLazy: boolean;
  hasRun: boolean;
  compiled: number;
  first: number;
  more: number;
}

/** A {@link ScriptWork} that is counted. */
type FileWork = Record<"parse" | "compile" | "compiled" | "neverRun", number>;

/** Sums up the rows of several logs. */
class WorkAccount {
  readonly #events = new Map<string, WorkSum>();
  readonly #byFile = new Map<string, FileWork>();
  readonly #neverRun = newSum();
  readonly #sums = {
    parse: newSum(),
    preparse: newSum(),
    compile: newSum(),
    optimize: newSum(),
    compiledTwice: newSum(),
    firstRuns: 0,
    lazy: 0,
    eager: 0,
    scripts: { fromSource: 0, fromCache: 0, nodeFromSource: 0, nodeFromCache: 0 },
    lookups: { hits: 0, puts: 0 },
  };
  /** Whether all logs tell what ran. */
  #tellsRuns: boolean;

  constructor(tellsRuns: boolean) {
    this.#tellsRuns = tellsRuns;
  }

  add({ startup, until }: StartupPart): void {
    const { events, scripts, lookups } = startup;
    const functions = this.#addRows(events, scripts, until);
    this.#tellsRuns &&= events.names.some((name) => FIRST_RUN.test(name));
    for (const found of functions.values()) this.#addFunction(found, scripts);
    for (const { url, from, time } of scripts.values()) {
      if (from === undefined || time > until || url === "" || isRecorderFile(url)) continue;
      const owner = url.startsWith("node:") ? "nodeFrom" : "from";
      this.#sums.scripts[`${owner}${from === "source" ? "Source" : "Cache"}`]++;
    }
    for (const { event, time } of lookups) {
      if (time > until) continue;
      if (event === "hit") this.#sums.lookups.hits++;
      else if (event === "put") this.#sums.lookups.puts++;
    }
  }

  finish(): StartupWork {
    const events = Array.from(this.#events, ([event, sum]) => ({ event, ...sum }));
    const byScript = Array.from(this.#byFile, ([file, sum]) => ({ file, ...sum }));
    const time = ({ parse, compile }: ScriptWork) => parse + compile;
    return {
      ...this.#sums,
      events: events.sort((a, b) => b.milliseconds - a.milliseconds || compareTexts(a.event, b.event)),
      neverRun: this.#tellsRuns ? this.#neverRun : undefined,
      byScript: byScript.sort((a, b) => time(b) - time(a) || compareTexts(a.file, b.file)),
    };
  }

  #addRows(
    events: FunctionEvents,
    scripts: ReadonlyMap<number, ScriptLoad>,
    until: Micros,
  ): Map<string, KnownFunction> {
    const kinds = events.names.map(kindOf);
    const functions = new Map<string, KnownFunction>();
    const open = new OpenPreparses(this.#sums.preparse);
    for (let i = 0; i < events.length; i++) {
      if (events.timestamp[i]! > until) continue;
      const event = events.names[events.name[i]!]!;
      const script = events.script[i]!;
      const [start, end, milliseconds] = [events.start[i]!, events.end[i]!, events.duration[i]!];
      addWork(valueAt(this.#events, event, newSum), milliseconds);
      const kind = kinds[events.name[i]!];
      switch (kind) {
        case "parse":
          addWork(this.#sums.parse, milliseconds);
          open.close(script);
          this.#fileOf(script, scripts, (file) => {
            file.parse += milliseconds;
          });
          if (event === "parse-function") knownFunction(functions, { script, start, end }).isLazy = true;
          break;
        case "preparse":
          open.add({ script, start, end, milliseconds });
          break;
        case "compile": {
          addWork(this.#sums.compile, milliseconds);
          const found = knownFunction(functions, { script, start, end });
          if (event.endsWith("-eval") || start <= 0) found.isTopLevel = true;
          if (found.compiled++ === 0) found.first = milliseconds;
          else found.more += milliseconds;
          break;
        }
        case "optimize":
          addWork(this.#sums.optimize, milliseconds);
          break;
        case "run":
          this.#sums.firstRuns++;
          knownFunction(functions, { script, start, end }).hasRun = true;
          break;
        default:
      }
    }
    open.finish();
    return functions;
  }

  #addFunction(found: KnownFunction, scripts: ReadonlyMap<number, ScriptLoad>): void {
    const { script, compiled, first, more, hasRun, isLazy, isTopLevel } = found;
    if (compiled === 0) return;
    if (!isTopLevel) {
      if (isLazy) this.#sums.lazy++;
      else this.#sums.eager++;
    }
    // Eval and the wrappers of modules are compiled under two names.
    const repeats = isTopLevel ? 0 : compiled - 1;
    if (repeats > 0) {
      this.#sums.compiledTwice.count++;
      this.#sums.compiledTwice.milliseconds += more;
    }
    const neverRan = !hasRun && !isTopLevel && !isLazy;
    if (neverRan) addWork(this.#neverRun, first);
    this.#fileOf(script, scripts, (file) => {
      file.compile += first + more;
      file.compiled++;
      if (neverRan) file.neverRun++;
    });
  }

  #fileOf(script: number, scripts: ReadonlyMap<number, ScriptLoad>, change: (file: FileWork) => void): void {
    const url = scripts.get(script)?.url ?? "";
    if (url === "" || url.startsWith("node:")) return;
    const file = valueAt(this.#byFile, url, () => ({ parse: 0, compile: 0, compiled: 0, neverRun: 0 }));
    change(file);
  }
}

function kindOf(event: string): "parse" | "preparse" | "compile" | "optimize" | "run" | undefined {
  if (PARSE.test(event)) return "parse";
  if (PREPARSE.test(event)) return "preparse";
  if (COMPILE.test(event)) return "compile";
  if (OPTIMIZE.test(event)) return "optimize";
  return FIRST_RUN.test(event) ? "run" : undefined;
}

function knownFunction(
  functions: Map<string, KnownFunction>,
  { script, start, end }: FunctionRange,
): KnownFunction {
  const key = `${script},${start},${end}`;
  return valueAt(functions, key, () => ({
    script,
    isTopLevel: false,
    isLazy: false,
    hasRun: false,
    compiled: 0,
    first: 0,
    more: 0,
  }));
}

/** A part of V8's work. */
interface WorkSum {
  count: number;
  milliseconds: number;
}

/** Returns a sum of nothing. */
function newSum(): WorkSum {
  return { count: 0, milliseconds: 0 };
}

function addWork(sum: WorkSum, milliseconds: number): void {
  sum.count++;
  sum.milliseconds += milliseconds;
}

/** A function's place in a script. */
interface FunctionRange {
  readonly script: number;
  readonly start: number;
  readonly end: number;
}

/**
 * Counts the time of preparsing. A function is logged after those inside of it, whose times are parts of its own:
 * only the outermost ones count.
 */
class OpenPreparses {
  readonly #sum: WorkSum;
  readonly #open = new Map<number, (FunctionRange & { readonly milliseconds: number })[]>();

  constructor(sum: WorkSum) {
    this.#sum = sum;
  }

  add(row: FunctionRange & { readonly milliseconds: number }): void {
    const open = valueAt(this.#open, row.script, () => []);
    while (open.length > 0 && open.at(-1)!.start >= row.start && open.at(-1)!.end <= row.end) open.pop();
    open.push(row);
  }

  /** Ends the parsing that the open rows of a script are part of. */
  close(script: number): void {
    for (const { milliseconds } of this.#open.get(script) ?? []) addWork(this.#sum, milliseconds);
    this.#open.delete(script);
  }

  /** Ends all parsing. */
  finish(): void {
    for (const script of Array.from(this.#open.keys())) this.close(script);
  }
}
