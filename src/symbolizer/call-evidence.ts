import { type CallTree, CallTreeBuilder, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import { type SampleTable, stackTicks } from "../profile/sample-table.js";
import { regroup } from "../profile/stacks.js";
import type { Ticks } from "../profile/units.js";
import { valueAt } from "../profile/value-at.js";
import { LONGEST_ENTRY } from "../recorder/leaf-places.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code, HiddenFrame, OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import type { CallPlace } from "./source-calls.js";

// What a tree tells of what was called where. Marks are 1 for frames that have them; nodes that the root calls have no caller.

/** The stacks of a log, and where they end. */
export type RecordedStacks = Pick<Recording, "frames" | "tree" | "samples">;

interface TreeTicks {
  readonly tree: CallTree;
  readonly samples: SampleTable;
}

/** Marks the frames at the top that a marked frame calls. */
export function topFrames(tree: CallTree, isTop: Uint8Array, isAbove: Uint8Array): Uint8Array {
  const isFound = new Uint8Array(isTop.length);
  for (const node of topNodes(tree, isTop, isAbove)) isFound[tree.frame[node]!] = 1;
  return isFound;
}

/** Returns the nodes of marked frames that a marked frame calls. */
export function topNodes({ length, parent, frame }: CallTree, isTop: Uint8Array, isAbove: Uint8Array) {
  const found: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    if (caller !== ROOT && isTop[frame[node]!] === 1 && isAbove[frame[caller]!] === 1) found.push(node);
  }
  return found;
}

/**
 * Returns a test of whether a name was seen to call another one: `names` has that of each frame, -1 for those to leave out.
 */
export function namesCalled({ length, parent, frame }: CallTree, names: Int32Array) {
  const pairs = new PairNumbers();
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const called = names[frame[node]!]!;
    if (called < 0 || caller === ROOT) continue;
    const above = names[frame[caller]!]!;
    if (above >= 0) pairs.of(above, called);
  }
  const known = pairs.length;
  return (caller: number, called: number) => pairs.of(caller, called) < known;
}

/** Returns the ticks of each node's stack, with those of the stacks that go on from there; and which nodes have such. */
export function stackTotals({ tree, samples }: TreeTicks) {
  const isInterior = new Uint8Array(tree.length);
  for (let node = ROOT + 1; node < tree.length; node++) isInterior[tree.parent[node]!] = 1;
  return { total: stackTicks(tree, samples), isInterior };
}

/** Returns the stacks with a function between each of these nodes and its caller. */
export function withCallers(
  { frames, tree, samples }: RecordedStacks,
  found: ReadonlyMap<number, HiddenFrame>,
): RecordedStacks {
  const all = [...frames];
  /** By the call where they are, or by their code: the numbers of frames. */
  const known = new Map<Code | OffsetFrame, { readonly frame: HiddenFrame; readonly number: number }[]>();
  const numberOf = (frame: HiddenFrame): number => {
    const key = frame.at ?? frame.code;
    const alike = valueAt(known, key, () => []);
    const one = alike.find((other) => isAlike(other.frame, frame));
    if (one !== undefined) return one.number;
    const number = all.push(frame) - 1;
    alike.push({ frame, number });
    return number;
  };
  const merged = new CallTreeBuilder(tree.length + found.size);
  const nodes = regroup(tree, merged, (into, caller, node) => {
    const frame = found.get(node);
    return into.child(frame === undefined ? caller : into.child(caller, numberOf(frame)), tree.frame[node]!);
  });
  const { length, vmState, thread, ticks } = samples;
  const node = columnOf(Int32Array, { length }, (_, i) => nodes[samples.node[i]!]!);
  return { frames: all, tree: merged.finish(), samples: { length, node, vmState, thread, ticks } };
}

function isAlike({ inlined, offset }: HiddenFrame, other: HiddenFrame): boolean {
  if (offset !== other.offset) return false;
  return inlined.length === other.inlined.length && inlined.every((logged, i) => logged === other.inlined[i]);
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
  /** Its code with the most ticks in one node of the tree, how many, and the node. */
  code: Code;
  codeTicks: Ticks;
  node: number;
}

