import type { Address } from "../base/units.js";
import type { CodeSourceInfoRecord } from "../log/rows/code.js";
import { OPTIMIZED_TIERS, type Tier } from "../profile/frame.js";

/** A position in the source of a piece of code. */
export interface SourcePosition {
  /** In UTF-16 units from the start of the script of the function running there; may be negative. */
  readonly offset: number;
  /** An index into the code's inlined calls; -1 in the function itself. */
  readonly inlining: number;
}

const ZERO = 48;
const UPPER_C = 67;
const UPPER_F = 70;
// Letters as the difference to the digit 0.
const NEGATIVE = 45 - ZERO;
const INLINING = 73 - ZERO;
const OFFSET = 79 - ZERO;

/** The integers of an entry, and which is which. */
const ENTRY = { integers: 3, number: 0, offset: 1, inlining: 2 } as const;
/** Characters in the shortest entry, `FO0`. */
const ENTRY_LENGTH = 3;

/** Entries of a letter, a number and a {@link SourcePosition}: `C12O34`, `C12O-1I5`, `FO34`. */
class Entries {
  readonly length: number;
  readonly #integers: Int32Array;

  /** Reads a text and skips what is not an entry. Without `isOptional`, an entry must have a number. */
  constructor(text: string, letter: number, isOptional: boolean) {
    const integers = roomFor(Math.ceil(text.length / ENTRY_LENGTH) * ENTRY.integers);
    let length = 0;
    // One loop without calls, which looks at each letter once: most logs have many short texts, before V8 has compiled this.
    for (let at = 0; at < text.length; ) {
      if (text.charCodeAt(at++) !== letter) continue;
      let start = at;
      let number = 0;
      let digit = text.charCodeAt(at) - ZERO;
      for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) number = number * 10 + digit;
      const hasNumber = at > start;
      if (!(hasNumber || isOptional) || digit !== OFFSET) continue;
      digit = text.charCodeAt(++at) - ZERO;
      const isNegative = digit === NEGATIVE;
      if (isNegative) digit = text.charCodeAt(++at) - ZERO;
      start = at;
      let offset = 0;
      for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO) offset = offset * 10 + digit;
      if (at === start) continue;
      let inlining = -1;
      if (digit === INLINING) {
        start = ++at;
        inlining = 0;
        digit = text.charCodeAt(at) - ZERO;
        for (; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - ZERO)
          inlining = inlining * 10 + digit;
        if (at === start) inlining = -1;
      }
      integers[length + ENTRY.number] = hasNumber ? number : -1;
      integers[length + ENTRY.offset] = isNegative ? -offset : offset;
      integers[length + ENTRY.inlining] = inlining;
      length += ENTRY.integers;
    }
    this.#integers = integers.slice(0, length);
    this.length = length / ENTRY.integers;
  }

  /** Returns the last entry whose number is at most a limit; -1 if there is none. Numbers ascend. */
  lastUpTo(limit: number): number {
    const integers = this.#integers;
    let low = 0;
    let high = this.length;
    // Not `partitionPoint`: its calls take more time than the search.
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (integers[middle * ENTRY.integers + ENTRY.number]! <= limit) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Returns the number of an entry; -1 if it has none. */
  number(index: number): number {
    return this.#integers[index * ENTRY.integers + ENTRY.number]!;
  }

  position(index: number): SourcePosition {
    const at = index * ENTRY.integers;
    return { offset: this.#integers[at + ENTRY.offset]!, inlining: this.#integers[at + ENTRY.inlining]! };
  }

  offsets(): Int32Array {
    const offsets = new Int32Array(this.length);
    for (let i = 0; i < offsets.length; i++) offsets[i] = this.#integers[i * ENTRY.integers + ENTRY.offset]!;
    return offsets;
  }
}

/** Room for the entries of nearly all texts. */
const ROOM = new Int32Array(1 << 14);

/** Returns an array of at least so many integers, to be used until the next call. */
function roomFor(length: number): Int32Array {
  return length > ROOM.length ? new Int32Array(length) : ROOM;
}

/**
 * The source position of each part of a piece of code: each entry applies up to the next one.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogSourceCodeInformation`;
 * src/codegen/source-position-table.h.
 */
export class PositionTable {
  readonly length: number;
  /** The number of each is its start in bytes from the start of the code; they ascend. */
  readonly #entries: Entries;

  /** Reads the positions of a code-source-info row. */
  constructor(text: string) {
    this.#entries = new Entries(text, UPPER_C, false);
    this.length = this.#entries.length;
  }

  /** Returns the entry for a code offset, the last of several that begin there; -1 before the first. */
  indexAt(codeOffset: number): number {
    return this.#entries.lastUpTo(codeOffset);
  }

  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }

  /** Returns the code offset where an entry begins. */
  startOf(index: number): number {
    return this.#entries.number(index);
  }

  /** Returns how many bytes behind the start of the last entry a code offset is. There must be an entry. */
  behindLast(codeOffset: number): number {
    return codeOffset - this.#entries.number(this.length - 1);
  }

  /** Returns the script offset of each position. */
  offsets(): Int32Array {
    return this.#entries.offsets();
  }
}

/** The positions of a piece of code as logged, and once they are read. */
interface LoggedPositions {
  readonly positions: string;
  table: PositionTable | undefined;
}

/** Returns the positions of a piece of code. They are read once. */
export function tableOf(source: LoggedPositions): PositionTable {
  source.table ??= new PositionTable(source.positions);
  return source.table;
}

/** The calls that the compiler replaced by the bodies of their callees, from a code-source-info row. */
export class InlinedCalls {
  readonly length: number;
  readonly #entries: Entries;

  constructor(text: string) {
    this.#entries = new Entries(text, UPPER_F, true);
    this.length = this.#entries.length;
  }

