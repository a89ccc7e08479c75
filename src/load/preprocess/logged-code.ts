import { reaching } from "../../base/columns.js";
import { valueAt } from "../../base/maps.js";
import type { Address, Micros, Ticks } from "../../base/units.js";
import type { CodeCreationRecord, CodeDeoptRecord, CodeSourceInfoRecord } from "../../log/rows/code.js";
import type { LogRecord, OptionalRow, ScriptSourceRecord } from "../../log/rows/row-decoders.js";
import type { TickRecord } from "../../log/rows/tick.js";
import type { Library } from "../../native/symbol-source.js";
import { CallTreeBuilder, ROOT } from "../../profile/call-tree.js";
import { askedOrDefault } from "../../profile/sampling.js";
import type { VmState } from "../../profile/vm-state.js";
import { type Code, plainMark } from "../../replay/replayed-frame.js";
import type { ReplayVisitor, VisitedRun } from "../../replay/replayed-log.js";

/** The optional rows that the parser must read. */
export const PREPROCESS_ROWS: readonly OptionalRow[] = ["code-deopt", "code-source-info", "script-source"];

/** The code of one `code-creation` row. */
export interface LoggedCode {
  /** Its index among all code of the log, from 0. */
  readonly number: number;
  readonly name: string;
  /** As logged: `Builtin`, `JS`, `RegExp`, … */
  readonly codeType: string;
  readonly timestamp: Micros;
  /** The number of its function; {@link NO_FUNCTION} if it is not one. */
  readonly function: number;
  /** V8's name of a function's tier; empty if the code is not a function. */
  readonly tier: string;
  /** The number of libraries that the log had named before it. */
  readonly libraries: number;
  /** The index of the library in which it was created, once its run has ended; -1 for none. */
  library: number;
  /** Its address when it was created. */
  readonly start: Address;
  /** Its last logged source positions. */
  source: LoggedSource | undefined;
  /** Its first deoptimization. Later ones come from stacks that still ran it. */
  deopt: CodeDeoptRecord | undefined;
}

/** The source positions of a code, and the numbers of the functions inlined in it, null if unknown. */
export interface LoggedSource {
  readonly info: CodeSourceInfoRecord;
  readonly functions: readonly (number | null)[];
}

export const NO_FUNCTION = -1;
/** Stands for the code of a location that is in no code of the log. */
export const NO_CODE = -1;

/** A function and the numbers of its code in the order of the log. */
export interface NumberedFunction {
  readonly name: string;
  readonly codes: number[];
}

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

/** The run that is being read, and how much there was before it. */
interface OpenRun extends VisitedRun {
  readonly firstCode: number;
  readonly firstLocation: number;
  readonly firstTick: number;
}

/**
 * Keeps what `--preprocess` writes: all code, functions and scripts, and every tick with its exact addresses. Addresses in code
 * of the log are resolved at their tick, others once libraries have names.
 *
 * Source: V8, tools/profile.mjs, `JsonProfile`.
 */
export class PreprocessVisitor implements ReplayVisitor {
  readonly codes: LoggedCode[] = [];
  readonly functions: NumberedFunction[] = [];
  /** By id; the last of several with one id. */
  readonly scripts = new Map<number, ScriptSourceRecord>();
  /** Of all runs that have ended, one run's after the other's. */
  readonly libraries: Library[] = [];
  /** The stacks of the ticks. Their frames are locations. */
  readonly tree = new CallTreeBuilder();
  readonly locations = new LocationTable();
  readonly ticks = new TickColumns();
  readonly #includes: (state: VmState) => boolean;
  #run: OpenRun | undefined;
  /** The number of each piece of code that may still be alive. */
  readonly #numbers = new WeakMap<Code, number>();
  /** Functions by the address of their SharedFunctionInfo. */
  readonly #functionAt = new Map<Address, number>();
  /** The interval asked for. */
  #interval: Micros | undefined;
  /** Whether the log's V8 calls Sparkplug {@link OLD_SPARKPLUG}. */
  #hasOldNames = false;

  /** `includes` returns whether to keep the ticks of a VM state. */
  constructor(includes: (state: VmState) => boolean = () => true) {
    this.#includes = includes;
  }

