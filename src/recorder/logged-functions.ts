import type { CodeSourceInfoRecord } from "../parser/rows/code-source-info.js";
import { OPTIMIZED_TIERS, type Tier } from "../profile/frame.js";
import type { Address } from "../profile/units.js";
import type { PositionTable } from "./source-positions.js";

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
export interface InliningCode {
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
