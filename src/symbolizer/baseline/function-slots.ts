import { columnOf } from "../../profile/columns.js";
import { parseLoggedName } from "../../profile/logged-name.js";
import type { LoggedFunction } from "../../recorder/logged-functions.js";
import type { Scripts } from "../../recorder/scripts.js";
import { PositionTable } from "../../recorder/source-positions.js";
import type { FunctionSource } from "../function-sources.js";
import type { CallSlots, CodePoint } from "./aligned-lines.js";
import type { CallSite, CallSites } from "./call-sites.js";

/** Names up to this length say nothing: tools that shorten names give one to many functions. */
const SHORT_NAME = 2;

/**
 * The names of functions that JavaScript calls where the text has no call: conversions, iterators, traps of
 * proxies, accessors by `defineProperty`.
 */
const IMPLICIT: ReadonlySet<string> = new Set([
  "toString",
  "valueOf",
  "toJSON",
  "next",
  "return",
  "throw",
  "then",
  "constructor",
  "get",
  "set",
  "has",
  "apply",
  "construct",
  "defineProperty",
  "deleteProperty",
  "getOwnPropertyDescriptor",
  "getPrototypeOf",
  "isExtensible",
  "ownKeys",
  "preventExtensions",
  "setPrototypeOf",
]);

/** How the names of functions begin that are not called with `new`. */
const LOWER_CASE = /^\p{Ll}/u;

