import type { Diagnostics } from "../diagnostics.js";
import { assertNever } from "../errors.js";
import type { CodeCreationRecord } from "../parser/rows/code-creation.js";
import type { CodeDeoptRecord } from "../parser/rows/code-deopt.js";
import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import type { LogRecord, OptionalRow } from "../parser/rows/row-decoders.js";
import type { ScriptSourceRecord } from "../parser/rows/script-source.js";
import type { TickRecord } from "../parser/rows/tick.js";
import { CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { askedOrDefault } from "../profile/sampling.js";
import type { Address, Micros, Ticks } from "../profile/units.js";
import { AddressCache } from "../recorder/address-cache.js";
import { EmbeddedBuiltins } from "../recorder/builtins.js";
import { CodeMap } from "../recorder/code-map.js";
import { LibraryMap } from "../recorder/library-map.js";
import { plainMark } from "../recorder/recorded-frame.js";
import type { Library } from "../symbols/symbol-source.js";
import { LocationTable, NO_CODE } from "./code-locations.js";
import { type LoggedCode, type LoggedFunction, NO_FUNCTION } from "./logged-code.js";
import { TickColumns } from "./tick-columns.js";

/** The optional rows that the parser must read. */
export const PREPROCESS_ROWS: readonly OptionalRow[] = ["code-deopt", "code-source-info", "script-source"];

/** V8's name for a function's code without a mark. */
const NO_TIER = "Builtin";

const SPARKPLUG = "^";
/** What V8 called Sparkplug up to version 10.2, that of Node 18. */
const OLD_SPARKPLUG = "Baseline";

/** V8's tier names by mark. Source: V8, tools/profile.mjs, `Profile.getKindFromState`. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ["", NO_TIER],
  ["~", "Unopt"],
  [SPARKPLUG, "Sparkplug"],
  ["-", "Turboprop"],
  ["+", "Maglev"],
  ["*", "Opt"],
]);

/** The options of {@link PreprocessRecorder}. */
export interface PreprocessOptions {
  /** Returns whether to keep a tick. Default: keeps all. */
  readonly includes?: ((tick: TickRecord) => boolean) | undefined;
}

/**
 * Applies the records of one log in order and keeps what `--preprocess` writes: all code, functions and
 * scripts, and every tick with its exact addresses. Addresses in code of the log are resolved at their tick,
 * others once libraries have names.
 *
 * Source: V8, tools/profile.mjs, `JsonProfile`.
 */
export class PreprocessRecorder {
  readonly codes: LoggedCode[] = [];
  readonly functions: LoggedFunction[] = [];
  /** By id; the last of several with one id. */
  readonly scripts = new Map<number, ScriptSourceRecord>();
  /** Of all runs that have ended, one run's after the other's. */
  readonly libraries: Library[] = [];
  /** The stacks of the ticks. Their frames are locations. */
  readonly tree = new CallTreeBuilder();
  readonly locations = new LocationTable();
  readonly ticks = new TickColumns();
  readonly #diagnostics: Diagnostics;
  readonly #line: () => number;
  readonly #includes: (tick: TickRecord) => boolean;
  readonly #cache = new AddressCache();
  #run = this.#newRun();
  #alive = this.#noCode();
  /** Holds an address from a register for {@link #locationOf}. */
  readonly #registers = new Float64Array(1);
  /** Functions by the address of their SharedFunctionInfo. */
  readonly #functionAt = new Map<Address, number>();
  /** The interval asked for. */
  #interval: Micros | undefined;
  /** Whether the log's V8 calls Sparkplug {@link OLD_SPARKPLUG}. */
  #hasOldNames = false;

  /** `line` returns the line of the record that is being applied. */
  constructor(diagnostics: Diagnostics, line: () => number, options: PreprocessOptions = {}) {
    this.#diagnostics = diagnostics;
    this.#line = line;
    this.#includes = options.includes ?? (() => true);
  }

  /** Forgets the code that is alive, the functions and the libraries at their addresses: another run begins, in the same file. */
  beginRun(): void {
    this.#endRun();
    this.#run = this.#newRun();
    this.locations.beginRun();
    this.#alive = this.#noCode();
    this.#functionAt.clear();
    this.#cache.forget(0, Number.POSITIVE_INFINITY);
  }

  apply(record: LogRecord): void {
    switch (record.type) {
      case "tick":
        if (this.#includes(record)) this.#applyTick(record);
        break;
      case "code-creation":
        this.#create(record);
        break;
      case "code-move":
        this.#move(record.from, record.to);
        break;
      case "code-delete":
        if (!this.#alive.delete(record.address)) this.#report("unknown-code-delete");
        break;
      case "sfi-move":
        this.#moveFunction(record.from, record.to);
        break;
      case "code-source-info":
        this.#addSource(record);
        break;
      case "code-deopt":
        this.#addDeopt(record);
        break;
      case "script-source":
        this.scripts.set(record.id, record);
        break;
      case "shared-library":
        this.#run.libraries.add(record);
        break;
      case "new":
        if (record.name === "CodeRange") this.#run.builtins.codeRange = record.address;
        break;
      case "v8-version":
        this.#hasOldNames = record.major < 10 || (record.major === 10 && record.minor <= 2);
        break;
      case "profiler":
        this.#interval ??= record.interval;
        break;
      case "v8-platform":
      case "current-time":
      case "active-runtime-timer":
      case "timer-event":
      case "function":
      case "script":
      case "script-details":
      case "compilation-cache":
      case "ic":
        break; // The format does not have them.
      default:
        assertNever(record);
    }
  }

  /** Ends the last run, and gives the ticks of a log without times their times. Call it after the last record. */
  finish(): void {
    this.#endRun();
    const { timestamp, length } = this.ticks;
    if (timestamp.subarray(0, length).every((time) => time === 0)) {
      this.ticks.space(askedOrDefault(this.#interval));
    }
  }

  #newRun() {
    return {
      libraries: new LibraryMap(),
      builtins: new EmbeddedBuiltins(),
      firstCode: this.codes.length,
      firstLocation: this.locations.length,
      firstTick: this.ticks.length,
    };
  }

  /** Finds the libraries of a run's addresses, and the code of those in the copy of the builtins that some versions run. */
  #endRun(): void {
    const { libraries: map, builtins, firstCode, firstLocation } = this.#run;
    const firstLibrary = this.libraries.length;
    for (const library of map.libraries) this.libraries.push(library);
    const indexOf = (address: Address) => {
      const index = map.find(address);
      return index < 0 ? -1 : firstLibrary + index;
    };
    for (const code of this.codes.slice(firstCode)) code.library = indexOf(code.start);
    const isInLibrary = (address: Address) => map.find(address) >= 0;
    const copy = builtins.locateCopy(this.#ticksOutside(isInLibrary), isInLibrary);
    const shift = copy === "refuted" ? undefined : copy?.shift;
    const { code: codes, value: values, library, length } = this.locations;
    for (let i = firstLocation; i < length; i++) {
      if (codes[i] !== NO_CODE) continue;
      library[i] = indexOf(values[i]!);
      if (library[i]! >= 0 || shift === undefined) continue;
      const original = values[i]! - shift;
      const code = isInLibrary(original) ? this.#alive.find(original) : undefined;
      if (code === undefined) continue;
      codes[i] = code.number;
      values[i] = original - code.address;
    }
  }

  /** Counts the ticks of a run on each leaf that may be in the copy of the builtins. */
  #ticksOutside(isInLibrary: (address: Address) => boolean): Map<Address, Ticks> {
    const { builtins, firstTick } = this.#run;
    const { ticks, tree, locations } = this;
    const counts = new Map<Address, Ticks>();
    for (let i = firstTick; i < ticks.length; i++) {
      const location = tree.frame[ticks.node[i]!]!;
      const address = locations.value[location]!;
      if (locations.code[location] !== NO_CODE || !builtins.mayCopy(address) || isInLibrary(address))
        continue;
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
    return counts;
  }

  #noCode(): CodeMap<LoggedCode> {
    return new CodeMap<LoggedCode>((start, end) => this.#cache.forget(start, end));
  }

  #create(record: CodeCreationRecord): void {
    const { codeType, name, timestamp, address, size } = record;
    if (codeType === "Builtin" || codeType === "BytecodeHandler") this.#run.builtins.add(record);
    const number = this.codes.length;
    const sfi = record.function?.sfi;
    const code: LoggedCode = {
      number,
      name,
      codeType,
      timestamp,
      function: sfi === undefined ? NO_FUNCTION : this.#functionOf(name, sfi, number),
      tier: record.function === undefined ? "" : this.#tierOf(record.function.mark),
      libraries: this.libraries.length + this.#run.libraries.libraries.length,
      library: -1,
      start: address,
      address,
      source: undefined,
      deopt: undefined,
    };
    this.codes.push(code);
    // Node 6 and 8 log a builtin a second time as a function, often without a name: the first row is kept.
    const isRepeated = this.#alive.findExact(address, size)?.codeType === "Builtin";
    if (codeType === "Builtin" || !isRepeated) this.#alive.insert(address, size, code);
  }

  /**
   * Returns the number of a code's function. If the name differs, another function now has the
   * SharedFunctionInfo's address.
   */
  #functionOf(name: string, sfi: Address, code: number): number {
    let number = this.#functionAt.get(sfi);
    if (number === undefined || this.functions[number]!.name !== name) {
      number = this.functions.push({ name, codes: [] }) - 1;
      this.#functionAt.set(sfi, number);
    }
    this.functions[number]!.codes.push(code);
    return number;
  }

  #tierOf(mark: string): string {
    const plain = plainMark(mark);
    if (plain === SPARKPLUG && this.#hasOldNames) return OLD_SPARKPLUG;
    const tier = TIERS.get(plain);
    if (tier === undefined) this.#report("unknown-tier");
    return tier ?? NO_TIER;
  }

  #move(from: Address, to: Address): void {
    const code = this.#codeAt(from);
    if (code === undefined) {
      this.#report("unknown-code-move");
      return;
    }
    this.#alive.move(from, to);
    code.address = to;
  }

  #moveFunction(from: Address, to: Address): void {
    const number = this.#functionAt.get(from);
    if (number === undefined) return;
    this.#functionAt.delete(from);
    this.#functionAt.set(to, number);
  }

  #addSource(info: CodeSourceInfoRecord): void {
    const code = this.#codeAt(info.address);
    if (code === undefined) return;
    code.source = { info, functions: info.functions.map((sfi) => this.#functionAt.get(sfi) ?? null) };
  }

  #addDeopt(record: CodeDeoptRecord): void {
    const code = record.details && this.#codeAt(record.details.address);
    if (code !== undefined) code.deopt ??= record;
  }

  /**
   * Adds a tick. Its stack is the program counter, or the C++ callback that it was in, and the callers. The
   * word at the top of the stack is ignored: V8 means to use it but does not.
   *
   * Source: V8, tools/tickprocessor.mjs, `TickProcessor.processTick`; tools/profile.mjs,
   * `JsonProfile.recordTick`.
   */
  #applyTick(tick: TickRecord): void {
    let node = ROOT;
    for (let i = 0; i < tick.depth; i++) node = this.tree.child(node, this.#locationOf(tick.frames, i));
    this.#registers[0] = tick.isExternal ? tick.tos : tick.pc;
    node = this.tree.child(node, this.#locationOf(this.#registers, 0));
    this.ticks.push(node, tick.timestamp, tick.vmState);
  }

  #locationOf(addresses: Float64Array, index: number): number {
    const cached = this.#cache.get(addresses, index);
    if (cached >= 0) return cached;
    const address = addresses[index]!;
    const code = this.#alive.find(address);
    const location =
      code === undefined
        ? this.locations.outside(address)
        : this.locations.inCode(code.number, address - code.address);
    this.#cache.set(address, location);
    return location;
  }

  /** Returns the code that starts at an address now. */
  #codeAt(address: Address): LoggedCode | undefined {
    const code = this.#alive.find(address) ?? this.#alive.findExact(address, 0);
    return code?.address === address ? code : undefined;
  }

  #report(code: "unknown-code-move" | "unknown-code-delete" | "unknown-tier"): void {
    this.#diagnostics.add(code, this.#line());
  }
}
