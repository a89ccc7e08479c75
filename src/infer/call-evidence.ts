import { columnOf, widened } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Ticks } from "../base/units.js";
import type { BuiltinFrames } from "../native/builtin-frames.js";
import { frameRange } from "../native/machine-code.js";
import { type CallTree, ROOT } from "../profile/call-tree.js";
import { stackTicks } from "../profile/sample-table.js";
import type { BuiltinCopy } from "../replay/builtins.js";
import { LONGEST_ENTRY } from "../replay/leaf-places.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import { type Code, functionOf, type OffsetFrame, type ReplayedFrame } from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";

// What a tree tells of what was called where. Marks are 1 for frames that have them; nodes that the root calls have no caller.

/** The share of a call site's ticks that may be errors of the sampler. */
export const ERRORS = 0.02;

/** The stacks of a log, and where they end. */
export type ReplayedStacks = Pick<ReplayedLog, "frames" | "tree" | "samples">;

/** Returns the nodes of marked frames that a marked frame calls. */
export function topNodes({ length, parent, frame }: CallTree, isTop: Uint8Array, isAbove: Uint8Array) {
  const found: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller !== ROOT && isTop[frame[node]!] === 1 && isAbove[frame[caller]!] === 1) found.push(node);
  }
  return found;
}

/** What is known of a function that a call site was seen to call. */
export interface Callee {
  readonly function: LoggedFunction;
  /** The ticks in which the function called something at that time: the log says that it was there. */
  called: Ticks;
  /**
   * The ticks at the top of the stack, without those in the first instructions, which set up the frame: until then,
   * the caller's caller looks like the caller.
   */
  atTop: Ticks;
  /** Its code with the most ticks in one node of the tree, how many, and the rank of the frame that called it. */
  code: Code;
  codeTicks: Ticks;
  rank: number;
}

/** What is known of a call site: a return address, or a position in bytecode. */
export interface CallSite {
  readonly callees: Map<LoggedFunction, Callee>;
  /** Whether a builtin with the frame of a function was called there, such as `ArrayMap`, which may call functions itself. */
  callsBuiltin: boolean;
  total: Ticks;
  /** The ticks in what has another frame, which V8's stacks leave out. */
  inBuiltins: Ticks;
}

export function newSite(): CallSite {
  return { callees: new Map(), callsBuiltin: false, total: 0, inBuiltins: 0 };
}

/** Code that V8 runs before it enters a function. That it has a frame says nothing about the call. */
const ENTRY =
  /^(?:InterpreterEntryTrampoline|InterpreterPushArgs|Interpreter\w*OnStackReplacement|Baseline(?:OutOfLinePrologue|LeaveFrame|OnStackReplacement)|Maglev|CompileLazy|Call(?:Bound|Wrapped)?Function(?:_|$)|Call_|ArgumentsAdaptor)/;

/** Returns whether a builtin only leads to a function, or away from one. */
export function isEntry(name: string): boolean {
  return ENTRY.test(name);
}

/** Returns whether a builtin throws the code of the function away that calls it, in whose frame it runs: the site called this one. */
export function isDeopt(name: string): boolean {
  return name.startsWith("DeoptimizationEntry_");
}

const STORES = [
  "StoreIC",
  "KeyedStoreIC",
  "StoreFastElementIC",
  "DefineNamedOwnIC",
  "DefineKeyedOwnIC",
  "GrowFast",
];

/** Returns whether a builtin that calls something stores a value: it calls C++, such as for the collector, or a setter. */
export function storesOnly(name: string): boolean {
  return STORES.some((store) => name.startsWith(store));
}

/** Returns whether a frame is a function that called something, or ran bytecode. */
export function isCaller(frame: ReplayedFrame): frame is OffsetFrame {
  return frame.kind === "offset" && (frame.isReturn || frame.code.tier === "~");
}

/** What a frame without a function says of the site that calls it: that is a builtin that calls something, has a frame, or neither. */
type OtherCallee = "calls" | "has-frame" | undefined;

/**
 * What stacks tell of calls, in one pass over their tree: each pair of frames of which one calls the other is one call, in the
 * order in which the tree has them. Stacks without ticks and calls from the root are left out.
 */
export class ReplayedCalls {
  readonly stacks: ReplayedStacks;
  /** By node: its ticks and those of all nodes below it. */
  readonly total: Float64Array;
  /** By node: 1 if it calls something. */
  readonly isInterior: Uint8Array;
  readonly #pairs = new PairNumbers();
  /** By call: the ticks in nodes of it that call nothing, in those that call something, and in the node with the most. */
  #atTop = new Float64Array(1024);
  #calling = new Float64Array(1024);
  #most = new Float64Array(1024);
  /** By call: the ticks in nodes between which a caller is missing. */
  readonly #indirect = new Map<number, Ticks>();

