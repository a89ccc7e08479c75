import { widened } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Micros } from "../base/units.js";
import type { CodeCreationRecord } from "../log/rows/code.js";
import type {
  CompilationCacheRecord,
  FunctionEventRecord,
  ScriptDetailsRecord,
  ScriptEventRecord,
} from "../log/rows/function-event.js";
import { parseLoggedName } from "../profile/logged-name.js";
import type { CacheLookup, FunctionEvents, ModuleCode, ScriptLoad } from "../profile/startup-log.js";

/** The end of the logged name of a script's top-level code. */
const FIRST_POSITION = ":1:1";

/** Matches the function of Node 12 and later that runs the main module. Source: Node, lib/internal/modules/run_main.js. */
const ENTRY = /^executeUserEntryPoint (?:node:)?internal\/modules\/run_main(?:\.js)?:/;

/** The top-level code of a script, with its logged name. */
interface LoggedModule {
  readonly time: Micros;
  /** As logged: a space, `script:1:1`. */
  readonly name: string;
}

/** Returns the script of which a logged name is the top-level code; undefined for any other function. */
export function topLevelScript(name: string): string | undefined {
  const isTopLevel = name.startsWith(" ") && name.endsWith(FIRST_POSITION);
  return (isTopLevel && name.slice(1, -FIRST_POSITION.length)) || undefined;
}

/** Keeps what a log says about modules, and V8's work on functions. */
export class StartupRows {
  readonly #modules: LoggedModule[] = [];
  readonly #functions: ModuleCode[] = [];
  #entry: Micros | undefined;
  /** The names of the modules and functions. Only their first code counts. */
  readonly #known = new Set<string>();
  readonly #events = new FunctionEventColumns();
  readonly #scripts = new Map<number, ScriptLoad>();
  readonly #lookups: CacheLookup[] = [];

  /** Adds code. */
  create({ name, timestamp, function: made }: CodeCreationRecord): void {
    if (made === undefined) return;
    const isModule = topLevelScript(name) !== undefined;
    if (!isModule && !name.includes("node_modules")) {
      if (ENTRY.test(name)) this.#entry ??= timestamp;
      return;
    }
    if (this.#known.has(name)) return;
    this.#known.add(name);
    if (isModule) this.#modules.push({ time: timestamp, name });
    else this.#functions.push({ time: timestamp, file: parseLoggedName(name).file ?? "" });
  }

  /** Adds a row of `--log-function-events`. */
  add(record: FunctionEventRecord | ScriptEventRecord | ScriptDetailsRecord | CompilationCacheRecord): void {
    switch (record.type) {
      case "function":
        this.#events.add(record);
        break;
      case "script":
        this.#addScript(record);
        break;
      case "script-details": {
        const known = this.#scripts.get(record.id);
        this.#scripts.set(record.id, { from: undefined, time: 0, ...known, url: record.url });
        break;
      }
      case "compilation-cache":
        this.#lookups.push({ event: record.event, time: record.timestamp });
    }
  }

  /** Returns what was kept. */
  finish() {
    return {
      modules: this.#modules,
      functions: this.#functions,
      entry: this.#entry,
      events: this.#events.finish(),
      scripts: this.#scripts,
      lookups: this.#lookups,
    };
  }

  #addScript({ event, id, timestamp }: ScriptEventRecord): void {
    const from = event === "create" ? "source" : event === "deserialize" ? "cache" : undefined;
    if (from === undefined) return;
    this.#scripts.set(id, { url: this.#scripts.get(id)?.url ?? "", from, time: timestamp });
  }
}

/** What a {@link StartupRows} kept. */
export type LoggedStartup = ReturnType<StartupRows["finish"]>;

/** V8 has some 30 names of steps. */
const MOST_NAMES = 200;
/** What any step after so many names is called. */
const OTHER = "other";

/** Builds {@link FunctionEvents}. */
class FunctionEventColumns {
  readonly #names: string[] = [];
  readonly #numbers = new Map<string, number>();
  #length = 0;
  #name = new Uint16Array(256);
  #script = new Int32Array(256);
  #start = new Int32Array(256);
  #end = new Int32Array(256);
  #duration = new Float64Array(256);
  #timestamp = new Float64Array(256);

  add({ event, script, start, end, duration, timestamp }: FunctionEventRecord): void {
    if (this.#length === this.#name.length) this.#grow();
    const at = this.#length++;
    this.#name[at] = this.#numberOf(event);
    this.#script[at] = script;
    this.#start[at] = start;
    this.#end[at] = end;
    this.#duration[at] = duration;
    this.#timestamp[at] = timestamp;
  }

  finish(): FunctionEvents {
    return {
      length: this.#length,
      names: this.#names,
      name: this.#name,
      script: this.#script,
      start: this.#start,
      end: this.#end,
      duration: this.#duration,
      timestamp: this.#timestamp,
    };
  }

  #numberOf(event: string): number {
    const name = this.#names.length < MOST_NAMES || this.#numbers.has(event) ? event : OTHER;
    return valueAt(this.#numbers, name, () => this.#names.push(name) - 1);
  }

  #grow(): void {
    const capacity = this.#name.length * 2;
    this.#name = widened(this.#name, capacity);
    this.#script = widened(this.#script, capacity);
    this.#start = widened(this.#start, capacity);
    this.#end = widened(this.#end, capacity);
    this.#duration = widened(this.#duration, capacity);
    this.#timestamp = widened(this.#timestamp, capacity);
  }
}
