import { marksOf } from "../base/columns.js";
import { PARSED_SCRIPT_LENGTH } from "../base/limits.js";
import { valueAt } from "../base/maps.js";
import { lowerBound } from "../base/sorted.js";
import { ROOT } from "../profile/call-tree.js";
import { parseLoggedName } from "../profile/logged-name.js";
import { type LoggedFunction, PositionTable } from "../replay/logged-functions.js";
import { type Code, functionOf, type OffsetFrame, type ReplayedFrame } from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import type { Scripts } from "../replay/scripts.js";
import { type CallSite, type CallSites, callSites } from "./call-sites.js";
import type { FunctionSource, FunctionSources } from "./function-sources.js";

/** Ascending numbers of slots. */
type Slots = ArrayLike<number>;

/** The slots that a call can be in. */
interface CallSlots {
  /** Slots that speak for the call. */
  readonly likely: readonly Slots[];
  /** Further slots, of which nothing is known. */
  readonly possible: readonly Slots[];
}

/**
 * A return address, or where the code itself was. Several can be in one slot, but only one that is known to
 * be a call.
 */
export interface CodePoint {
  /** Undefined if it can be in any slot. */
  readonly slots: CallSlots | undefined;
}

/**
 * Returns for each point the line that it must be on; 0 if there are several. The points are in the order of
 * their addresses, which is that of their slots. `lines` are the lines of the slots; 0 if unknown. Returns
 * undefined if no order fits all points.
 */
export function alignedLines(points: readonly CodePoint[], lines: Int32Array): Int32Array | undefined {
  const found = new Int32Array(points.length);
  const bounds = boundsOf(points, lines.length);
  if (bounds === undefined) return undefined;
  const runs = new Map<Slots | undefined, Int32Array>();
  const runsOf = (slots: Slots | undefined) =>
    valueAt(runs, slots, () =>
      runEnds(slots === undefined ? lines : Array.from(slots, (slot) => lines[slot]!)),
    );
  for (const [i, { slots }] of points.entries()) {
    const from = bounds.first[i]!;
    const to = bounds.last[i]!;
    const line = lines[from]!;
    const isForced =
      slots === undefined
        ? runsOf(undefined)[from]! > to
        : slots.likely.some((list) => list[lowerBound(list, from)]! <= to) &&
          allOf(slots).every((list) => isOneLine(list, { from, to, line, lines, ends: runsOf(list) }));
    if (isForced) found[i] = line;
  }
  return found;
}

function allOf({ likely, possible }: CallSlots): readonly Slots[] {
  return [...likely, ...possible];
}

interface Bounds {
  /** By point: the first slot that it can be in. */
  readonly first: Int32Array;
  readonly last: Int32Array;
}

/** Returns the slots that each point can be in if all others have one; undefined if they cannot all. */
function boundsOf(points: readonly CodePoint[], count: number): Bounds | undefined {
  const first = new Int32Array(points.length);
  const last = new Int32Array(points.length);
  let low = 0;
  let taken = -1;
  for (const [i, { slots }] of points.entries()) {
    if (slots !== undefined) {
      const from = Math.max(low, taken + 1);
      low = allOf(slots).reduce(
        (least, list) => Math.min(least, list[lowerBound(list, from)] ?? count),
        count,
      );
      if (low === count) return undefined;
      taken = low;
    }
    first[i] = low;
  }
  let high = count - 1;
  taken = count;
  for (let i = points.length - 1; i >= 0; i--) {
    const { slots } = points[i]!;
    if (slots !== undefined) {
      const to = Math.min(high, taken - 1);
      high = allOf(slots).reduce(
        (most, list) => Math.max(most, list[lowerBound(list, to + 1) - 1] ?? -1),
        -1,
      );
      taken = high;
    }
    if (high < first[i]!) return undefined;
    last[i] = high;
  }
  return { first, last };
}

interface Window {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly lines: Int32Array;
  readonly ends: Int32Array;
}

function isOneLine(list: Slots, { from, to, line, lines, ends }: Window): boolean {
  const start = lowerBound(list, from);
  if (start === list.length || list[start]! > to) return true;
  const end = ends[start]!;
  return lines[list[start]!] === line && (end === list.length || list[end]! > to);
}