  constructor(stacks: ReplayedStacks) {
    const { tree, samples } = stacks;
    const { length, parent, frame } = tree;
    this.stacks = stacks;
    this.total = stackTicks(tree, samples);
    this.isInterior = new Uint8Array(length);
    const { total, isInterior } = this;
    for (let node = ROOT + 1; node < length; node++) isInterior[parent[node]!] = 1;
    for (let node = ROOT + 1; node < length; node++) {
      const caller = parent[node]!;
      const ticks = total[node]!;
      if (caller === ROOT || ticks === 0) continue;
      const call = this.#pairs.of(frame[caller]!, frame[node]!);
      if (call >= this.#most.length) this.#widen();
      if (isInterior[node] === 1) this.#calling[call]! += ticks;
      else this.#atTop[call]! += ticks;
      if (ticks > this.#most[call]!) this.#most[call] = ticks;
    }
  }

  get length(): number {
    return this.#pairs.length;
  }

  /** Returns the frame that calls, by number. */
  callerOf(call: number): number {
    return this.#pairs.firstOf(call);
  }

  /** Returns the frame that is called, by number. */
  calleeOf(call: number): number {
    return this.#pairs.secondOf(call);
  }

  ticksOf(call: number): Ticks {
    return this.#atTop[call]! + this.#calling[call]!;
  }

  /** Returns the call of a node with ticks that another node calls. */
  of(node: number): number {
    const { parent, frame } = this.stacks.tree;
    return this.#pairs.of(frame[parent[node]!]!, frame[node]!);
  }

  /** Keeps that a caller is missing between a node with ticks and the one that seems to call it. */
  addIndirect(node: number): void {
    addTicks(this.#indirect, this.of(node), this.total[node]!);
  }

  /** Returns whether a call is one, for all that is known: in some of its ticks, no caller is missing. */
  isDirect(call: number): boolean {
    return this.ticksOf(call) > (this.#indirect.get(call) ?? 0);
  }

  /** Adds what a call says of its site. Of code with as many ticks, that counts which a frame of a lower rank called. */
  addTo(site: CallSite, call: number, otherAt: OtherAt, rank = 0): void {
    this.#add(site, this.calleeOf(call), otherAt, {
      atTop: this.#atTop[call]!,
      calling: this.#calling[call]!,
      most: this.#most[call]!,
      rank,
    });
  }

  /** Adds what a node says of its site. */
  addNodeTo(site: CallSite, node: number, otherAt: OtherAt): void {
    const frame = this.stacks.tree.frame[node]!;
    const most = this.total[node]!;
    const isInterior = this.isInterior[node] === 1;
    const amounts = { atTop: isInterior ? 0 : most, calling: isInterior ? most : 0, most, rank: 0 };
    this.#add(site, frame, otherAt, amounts);
  }

  #add(site: CallSite, number: number, otherAt: OtherAt, ticks: CallTicks): void {
    const { atTop, calling } = ticks;
    const frame = this.stacks.frames[number]!;
    site.total += atTop + calling;
    if (frame.kind === "offset" && frame.code.function !== undefined) {
      addCallee(site, frame, ticks);
      return;
    }
    if (calling > 0) addOther(site, calling, otherAt(number, true));
    if (atTop > 0) addOther(site, atTop, otherAt(number, false));
  }

  #widen(): void {
    const capacity = this.#most.length * 2;
    this.#atTop = widened(this.#atTop, capacity);
    this.#calling = widened(this.#calling, capacity);
    this.#most = widened(this.#most, capacity);
  }
}

/** Calls by the sites that make them, which most often are not all asked for. */
export class CallsBySite {
  /** By site: where its calls begin in {@link #calls}, in their order; those of the next one follow. */
  readonly #starts: Int32Array;
  readonly #calls: Int32Array;

  /** `siteOf` has by frame the number of its site, of `count`; -1 for none. */
  constructor(calls: ReplayedCalls, siteOf: Int32Array, count: number) {
    const ends = new Int32Array(count + 1);
    for (let call = 0; call < calls.length; call++) ends[siteOf[calls.callerOf(call)]! + 1]!++;
    ends[0] = 0; // The calls of no site.
    for (let site = 1; site <= count; site++) ends[site]! += ends[site - 1]!;
    this.#calls = new Int32Array(ends[count]!);
    this.#starts = ends;
    const next = ends.slice();
    for (let call = 0; call < calls.length; call++) {
      const site = siteOf[calls.callerOf(call)]!;
      if (site >= 0) this.#calls[next[site]!++] = call;
    }
  }