/** What is known of a call site: a return address, or a position in bytecode. */
export interface CallSite {
  readonly callees: Map<LoggedFunction, Callee>;
  /** Whether a builtin with the frame of a function was called there, such as `ArrayMap`. */
  callsBuiltin: boolean;
  /** All its ticks. */
  total: Ticks;
  /** The ticks in builtins with another frame, which V8's stacks leave out. */
  inBuiltins: Ticks;
}

/** Code that V8 runs before it enters a function. That it has a frame says nothing about the call. */
const ENTRY =
  /^(?:InterpreterEntryTrampoline|InterpreterPushArgs|Interpreter\w*OnStackReplacement|Baseline(?:OutOfLinePrologue|LeaveFrame|OnStackReplacement)|Maglev|CompileLazy|Call(?:Bound|Wrapped)?Function(?:_|$)|Call_|ArgumentsAdaptor)/;

/** Returns whether a builtin only leads to a function, or away from one. */
export function isEntry(name: string): boolean {
  return ENTRY.test(name);
}

/** Returns whether a frame is a function that called something, or ran bytecode. */
export function isCaller(frame: RecordedFrame): frame is OffsetFrame {
  return frame.kind === "offset" && (frame.isReturn || frame.code.tier === "~");
}

/**
 * Collects what was called at the call sites that are `wanted`, by frame. `builtinAt` returns the builtin that a
 * frame is in, and whether it has a frame there.
 */
export function callEvidence(
  stacks: RecordedStacks,
  wanted: Uint8Array,
  builtinAt: (frame: number) => { readonly name: string; readonly hasFrame: boolean } | undefined,
): Map<number, CallSite> {
  const sites = new Map<number, CallSite>();
  const { frames, tree } = stacks;
  const { total, isInterior } = stackTotals(stacks);
  for (let node = ROOT + 1; node < tree.length; node++) {
    const caller = tree.parent[node]!;
    const at = tree.frame[caller]!;
    const ticks = total[node]!;
    if (caller === ROOT || wanted[at] === 0 || ticks === 0) continue;
    const site = valueAt(sites, at, () => ({
      callees: new Map(),
      callsBuiltin: false,
      total: 0,
      inBuiltins: 0,
    }));
    site.total += ticks;
    const number = tree.frame[node]!;
    const frame = frames[number]!;
    if (frame.kind === "offset") {
      addCallee(site, frame, { ticks, node });
    } else {
      const builtin = builtinAt(number);
      if (builtin === undefined || isEntry(builtin.name)) continue;
      // A return address in a builtin is in its frame.
      if (isInterior[node] === 1) site.callsBuiltin = true;
      else if (builtin.hasFrame) site.inBuiltins += ticks;
    }
  }
  return sites;
}

function addCallee(
  { callees }: CallSite,
  frame: OffsetFrame,
  { ticks, node }: { ticks: Ticks; node: number },
): void {
  const { code, offset } = frame;
  const { function: logged } = code;
  const isSeen = isCaller(frame) || offset >= LONGEST_ENTRY;
  if (logged === undefined || !isSeen) return;
  const callee = valueAt(callees, logged, () => ({
    function: logged,
    called: 0,
    atTop: 0,
    code,
    codeTicks: 0,
    node,
  }));
  if (isCaller(frame)) callee.called += ticks;
  else callee.atTop += ticks;
  if (ticks > callee.codeTicks) {
    callee.code = code;
    callee.codeTicks = ticks;
    callee.node = node;
  }
}

/** A place that calls something, with what all code of its function says of it. */
export interface CalledSite extends CallSite {
  /** The function that calls. */
  readonly caller: LoggedFunction;
  /** The name of what the source calls there; empty if it is not known. */
  readonly name: string;
}

/** The frames of one place. */
interface Place {
  readonly function: LoggedFunction;
  readonly name: string;
  /** Whether it is a place in the source, else in code whose place in the source is not known. */
  readonly isKnown: boolean;
  readonly sites: CallSite[];
  /** Undefined until needed. */
  called: CalledSite | undefined;
}

/** The places of one function. */
interface FunctionPlaces {
  readonly all: readonly Place[];
  /** By what they call: all of them, and those that are not known in the source. */
  readonly calling: ReadonlyMap<LoggedFunction, { readonly all: Place[]; readonly unknown: Place[] }>;
}

/** With more places that may be the same one, nothing is known. */
const MOST_PLACES = 256;