/** Returns for each index the end of the run of equal numbers that it is in. */
function runEnds(numbers: ArrayLike<number>): Int32Array {
  const ends = new Int32Array(numbers.length);
  for (let i = numbers.length - 1; i >= 0; i--) {
    ends[i] = numbers[i] === numbers[i + 1] ? ends[i + 1]! : i + 1;
  }
  return ends;
}

/** The functions that a call was seen to run. */
interface Callees {
  /** Those that had a frame. */
  readonly framed: Set<LoggedFunction>;
  /**
   * Those that ticks ended in. Such a function may have been called by another one that had no frame at that
   * time.
   */
  readonly ended: Set<LoggedFunction>;
}

function newCallees(): Callees {
  return { framed: new Set(), ended: new Set() };
}

/** Returns for each frame that `isWanted` the functions called there, by frame number. */
function calleesOf(
  { frames, tree }: Pick<ReplayedLog, "frames" | "tree">,
  isWanted: (frame: OffsetFrame) => boolean,
): Map<number, Callees> {
  const callees = new Map<number, Callees>();
  const wanted = marksOf(frames, (frame) => frame.kind === "offset" && isWanted(frame));
  if (!wanted.includes(1)) return callees;
  const isCaller = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) isCaller[tree.parent[node]!] = 1;
  for (let node = ROOT + 1; node < tree.length; node++) {
    const caller = tree.frame[tree.parent[node]!]!;
    if (tree.parent[node] === ROOT || wanted[caller] === 0) continue;
    const callee = functionOf(frames[tree.frame[node]!]!);
    if (callee === undefined) continue;
    const known = valueAt(callees, caller, newCallees);
    (isCaller[node] === 1 ? known.framed : known.ended).add(callee);
  }
  return callees;
}

/** Returns the frames that `isWanted`, by their code, in the order of their addresses. */
function framesByCode(
  frames: readonly ReplayedFrame[],
  isWanted: (frame: OffsetFrame) => boolean,
): Map<Code, number[]> {
  const byCode = new Map<Code, number[]>();
  for (let number = 0; number < frames.length; number++) {
    const frame = frames[number]!;
    if (frame.kind !== "offset" || !isWanted(frame)) continue;
    valueAt(byCode, frame.code, () => []).push(number);
  }
  const offset = (number: number) => (frames[number] as OffsetFrame).offset;
  for (const numbers of byCode.values()) numbers.sort((a, b) => offset(a) - offset(b) || a - b);
  return byCode;
}

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