/** What no name of a variable, class or declared function has, nor what V8 makes of several such names. */
const NO_IDENTIFIER = /[-/\\:@+*,;?!&|(){}'"`~%^=]/;

const NONE = new Int32Array();

/**
 * The parts of a function's bytecode that have one position each, in order; the first is what comes before
 * all positions.
 */
export class FunctionSlots {
  /** By slot: an offset in the script. */
  readonly offsets: Int32Array;
  /** By slot: 0 if unknown. */
  readonly lines: Int32Array;
  readonly #scripts: Scripts;
  readonly #script: number;
  readonly #range: { readonly start: number; readonly end: number };
  /** The functions that the code was seen to call. */
  readonly #expected = new Set<LoggedFunction>();
  /** By name: the slots of calls of functions that are likely to have it. */
  #named = new Map<string, Int32Array>();
  /** By name: the slots of calls that functions of that name are passed to. */
  #passed = new Map<string, Int32Array>();
  /** The slots of calls by a name that says nothing of the function's own name. */
  #aliases = NONE;
  /** By such a name: the slots of its calls. */
  #aliased = new Map<string, Int32Array>();
  /** The slots of calls, with `new`, of functions that are not known. */
  #constructors = NONE;
  /** By the end of a function in the script: the calls of it, and their slots. */
  readonly #defined = new Map<number, { readonly slot: number; readonly site: CallSite }[]>();
  readonly #slotsOf = new Map<LoggedFunction, CallSlots | undefined>();

  constructor(
    { script, start, end, bytecodePositions }: LoggedFunction,
    source: FunctionSource,
    scripts: Scripts,
  ) {
    this.#scripts = scripts;
    this.#script = script;
    this.#range = { start, end };
    const table = new PositionTable(bytecodePositions);
    this.offsets = new Int32Array(table.length + 1);
    this.offsets[0] = start;
    this.offsets.set(table.offsets(), 1);
    this.lines = this.offsets.map((offset) => source.line(offset));
  }

  /** Whether all slots are on one line. */
  get isOneLine(): boolean {
    return this.lines.every((line) => line === this.lines[0]);
  }

  /** Adds functions that a call was seen to run, as for {@link pointOf}. */
  expect(framed?: ReadonlySet<LoggedFunction>, ended?: ReadonlySet<LoggedFunction>): void {
    for (const callee of whichRan(framed, ended) ?? []) this.#expected.add(callee);
  }

  /** Whether the code was seen to call any function. */
  get expectsCalls(): boolean {
    return this.#expected.size > 0;
  }

  /**
   * Returns whether the calls in the script's text may tell where any of the expected functions was called: it is in
   * the script, or its name is, as `hasName` tells. Names that the text writes with escapes are not looked for.
   */
  mayTell(hasName: (name: string) => boolean): boolean {
    for (const callee of this.#expected) {
      const name = this.#nameOf(callee);
      if (IMPLICIT.has(name)) continue;
      if (callee.script === this.#script) {
        if (this.#mayName(callee, name)) return true;
      } else if (isTelling(name) && hasName(name)) return true;
    }
    return false;
  }

  /**
   * Returns whether the text may call a function of the script by its name, or where it is defined. Bundlers name modules
   * by paths: no variable or declaration has such a name.
   */
  #mayName(callee: LoggedFunction, name: string): boolean {
    if (isTelling(name) || !NO_IDENTIFIER.test(parseLoggedName(callee.name).name)) return true;
    const { start, end } = this.#range;
    return callee.start < 0 || (start <= callee.start && callee.end <= end);
  }

  /** Sets the calls in the script. */
  use(sites: CallSites): void {
    const slots = new Map<CallSite, number>();
    // The callee's name can have the position of the call too, and comes before it.
    for (const [slot, offset] of this.offsets.entries()) {
      const site = sites.get(offset);
      if (site !== undefined) slots.set(site, slot);
    }
    const named = new SlotLists();
    const aliased = new SlotLists();
    const passed = new SlotLists();
    const aliases: number[] = [];
    const constructors: number[] = [];
    for (const [site, slot] of Array.from(slots).sort(([, a], [, b]) => a - b)) {
      const { definition, names, isAlias, isNew } = site;
      if (isNew && definition === undefined) constructors.push(slot);
      if (definition !== undefined) {
        const known = this.#defined.get(definition.end);
        if (known === undefined) this.#defined.set(definition.end, [{ slot, site }]);
        else known.push({ slot, site });
      } else if (isAlias) {
        aliases.push(slot);
        for (const name of new Set(names)) aliased.add(name, slot);
      } else for (const name of new Set(names)) named.add(name, slot);
      for (const name of new Set(site.passed)) passed.add(name, slot);
    }
    this.#named = named.finish();
    this.#aliased = aliased.finish();
    this.#passed = passed.finish();
    this.#aliases = Int32Array.from(aliases);
    this.#constructors = Int32Array.from(constructors);
  }

  /**
   * Returns where a call can be that ran some functions. `ended` are those that may have had another caller.
   */
  pointOf(framed?: ReadonlySet<LoggedFunction>, ended?: ReadonlySet<LoggedFunction>): CodePoint {
    let slots: CallSlots | undefined;
    for (const callee of whichRan(framed, ended) ?? []) {
      const other = this.#slotsFor(callee);
      if (other === undefined) continue;
      if (slots !== undefined && !slots.likely.every((list, i) => list === other.likely[i])) {
        return { slots: undefined };
      }
      slots = other;
    }
    return { slots };
  }

  /** Returns the slots of the calls that can be of a function; undefined if the text does not tell. */
  #slotsFor(callee: LoggedFunction): CallSlots | undefined {
    if (this.#slotsOf.has(callee)) return this.#slotsOf.get(callee);
    const name = this.#nameOf(callee);
    const tells = isTelling(name);
    const likely = [
      this.#callsOf(callee),
      (tells ? this.#named.get(name) : undefined) ?? NONE,
      (tells ? this.#aliased.get(name) : undefined) ?? NONE,
    ];
    // A class without a constructor of its own calls that of its parent.
    const constructors = LOWER_CASE.test(name) ? NONE : this.#constructors;
    const possible = [this.#passed.get(name) ?? NONE, this.#aliases, constructors];
    const isTold = !IMPLICIT.has(name) && likely.some((list) => list.length > 0);
    const slots = isTold ? { likely, possible } : undefined;
    this.#slotsOf.set(callee, slots);
    return slots;
  }

  /** Returns the name that a function has where it is called: without its class or object. */
  #nameOf(logged: LoggedFunction): string {
    const { name } = parseLoggedName(logged.name);
    return this.#scripts.wordOf(name.slice(name.lastIndexOf(".") + 1));
  }

  #callsOf({ script, start, end }: LoggedFunction): Int32Array {
    const found = script === this.#script ? this.#defined.get(end) : undefined;
    const calls = (found ?? []).filter(
      ({ site: { definition } }) => definition!.start <= start && start < definition!.body,
    );
    return calls.length === 0 ? NONE : columnOf(Int32Array, calls, ({ slot }) => slot);
  }
}

/** Returns the functions that a call ran; undefined if that is not certain. `ended` are those that may have had another caller. */
function whichRan(
  framed?: ReadonlySet<LoggedFunction>,
  ended?: ReadonlySet<LoggedFunction>,
): ReadonlySet<LoggedFunction> | undefined {
  return framed !== undefined && framed.size > 0 ? framed : ended?.size === 1 ? ended : undefined;
}

/** Returns whether a name says which function is called. */
function isTelling(name: string): boolean {
  return name.length > SHORT_NAME && !IMPLICIT.has(name);
}

/** The slots that have a name. */
class SlotLists {
  readonly #slots = new Map<string, number[]>();

  add(name: string, slot: number): void {
    const known = this.#slots.get(name);
    if (known === undefined) this.#slots.set(name, [slot]);
    else known.push(slot);
  }

  finish(): Map<string, Int32Array> {
    return new Map(Array.from(this.#slots, ([name, slots]) => [name, Int32Array.from(slots)]));
  }
}