  /** Returns the calls of a site. */
  of(site: number): Int32Array {
    return this.#calls.subarray(this.#starts[site]!, this.#starts[site + 1]!);
  }
}

/** Tells what a frame that is no function says of a site, by its number, and whether something was called from there. */
export type OtherAt = (frame: number, isInterior: boolean) => OtherCallee;

interface CallTicks {
  /** In nodes that call nothing. */
  readonly atTop: Ticks;
  /** In nodes that call something. */
  readonly calling: Ticks;
  /** In the node with the most. */
  readonly most: Ticks;
  /** Of the frame that calls, among those of its site. */
  readonly rank: number;
}

function addOther(site: CallSite, ticks: Ticks, other: OtherCallee): void {
  if (other === "calls") site.callsBuiltin = true;
  else if (other === "has-frame") site.inBuiltins += ticks;
}

/** Returns what was called at the frames that are `wanted`, by their numbers. */
export function callsAt(calls: ReplayedCalls, wanted: Uint8Array, otherAt: OtherAt): Map<number, CallSite> {
  const sites = new Map<number, CallSite>();
  for (let call = 0; call < calls.length; call++) {
    const caller = calls.callerOf(call);
    if (wanted[caller] === 1) calls.addTo(valueAt(sites, caller, newSite), call, otherAt);
  }
  return sites;
}

/** Returns whether the frame of a function stood, so that the one before it was its caller. */
export function hasOwnFrame(frame: OffsetFrame): boolean {
  return frame.offset >= LONGEST_ENTRY || isCaller(frame);
}

function addCallee(
  { callees }: CallSite,
  frame: OffsetFrame,
  { atTop, calling, most, rank }: CallTicks,
): void {
  if (!hasOwnFrame(frame)) return;
  const { code } = frame;
  const logged = code.function!;
  let callee = callees.get(logged);
  if (callee === undefined) {
    callee = { function: logged, called: 0, atTop: 0, code, codeTicks: 0, rank };
    callees.set(logged, callee);
  }
  if (isCaller(frame)) callee.called += atTop + calling;
  else callee.atTop += atTop + calling;
  if (most > callee.codeTicks || (most === callee.codeTicks && rank < callee.rank)) {
    callee.code = code;
    callee.codeTicks = most;
    callee.rank = rank;
  }
}

/** Returns a function that tells whether a function was seen to be called by another one directly. */
export function callsBetween(calls: ReplayedCalls) {
  const pairs = new PairNumbers();
  const numbers = new Map<LoggedFunction, number>();
  let known = -1;
  const read = () => {
    const ofFrame = columnOf(Int32Array, calls.stacks.frames, (frame) => {
      const logged = functionOf(frame);
      return logged === undefined ? -1 : valueAt(numbers, logged, () => numbers.size);
    });
    for (let call = 0; call < calls.length; call++) {
      const called = ofFrame[calls.calleeOf(call)]!;
      const above = ofFrame[calls.callerOf(call)]!;
      if (called >= 0 && above >= 0 && calls.isDirect(call)) pairs.of(above, called);
    }
    return pairs.length;
  };
  return (callee: LoggedFunction, caller: LoggedFunction): boolean => {
    if (known < 0) known = read();
    const [called, above] = [numbers.get(callee), numbers.get(caller)];
    return called !== undefined && above !== undefined && pairs.of(above, called) < known;
  };
}

/** Returns whether a frame is in code that is not in the log, such as that of Node's snapshot. */
export function isUnknown(frame: ReplayedFrame): boolean {
  return frame.kind === "unknown" || (frame.kind === "pending" && frame.library < 0);
}

/** A place in a builtin at the top of a stack. */
interface TopBuiltin {
  readonly name: string;
  /** In bytes from the start of its code. */
  readonly offset: number;
}

/** Returns the place in a builtin that a frame is; undefined if it is none. */
export function topBuiltin(frame: ReplayedFrame, copy: BuiltinCopy | undefined): TopBuiltin | undefined {
  if (frame.kind === "builtin") return frame;
  if (frame.kind !== "pending" || frame.library >= 0) return undefined;
  const start = copy?.startOf(frame.address);
  const found = copy?.find(frame.address);
  if (start === undefined || found?.type !== "Builtin") return undefined;
  return { name: found.name, offset: frame.address - start };
}

/** Returns whether a builtin has no frame of its own at an offset. */
export function isFrameless({ frameless, size }: BuiltinFrames, offset: number): boolean {
  return offset < size && frameRange(frameless, offset).isFrameless;
}

export function addTicks<Key>(counts: Map<Key, Ticks>, key: Key, ticks: Ticks): void {
  counts.set(key, (counts.get(key) ?? 0) + ticks);
}