const NONE: Slots = [];

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
  readonly #named = new Map<string, number[]>();
  /** By name: the slots of calls that functions of that name are passed to. */
  readonly #passed = new Map<string, number[]>();
  /** The slots of calls by a name that says nothing of the function's own name. */
  readonly #aliases: number[] = [];
  /** By such a name: the slots of its calls. */
  readonly #aliased = new Map<string, number[]>();
  /** The slots of calls, with `new`, of functions that are not known. */
  readonly #constructors: number[] = [];
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
    for (const [site, slot] of Array.from(slots).sort(([, a], [, b]) => a - b)) {
      const { definition, names, isAlias, isNew } = site;
      if (isNew && definition === undefined) this.#constructors.push(slot);
      if (definition !== undefined) {
        valueAt(this.#defined, definition.end, () => []).push({ slot, site });
      } else {
        if (isAlias) this.#aliases.push(slot);
        addSlot(isAlias ? this.#aliased : this.#named, names, slot);
      }
      addSlot(this.#passed, site.passed, slot);
    }
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
    const isKnown = !IMPLICIT.has(name) && likely.some((list) => list.length > 0);
    const slots = isKnown ? { likely, possible } : undefined;
    this.#slotsOf.set(callee, slots);
    return slots;
  }

  /** Returns the name that a function has where it is called: without its class or object. */
  #nameOf(logged: LoggedFunction): string {
    const { name } = parseLoggedName(logged.name);
    return this.#scripts.wordOf(name.slice(name.lastIndexOf(".") + 1));
  }

  #callsOf({ script, start, end }: LoggedFunction): Slots {
    const found = script === this.#script ? this.#defined.get(end) : undefined;
    const calls = (found ?? []).filter(
      ({ site: { definition } }) => definition!.start <= start && start < definition!.body,
    );
    return calls.length === 0 ? NONE : calls.map(({ slot }) => slot);
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

/** Adds a slot that has some names. */
function addSlot(lists: Map<string, number[]>, names: readonly string[], slot: number): void {
  for (const name of new Set(names)) valueAt(lists, name, () => []).push(slot);
}

interface BaselineLinesOptions {
  readonly replayed: ReplayedLog;
  readonly sources: FunctionSources;
  readonly isWanted: (frame: OffsetFrame) => boolean;
}

/**
 * Returns the lines of those frames that `isWanted`, in code of Sparkplug that has no positions, by frame number, where
 * only one line is possible. All frames of a function's code are wanted or none.
 *
 * Sparkplug compiles a function's bytecode one after the other, so the addresses in its code are in the order
 * of the bytecode, whose positions are in the log. A return address belongs to a call, and stacks tell which
 * function was called there.
 *
 * Source: V8, src/baseline/baseline-compiler.cc, `BaselineCompiler::GenerateCode`.
 */
export function baselineLines({ replayed, sources, isWanted }: BaselineLinesOptions): Map<number, number> {
  const { frames, scripts } = replayed;
  const byCode = framesByCode(frames, isWanted);
  const lines = new Map<number, number>();
  if (byCode.size === 0) return lines;
  const functions = new Map<LoggedFunction, FunctionSlots>();
  for (const { function: logged } of byCode.keys()) {
    if (logged !== undefined) functions.set(logged, new FunctionSlots(logged, sources.of(logged), scripts));
  }
  const callees = calleesOf(replayed, (frame) => frame.isReturn && isWanted(frame));
  for (const [code, numbers] of byCode) {
    const slots = functions.get(code.function!)!;
    for (const number of numbers) slots.expect(callees.get(number)?.framed, callees.get(number)?.ended);
  }
  findSites(functions, (script) => scripts.get(script)?.source);
  for (const [code, numbers] of byCode) {
    const slots = functions.get(code.function!)!;
    const called = numbers.map((number) => callees.get(number));
    // What ticks ended in may have had another caller, which does not fit the rest.
    const found =
      alignedLines(
        called.map((all) => slots.pointOf(all?.framed, all?.ended)),
        slots.lines,
      ) ??
      alignedLines(
        called.map((all) => slots.pointOf(all?.framed)),
        slots.lines,
      );
    for (const [i, line] of (found ?? []).entries()) if (line > 0) lines.set(numbers[i]!, line);
  }
  return lines;
}

/** Names that are searched for in the text of a script. Searching for more takes longer than parsing it. */
const MOST_SEARCHED = 64;

/** Finds the calls in the functions' texts. */
function findSites(
  functions: ReadonlyMap<LoggedFunction, FunctionSlots>,
  textOf: (script: number) => string | undefined,
): void {
  const byScript = new Map<number, FunctionSlots[]>();
  for (const [{ script }, slots] of functions) {
    valueAt(byScript, script, () => []).push(slots);
  }
  for (const [script, all] of byScript) {
    // The texts of one-line functions are not needed, nor those that say nothing of what was called.
    const calling = all.filter(({ isOneLine, expectsCalls }) => expectsCalls && !isOneLine);
    const text = calling.length > 0 ? textOf(script) : undefined;
    if (text === undefined || text.length > PARSED_SCRIPT_LENGTH) continue;
    const found = new Map<string, boolean>();
    const hasName = (name: string) => {
      const has = found.get(name) ?? (found.size === MOST_SEARCHED || text.includes(name));
      if (found.size < MOST_SEARCHED) found.set(name, has);
      return has;
    };
    const asked = calling.filter((slots) => slots.mayTell(hasName));
    if (asked.length === 0) continue;
    const wanted = new Set(asked.flatMap(({ offsets }) => Array.from(offsets)));
    const sites = callSites(text, wanted);
    if (sites !== undefined) for (const slots of asked) slots.use(sites);
  }
}