  beginRun(run: VisitedRun): void {
    this.#run = {
      ...run,
      firstCode: this.codes.length,
      firstLocation: this.locations.length,
      firstTick: this.ticks.length,
    };
    this.locations.beginRun();
    this.#functionAt.clear();
  }

  /**
   * Adds a tick. Its stack is the program counter, or the C++ callback that it was in, and the callers. The
   * word at the top of the stack is ignored: V8 means to use it but does not.
   *
   * Source: V8, tools/tickprocessor.mjs, `TickProcessor.processTick`; tools/profile.mjs,
   * `JsonProfile.recordTick`.
   */
  tick({ pc, tos, isExternal, frames, depth, timestamp, vmState }: TickRecord): void {
    if (!this.#includes(vmState)) return;
    let node = ROOT;
    for (let i = 0; i < depth; i++) node = this.tree.child(node, this.#locationOf(frames[i]!));
    node = this.tree.child(node, this.#locationOf(isExternal ? tos : pc));
    this.ticks.push(node, timestamp, vmState);
  }

  record(record: Exclude<LogRecord, TickRecord>): void {
    switch (record.type) {
      case "code-creation":
        this.#create(record);
        break;
      case "sfi-move":
        this.#moveFunction(record.from, record.to);
        break;
      case "code-source-info": {
        const code = this.#codeFrom(record.address);
        const functions = record.functions.map((sfi) => this.#functionAt.get(sfi) ?? null);
        if (code !== undefined) code.source = { info: record, functions };
        break;
      }
      case "code-deopt": {
        const code = record.details && this.#codeFrom(record.details.address);
        if (code !== undefined) code.deopt ??= record;
        break;
      }
      case "script-source":
        this.scripts.set(record.id, record);
        break;
      case "v8-version":
        this.#hasOldNames = record.major < 10 || (record.major === 10 && record.minor <= 2);
        break;
      case "profiler":
        this.#interval ??= record.interval;
        break;
      default: // The format does not have it.
    }
  }

  /** Finds the libraries of a run's addresses, and the code of those in the copy of the builtins that some versions run. */
  endRun(): void {
    const { resolver, libraries: map, builtins, firstCode, firstLocation } = this.#run!;
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
      const found = isInLibrary(original) ? resolver.codeAt(original) : undefined;
      if (found === undefined) continue;
      codes[i] = this.#numbers.get(found.code)!;
      values[i] = found.offset;
    }
  }

  /** Gives the ticks of a log without times their times. Call it after the last run. */
  finish(): void {
    const { timestamp, length } = this.ticks;
    if (timestamp.subarray(0, length).every((time) => time === 0)) {
      this.ticks.space(askedOrDefault(this.#interval));
    }
  }

  /** Counts the ticks of a run on each leaf that may be in the copy of the builtins. */
  #ticksOutside(isInLibrary: (address: Address) => boolean): Map<Address, Ticks> {
    const { builtins, firstTick } = this.#run!;
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

  #create({ codeType, name, timestamp, address, function: made }: CodeCreationRecord): void {
    const number = this.codes.length;
    this.codes.push({
      number,
      name,
      codeType,
      timestamp,
      function: made?.sfi === undefined ? NO_FUNCTION : this.#functionOf(name, made.sfi, number),
      tier: made === undefined ? "" : this.#tierOf(made.mark),
      libraries: this.libraries.length + this.#run!.libraries.libraries.length,
      library: -1,
      start: address,
      source: undefined,
      deopt: undefined,
    });
    // The row of a builtin that is logged again as a function stands for no other code.
    const code = this.#run!.resolver.codeFrom(address);
    if (code !== undefined && !this.#numbers.has(code)) this.#numbers.set(code, number);
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
    return plain === SPARKPLUG && this.#hasOldNames ? OLD_SPARKPLUG : (TIERS.get(plain) ?? NO_TIER);
  }

  #moveFunction(from: Address, to: Address): void {
    const number = this.#functionAt.get(from);
    if (number === undefined) return;
    this.#functionAt.delete(from);
    this.#functionAt.set(to, number);
  }

  #locationOf(address: Address): number {
    const found = this.#run!.resolver.codeAt(address);
    return found === undefined
      ? this.locations.outside(address)
      : this.locations.inCode(this.#numbers.get(found.code)!, found.offset);
  }

  /** Returns the code that starts at an address now. */
  #codeFrom(address: Address): LoggedCode | undefined {
    const code = this.#run!.resolver.codeFrom(address);
    return code && this.codes[this.#numbers.get(code)!];
  }
}

/**
 * Numbers the locations in stacks: a code of the log and an offset in it, or an address that no code of the
 * log covers. Equal locations get one number; numbers count up from 0.
 */
class LocationTable {
  length = 0;
  /** The number of the code; {@link NO_CODE} outside all code. Only the first `length` entries count. */
  code = new Int32Array(256);
  /** The offset in the code, in bytes; the {@link Address} itself outside all code. */
  value = new Float64Array(256);
  /** Outside all code: the index of its library, once its run has ended; -1 for none. */
  library = new Int32Array(256);
  readonly #byAddress = new Map<Address, number>();
  /** By code: its locations by offset. */
  readonly #byOffset: (Map<number, number> | undefined)[] = [];

  /** Returns the location at an offset in a code. */
  inCode(code: number, offset: number): number {
    this.#byOffset[code] ??= new Map();
    return this.#intern(this.#byOffset[code], code, offset);
  }

  /** Returns the location at an address that no code covers. */
  outside(address: Address): number {
    return this.#intern(this.#byAddress, NO_CODE, address);
  }

  /** Forgets the addresses outside all code: another run has others there. */
  beginRun(): void {
    this.#byAddress.clear();
  }

  #intern(locations: Map<number, number>, code: number, value: number): number {
    return valueAt(locations, value, () => {
      const location = this.length++;
      this.code = reaching(this.code, location);
      this.value = reaching(this.value, location);
      this.library = reaching(this.library, location);
      this.code[location] = code;
      this.value[location] = value;
      this.library[location] = -1;
      return location;
    });
  }
}

/** Single ticks in the order of the log, in columns. Only the first `length` entries count. */
class TickColumns {
  length = 0;
  /** The stack: a node of a call tree. */
  node = new Int32Array(1024);
  timestamp = new Float64Array(1024);
  vmState = new Uint8Array(1024);

  /** Spaces the ticks evenly, for logs without times. */
  space(interval: Micros): void {
    for (let tick = 0; tick < this.length; tick++) this.timestamp[tick] = tick * interval;
  }

  push(node: number, timestamp: Micros, state: VmState): void {
    const tick = this.length++;
    this.node = reaching(this.node, tick);
    this.timestamp = reaching(this.timestamp, tick);
    this.vmState = reaching(this.vmState, tick);
    this.node[tick] = node;
    this.timestamp[tick] = timestamp;
    this.vmState[tick] = state;
  }
}