  /**
   * Returns the function of a call: an index into the functions of the code's row; -1 for the code's own
   * function, which recursion inlines into itself.
   *
   * Source: V8, src/objects/deoptimization-data.cc, `DeoptimizationData::GetInlinedFunction`.
   */
  functionOf(index: number): number {
    return this.#entries.number(index);
  }

  /** Returns where a call is, in the caller's script. */
  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }
}

/** A function of a script: what its code in all tiers has in common. */
export interface LoggedFunction {
  /** As logged: its name, a space, `script:line:column`. */
  readonly name: string;
  /** The id of its script; -1 until a row states it. */
  script: number;
  /** Where it starts in its script, in UTF-16 units; -1 until a row states it. */
  start: number;
  end: number;
  /** The position table of its bytecode; empty until a row has it. */
  bytecodePositions: string;
  /** Its first pieces of optimized code in which other functions are inlined, without positions; undefined for none. */
  inlining?: InliningCode[] | undefined;
}

/** Optimized code in which functions are inlined. */
interface InliningCode {
  readonly tier: Tier;
  /** Without positions. */
  readonly source: CodeSource;
}

/** Of so many pieces of a function's code it is kept what is inlined in them. */
const MOST_INLINING = 16;

/** The source that a piece of code was made from. */
export interface CodeSource {
  /** Counted from 0 in a log. */
  readonly number: number;
  /** As logged; `tableOf` reads it. */
  readonly positions: string;
  /** Undefined until needed. */
  table: PositionTable | undefined;
  readonly inlinings: string;
  /** The inlined functions; undefined for one that the log does not name. */
  readonly functions: readonly (LoggedFunction | undefined)[];
}

/** Of no more functions it is kept that they were compiled. */
const MOST_COMPILED = 1 << 16;

/** The functions of a log by the address of their SharedFunctionInfo, which garbage collection can move. */
export class LoggedFunctions {
  readonly #functions = new Map<Address, LoggedFunction>();
  readonly #all: Map<string, LoggedFunction> | undefined;
  readonly #compiled = new Set<LoggedFunction>();
  #sources = 0;
  /** The address of the function last named. */
  #latest: Address | undefined;

  /** With `keepsAll`, functions of which nothing is left are kept too. */
  constructor({ keepsAll = false }: { readonly keepsAll?: boolean | undefined } = {}) {
    this.#all = keepsAll ? new Map() : undefined;
  }

  /** All functions of the log, one for each name and script; none without `keepsAll`. */
  get all(): Iterable<LoggedFunction> {
    return this.#all?.values() ?? [];
  }

  /** The functions that ran so often that V8 compiled them, also if no tick was in them. */
  get compiled(): ReadonlySet<LoggedFunction> {
    return this.#compiled;
  }

  /** Keeps that a function has code of a tier. */
  keepTier(logged: LoggedFunction, tier: Tier | undefined): void {
    if (tier === undefined || tier === "" || tier === "~" || this.#compiled.size >= MOST_COMPILED) return;
    this.#compiled.add(logged);
  }

  /** Returns the function of new code. If the name differs, another function now has the address. */
  named(sfi: Address, name: string): LoggedFunction {
    this.#latest = sfi;
    let found = this.#functions.get(sfi);
    if (found?.name !== name) {
      found = { name, script: -1, start: -1, end: -1, bytecodePositions: "" };
      this.#functions.set(sfi, found);
      if (this.#all !== undefined && (this.#all.get(name)?.script ?? -1) < 0) this.#all.set(name, found);
    }
    return found;
  }

  /**
   * Records the script of the function last named, and returns the function: another one if the function so far is of another
   * script. Functions of texts that are evaluated again and again have one name, and one address after the other.
   */
  inScript(named: LoggedFunction, script: number): LoggedFunction {
    let found = named;
    if (named.script >= 0 && named.script !== script) {
      found = { ...named, script, bytecodePositions: "" };
      const isLatest = this.#latest !== undefined && this.#functions.get(this.#latest) === named;
      if (isLatest) this.#functions.set(this.#latest!, found);
    }
    found.script = script;
    const known = this.#all?.get(found.name);
    if (known !== undefined && known !== found) {
      if (known.script < 0) this.#all?.set(found.name, found);
      else if (known.script !== script) this.#all?.set(`${found.name}\0${script}`, found);
    }
    return found;
  }

  move(from: Address, to: Address): void {
    const found = this.#functions.get(from);
    if (found === undefined) return;
    this.#functions.delete(from);
    this.#functions.set(to, found);
  }

  /** Keeps what is inlined in a function's code, also if no tick will be there, as a row says it. */
  keepInlining(logged: LoggedFunction, tier: Tier | undefined, record: CodeSourceInfoRecord): void {
    if (tier === undefined || record.inlinings === "" || !OPTIMIZED_TIERS.has(tier)) return;
    logged.inlining ??= [];
    if (logged.inlining.length >= MOST_INLINING) return;
    const source = this.source({ ...record, positions: "" });
    const isKnown = logged.inlining.some(
      (known) =>
        known.tier === tier &&
        known.source.inlinings === source.inlinings &&
        known.source.functions.length === source.functions.length &&
        known.source.functions.every((one, i) => one === source.functions[i]),
    );
    if (!isKnown) logged.inlining.push({ tier, source });
  }

  /** Returns what a row says about a function's code, with the functions now at its addresses. */
  source(record: CodeSourceInfoRecord): CodeSource {
    const { positions, inlinings, functions } = record;
    return {
      number: this.#sources++,
      positions,
      table: undefined,
      inlinings,
      functions: functions.map((sfi) => this.#functions.get(sfi)),
    };
  }
}