/**
 * What was called at each place in the source, by all code of the functions there: one piece of code may be older than what
 * another one calls, or have too few ticks for all that is called. Where the place is not known, as in Sparkplug's code before
 * Node 25, the places of the same function count that call one of the same functions; if nothing is known to be called, all
 * do.
 */
export class SiteCallees {
  /** By frame. */
  readonly #places = new Map<number, Place>();
  readonly #ofFunction = new Map<LoggedFunction, FunctionPlaces>();

  /** `evidence` is that of all callers among the frames, and `placeOf` tells where they are. */
  constructor(
    frames: readonly RecordedFrame[],
    evidence: ReadonlyMap<number, CallSite>,
    placeOf: (frame: OffsetFrame) => CallPlace | undefined,
  ) {
    const known = new Map<LoggedFunction, Map<string, Place>>();
    for (const [number, site] of evidence) {
      const frame = frames[number] as OffsetFrame;
      const at = placeOf(frame);
      if (at === undefined) continue;
      const isKnown = at.offset >= 0;
      const { tier } = frame.code;
      // Sparkplug makes the same code of the same bytecode each time.
      const key = isKnown
        ? `at ${at.offset}`
        : tier === "^" || tier === "~"
          ? `${tier}${frame.offset}`
          : `${number}`;
      const places = valueAt(known, at.function, () => new Map<string, Place>());
      const place = valueAt(places, key, () => ({ ...at, isKnown, sites: [], called: undefined }));
      place.sites.push(site);
      this.#places.set(number, place);
    }
    for (const [logged, places] of known)
      this.#ofFunction.set(logged, functionPlaces(Array.from(places.values())));
  }

  /** Returns what is called where a frame is; undefined if nothing is known. */
  at(frame: number): CalledSite | undefined {
    const place = this.#places.get(frame);
    if (place === undefined) return undefined;
    place.called ??= this.#called(place);
    return place.called;
  }

  #called(place: Place): CalledSite {
    const own = merged(place.sites);
    const places = this.#ofFunction.get(place.function)!;
    const others = new Set<Place>();
    if (own.callees.size > 0) {
      for (const logged of own.callees.keys())
        for (const other of places.calling.get(logged)?.[place.isKnown ? "unknown" : "all"] ?? []) {
          if (others.size <= MOST_PLACES) others.add(other);
        }
    } else if (!place.isKnown) for (const other of places.all.slice(0, MOST_PLACES + 1)) others.add(other);
    others.delete(place);
    // Of too many places, nothing is known.
    if (others.size > MOST_PLACES) return { ...own, callsBuiltin: true, name: "", caller: place.function };
    const { callees } = merged([...place.sites, ...Array.from(others, ({ sites }) => sites).flat()]);
    const names = new Set(Array.from(others).flatMap((other) => (other.isKnown ? [other.name] : [])));
    const name = place.isKnown || names.size !== 1 ? place.name : Array.from(names)[0]!;
    return { ...own, callees, name, caller: place.function };
  }
}

function functionPlaces(all: readonly Place[]): FunctionPlaces {
  const calling = new Map<LoggedFunction, { readonly all: Place[]; readonly unknown: Place[] }>();
  for (const place of all) {
    const called = new Set(place.sites.flatMap(({ callees }) => Array.from(callees.keys())));
    for (const logged of called) {
      const found = valueAt(calling, logged, () => ({ all: [], unknown: [] }));
      found.all.push(place);
      if (!place.isKnown) found.unknown.push(place);
    }
  }
  return { all, calling };
}

/** Returns what several sites say together. */
function merged(sites: readonly CallSite[]): CallSite {
  const all = new Map<LoggedFunction, Callee>();
  const sum = { callees: all, callsBuiltin: false, total: 0, inBuiltins: 0 };
  for (const { callees, callsBuiltin, total, inBuiltins } of sites) {
    sum.callsBuiltin ||= callsBuiltin;
    sum.total += total;
    sum.inBuiltins += inBuiltins;
    for (const [logged, callee] of callees) {
      const known = all.get(logged);
      const called = callee.called + (known?.called ?? 0);
      const atTop = callee.atTop + (known?.atTop ?? 0);
      const most = known !== undefined && known.codeTicks >= callee.codeTicks ? known : callee;
      all.set(logged, { ...most, called, atTop });
    }
  }
  return sum;
}
