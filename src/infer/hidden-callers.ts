import { columnOf, firstOf, marksOf } from "../base/columns.js";
import { groupBy, valueAt } from "../base/maps.js";
import { PairNumbers } from "../base/pair-numbers.js";
import type { Ticks } from "../base/units.js";
import type { FramesByBuiltin } from "../native/builtin-frames.js";
import { ROOT } from "../profile/call-tree.js";
import type { BuiltinCopy } from "../replay/builtins.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import {
  type Code,
  functionOf,
  type HiddenFrame,
  type OffsetFrame,
  type ReplayedFrame,
} from "../replay/replayed-frame.js";
import type { ReplayedLog } from "../replay/replayed-log.js";
import type { Scripts } from "../replay/scripts.js";
import {
  addTicks,
  type Callee,
  type CallSite,
  callsBetween,
  ERRORS,
  isCaller,
  isDeopt,
  isEntry,
  isFrameless,
  isUnknown,
  newSite,
  ReplayedCalls,
  type ReplayedStacks,
  storesOnly,
  topBuiltin,
  topNodes,
} from "./call-evidence.js";
import type { InlineStacks } from "./inline-stacks.js";
import { addCallersOfEntered } from "./prologue-callers.js";
import { type CalledSite, SiteCallees } from "./site-callees.js";
import { type Does, ownName, type SourceCall, SourceCalls, SourceOperations } from "./source-calls.js";

/** What {@link addHiddenCallers} is given. */
interface HiddenCallersOptions {
  readonly replayed: ReplayedLog;
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  readonly inlineStacks: InlineStacks;
  /** Returns what is known of the frames of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
}

/**
 * Returns the stacks of a log with the callers that the sampler skipped, as far as other ticks show which they were: of
 * functions that were just entered, of builtins without a frame, and of such builtins below code that is not in the log.
 * If one function alone that is inlined at a call leads to the builtin, it is added below the one that it is inlined in. The call
 * has a line if the function is all on one line, or if one call in its text alone fits.
 *
 * On eight large programs (acorn, markdown-it, yaml, postcss and others, Node 24 and 26), some 60 % of the ticks with an added
 * caller were in the very function that has them if V8 inlines nothing.
 */
export function addHiddenCallers({
  replayed,
  copy,
  inlineStacks,
  load,
}: HiddenCallersOptions): ReplayedStacks {
  const { scripts, v8 } = replayed;
  const calls = new SourceCalls(scripts, inlineStacks);
  const functions = functionsOf(replayed);
  const byName = groupBy(functions, (logged) => ownName(logged, scripts));
  const knowledge = {
    copy,
    inlineStacks,
    load: (wanted: ReadonlySet<string>) => {
      const found = load(wanted);
      return replayed.builtinPlaces?.agreeing(found) ?? found;
    },
    calls,
    scripts,
    operations: new SourceOperations(scripts, byName),
    functions,
    byName,
  };
  const known = new ReplayedCalls(replayed);
  const found = new FoundCallers(replayed);
  addCallersOfEntered(known, { v8, inlineStacks, calls }, (node, caller) => {
    found.add(node, caller);
    known.addIndirect(node);
  });
  addCallersOfBuiltins(known, knowledge, found);
  addCallersBelowUnknown(known, knowledge, found);
  return found.stacks();
}

/** Returns the functions of a program that V8 compiled, or that a tick was in. */
function functionsOf({ frames, compiledFunctions }: ReplayedLog): ReadonlySet<LoggedFunction> {
  const functions = new Set<LoggedFunction>(compiledFunctions);
  for (const frame of frames) {
    if (frame.kind !== "offset") continue;
    const { function: own, source } = frame.code;
    if (own !== undefined) functions.add(own);
    for (const logged of source?.functions ?? []) if (logged !== undefined) functions.add(logged);
  }
  return functions;
}

/** The callers that were found: a function between a node and the one that seems to call it. */
class FoundCallers {
  readonly #replayed: ReplayedStacks;
  readonly #frames: ReplayedFrame[];
  /** By node: the number of its caller's frame; 0 for none, which is a frame of the log. */
  readonly #callers: Int32Array;
  /** By the call where they are, or by their code: the numbers of frames. */
  readonly #known = new Map<Code | OffsetFrame, { readonly frame: HiddenFrame; readonly number: number }[]>();
  #length = 0;

  constructor(replayed: ReplayedStacks) {
    this.#replayed = replayed;
    this.#frames = [...replayed.frames];
    this.#callers = new Int32Array(replayed.tree.length);
  }

  add(node: number, caller: HiddenFrame): void {
    this.#callers[node] = this.#numberOf(caller);
    this.#length++;
  }

  #numberOf(frame: HiddenFrame): number {
    const alike = valueAt(this.#known, frame.at ?? frame.code, () => []);
    const one = alike.find((other) => other.frame === frame || isAlike(other.frame, frame));
    if (one !== undefined) return one.number;
    const number = this.#frames.push(frame) - 1;
    alike.push({ frame, number });
    return number;
  }

  /** Returns the stacks with all callers. Only these are new nodes, so no others become one. */
  stacks(): ReplayedStacks {
    const { frames, tree, samples } = this.#replayed;
    if (this.#length === 0) return { frames, tree, samples };
    const parent = new Int32Array(tree.length + this.#length);
    const frame = new Int32Array(tree.length + this.#length);
    parent[ROOT] = -1;
    frame[ROOT] = -1;
    const nodes = new Int32Array(tree.length);
    const added = new PairNumbers();
    const addedNodes: number[] = [];
    let length = 1;
    const add = (caller: number, number: number): number => {
      parent[length] = caller;
      frame[length] = number;
      return length++;
    };
    for (let node = ROOT + 1; node < tree.length; node++) {
      let caller = nodes[tree.parent[node]!]!;
      const hidden = this.#callers[node]!;
      if (hidden > 0) {
        const pair = added.of(caller, hidden);
        if (pair === addedNodes.length) addedNodes.push(add(caller, hidden));
        caller = addedNodes[pair]!;
      }
      nodes[node] = add(caller, tree.frame[node]!);
    }
    const merged = { length, parent: firstOf(parent, length), frame: firstOf(frame, length) };
    const node = columnOf(Int32Array, { length: samples.length }, (_, i) => nodes[samples.node[i]!]!);
    const { vmState, thread, ticks } = samples;
    return {
      frames: this.#frames,
      tree: merged,
      samples: { length: samples.length, node, vmState, thread, ticks },
    };
  }
}

function isAlike({ inlined, offset }: HiddenFrame, other: HiddenFrame): boolean {
  if (offset !== other.offset) return false;
  return inlined.length === other.inlined.length && inlined.every((logged, i) => logged === other.inlined[i]);
}

/** What is known of builtins and of the source. */
interface Knowledge extends Omit<HiddenCallersOptions, "replayed"> {
  readonly calls: SourceCalls;
  readonly scripts: Scripts;
  /** What functions do. */
  readonly operations: SourceOperations;
  /** The functions that V8 compiled, or that a tick was in. */
  readonly functions: ReadonlySet<LoggedFunction>;
  /** The same, by the names by which the source may call them. */
  readonly byName: ReadonlyMap<string, readonly LoggedFunction[]>;
}

/** The builtins at the top of stacks that may lack their caller. */
interface TopBuiltins {
  /** By frame: the name of the builtin that it is in. */
  readonly names: readonly (string | undefined)[];
  /** By name, as far as known. */
  readonly known: FramesByBuiltin;
  /** Returns whether the builtin of a frame, by its number, has a frame of its own there; undefined if it is not known. */
  hasFrame(frame: number): boolean | undefined;
  /** The nodes of builtins without a frame that a marked frame seems to call. */
  readonly nodes: readonly number[];
}

/** Finds the builtins without a frame below frames that `isAbove` marks. `isMeant` leaves out some by their names. */
function topBuiltins(
  { stacks: { frames, tree }, total }: ReplayedCalls,
  { copy, load }: Knowledge,
  isAbove: Uint8Array,
  isMeant: (name: string) => boolean,
): TopBuiltins {
  const tops = frames.map((frame) => topBuiltin(frame, copy));
  const isTop = marksOf(tops, (top) => top !== undefined && isMeant(top.name));
  const nodes = isTop.includes(1) ? topNodes(tree, isTop, isAbove).filter((node) => total[node]! > 0) : [];
  const known: FramesByBuiltin =
    nodes.length === 0 ? new Map() : load(new Set(nodes.map((node) => tops[tree.frame[node]!]!.name)));
  const hasFrame = (frame: number): boolean | undefined => {
    const top = tops[frame];
    const builtin = top && known.get(top.name);
    return builtin && !isFrameless(builtin, top.offset);
  };
  return {
    names: tops.map((top) => top?.name),
    known,
    hasFrame,
    nodes: nodes.filter((node) => hasFrame(tree.frame[node]!) === false),
  };
}

/**
 * A call site must have so many ticks if another builtin could be between it and the builtin at the top: it would
 * then be seen in some of them.
 */
const ENOUGH_TO_EXCLUDE = 8;

/**
 * Finds the functions that the sampler skipped below builtins without a frame.
 *
 * The sampler begins with the caller of what owns the frame pointer: it takes for granted that this is what runs.
 * A builtin often runs without a frame of its own. The frame pointer is then still that of the function that
 * called it, and the function is missing between the builtin and the first return address. This address is one
 * of a call, and other ticks show what is called there (see {@link SiteCallees}).
 *
 * Adds the function only if it is the only one seen there whose code can lead to the builtin. If the builtin can
 * also be called by other builtins, some of them call functions and are left out of stacks too (a sort calls its
 * comparator, a load its getter), so that the function could be what the builtin was about to call: then the
 * source must call the function there, and no such builtin may have been seen at the call site.
 *
 * The code at the frame pointer may have other functions inlined. If only one of these leads to the builtin, it is
 * added too. Else it stays open whether it was the code's own function or what is inlined in it.
 *
 * Source: V8, src/execution/frames.cc, `StackFrameIteratorForProfiler`.
 */
function addCallersOfBuiltins(calls: ReplayedCalls, knowledge: Knowledge, found: FoundCallers): void {
  const { frames } = calls.stacks;
  const isAbove = marksOf(frames, (frame) => isCaller(frame));
  const { names, known, hasFrame, nodes } = topBuiltins(calls, knowledge, isAbove, () => true);
  if (nodes.length === 0) return;
  const otherAt = (number: number, isInterior: boolean) => {
    const frame = frames[number]!;
    const name = frame.kind === "code" && frame.type === "Builtin" ? frame.name : names[number];
    if (name === undefined || isEntry(name) || isDeopt(name)) return undefined;
    // A return address in a builtin is in its frame.
    if (isInterior) return storesOnly(name) ? "has-frame" : "calls";
    return hasFrame(number) === true ? "has-frame" : undefined;
  };
  const sites = new SiteCallees(calls, {
    isAbove,
    otherAt,
    placeOf: (frame) => knowledge.calls.placeOf(frame),
  });
  const choice = new CallerChoice(knowledge, callsBetween(calls));
  const callerAt = (call: number): HiddenFrame | undefined => {
    const at = calls.callerOf(call);
    const site = sites.at(at);
    if (site === undefined) return undefined; // All its ticks are excluded.
    const name = names[calls.calleeOf(call)]!;
    const caller = choice.of(site, name);
    if (caller === undefined) return undefined;
    const callAt = () => knowledge.calls.callAt(frames[at] as OffsetFrame, caller.callee);
    const isSure =
      (!known.get(name)!.isCalled && !isEntry(name)) ||
      isDirect(site, caller.isSure ? undefined : callAt, name);
    return isSure ? caller.frame : undefined;
  };
  const byCall = groupBy(nodes, (node) => calls.of(node));
  const byFunction = groupBy(byCall.keys(), (call) => sites.functionAt(calls.callerOf(call)));
  const callers = new Map<number, HiddenFrame>();
  for (const [logged, ofFunction] of byFunction) {
    for (const call of ofFunction) {
      const caller = callerAt(call);
      if (caller !== undefined) callers.set(call, caller);
    }
    if (logged !== undefined) sites.forget(logged);
  }
  for (const node of nodes) {
    const caller = callers.get(calls.of(node));
    if (caller !== undefined) found.add(node, caller);
  }
}

/** Where the source calls a function by its name, another one that returns has so many of its ticks at most. */
const RETURNING = 0.05;

/** The caller of a builtin. */
interface Chosen {
  /** Whether its code leads to the builtin, rather than that nothing else is known to be called. */
  readonly isSure: boolean;
  /** The function that the site calls. */
  readonly callee: LoggedFunction;
  readonly frame: HiddenFrame;
}

/** A function that may have called a builtin: the callee of a site, or what is inlined in its code. */
interface Running {
  /** Undefined if its text does not tell. */
  readonly does: Does | undefined;
  readonly code: Code;
  readonly inlined: readonly (LoggedFunction | undefined)[];
}

/** Chooses the function that called a builtin from those that a site calls. */
class CallerChoice {
  readonly #knowledge: Knowledge;
  readonly #isCalledBy: (callee: LoggedFunction, caller: LoggedFunction) => boolean;
  /** By function: its optimized code in which others are inlined, also if no tick was there. */
  readonly #optimized = new Map<LoggedFunction, readonly Code[]>();
  /** By code: what is inlined in it, each once. */
  readonly #inlined = new Map<Code, readonly (readonly (LoggedFunction | undefined)[])[]>();

  /** By site: the choices, by builtin. */
  readonly #chosen = new WeakMap<CalledSite, Map<string, Chosen | undefined>>();
  /** By builtin: what each function runs that may have called it. */
  readonly #runningFor = new Map<string, Map<LoggedFunction, readonly Running[]>>();
  /** By builtin: the functions that lead to it, as far as they were looked for, and those that are left. */
  readonly #leading = new Map<
    string,
    { readonly found: LoggedFunction[]; readonly left: Iterator<LoggedFunction> }
  >();

  constructor(knowledge: Knowledge, isCalledBy: (callee: LoggedFunction, caller: LoggedFunction) => boolean) {
    this.#knowledge = knowledge;
    this.#isCalledBy = isCalledBy;
  }

  /** Returns the function that called a builtin at a site; undefined if it is not sure. */
  of(site: CalledSite, builtin: string): Chosen | undefined {
    const chosen = this.#chosen.get(site) ?? new Map<string, Chosen | undefined>();
    this.#chosen.set(site, chosen);
    return valueAt(chosen, builtin, () => this.#choose(site, builtin));
  }

  #choose(site: CalledSite, builtin: string): Chosen | undefined {
    if (site.callsBuiltin) return undefined;
    const only = this.#onlyAble(site, builtin);
    if (only === undefined) return undefined;
    const { operations } = this.#knowledge;
    // The call may be one of a builtin with a frame that calls the one at the top, such as `Add_Baseline`.
    if (!site.isSeen && operations.does(site.caller, builtin) === "yes") return undefined;
    const { callee, running } = only;
    const isNamed = this.#isNamed(site, callee);
    if (!isNamed && this.#mayBeOther(site, builtin, callee.function)) return undefined;
    // What does it only perhaps is not the one if others may have been called that were not seen.
    const isSure = running.some(({ does }) => does !== "maybe") || isNamed;
    const doesIt = running.some(({ does }) => does === "yes");
    return isSure
      ? { isSure: doesIt, callee: callee.function, frame: this.#frameOf(callee, running, builtin) }
      : undefined;
  }

  #isNamed({ name }: CalledSite, { function: logged }: Callee): boolean {
    return name !== "" && ownName(logged, this.#knowledge.scripts) === name;
  }

  /** Returns the only callee of a site that can have called a builtin; undefined if there are none or others. */
  #onlyAble(site: CalledSite, builtin: string) {
    const isKnown = this.#knowledge.operations.knows(builtin);
    const runningFor = valueAt(
      this.#runningFor,
      builtin,
      () => new Map<LoggedFunction, readonly Running[]>(),
    );
    const able: { readonly callee: Callee; readonly running: readonly Running[] }[] = [];
    let calling: LoggedFunction | undefined;
    for (const callee of site.callees.values()) {
      const running = valueAt(runningFor, callee.function, () => this.#running(callee, builtin));
      if (running.length === 0) continue;
      if (callee.called > 0) {
        if (calling !== undefined) return undefined;
        calling = callee.function;
      }
      able.push({ callee, running });
    }
    const named = able.find(({ callee }) => callee.called > 0 && this.#isNamed(site, callee))?.callee;
    // At the top, a function that is about to return looks as if its caller's caller had called it.
    const isReturning = ({ called, atTop }: Callee): boolean =>
      named !== undefined && called === 0 && atTop <= RETURNING * (named.called + named.atTop);
    const isStrange = ({ function: logged, called }: Callee): boolean =>
      called === 0 && calling !== undefined && this.#isCalledBy(logged, calling);
    const hasNamed = isKnown && able.some(({ callee }) => this.#isNamed(site, callee));
    const left = able.filter(
      ({ callee }) =>
        !isReturning(callee) &&
        (!isStrange(callee) || (isKnown && (!hasNamed || this.#isNamed(site, callee)))),
    );
    return left.length === 1 ? left[0] : undefined;
  }

  /**
   * Returns whether a site may call another function that leads to a builtin, and works so much in it that no tick shows it
   * there: any one of the program, unless the source names another one.
   */
  #mayBeOther(site: CalledSite, builtin: string, callee: LoggedFunction): boolean {
    const { operations, byName } = this.#knowledge;
    if (!operations.knows(builtin)) return false;
    const isOfNode = operations.isOfNode(site.caller);
    const isOther = (logged: LoggedFunction) =>
      logged !== callee && (isOfNode || !operations.isOfNode(logged));
    const named = this.#namedAt(site);
    if (named === undefined) return this.#someLeads(builtin, isOther);
    return Array.from(named).some((name) =>
      byName.get(name)!.some((logged) => isOther(logged) && this.#leads(logged, builtin)),
    );
  }

  /** Returns the names of functions of the program that a site can call by the source; undefined for all of them. */
  #namedAt({ name, caller }: CalledSite): ReadonlySet<string> | undefined {
    const { calls, byName } = this.#knowledge;
    const named = name === "" ? calls.onlyNames(caller) : new Set([name]);
    // A name that is no function's is a variable, or what the program does not log.
    return named !== undefined && named.size > 0 && Array.from(named).every((one) => byName.has(one))
      ? named
      : undefined;
  }

  /** Returns whether one of all functions leads to a builtin that `isMeant`. Reads no more texts than it takes. */
  #someLeads(builtin: string, isMeant: (logged: LoggedFunction) => boolean): boolean {
    const { found, left } = valueAt(this.#leading, builtin, () => ({
      found: [],
      left: this.#knowledge.functions.values(),
    }));
    if (found.some(isMeant)) return true;
    for (let next = left.next(); next.done !== true; next = left.next()) {
      if (!this.#leads(next.value, builtin)) continue;
      found.push(next.value);
      if (isMeant(next.value)) return true;
    }
    return false;
  }

  /** Returns whether a function leads to a builtin. The top-level code of a script, which does not count, is called by Node. */
  #leads(logged: LoggedFunction, builtin: string): boolean {
    return logged.start > 0 && this.#knowledge.operations.does(logged, builtin) === "yes";
  }

  /** Returns what may have called a builtin of a function and of what is inlined in its code, of which `code` is any. */
  #running({ function: logged, code }: Callee, builtin: string): Running[] {
    const { operations } = this.#knowledge;
    const all: Running[] = [{ does: operations.does(logged, builtin), code, inlined: [] }];
    // If nothing is known of the builtin, what is inlined tells nothing.
    if (operations.knows(builtin)) {
      for (const optimized of this.#optimizedOf(logged, code))
        for (const inlined of this.#inlinedIn(optimized)) {
          const last = inlined.at(-1);
          all.push({ does: last && operations.does(last, builtin), code: optimized, inlined });
        }
    }
    return all.filter(({ does }) => does !== "no");
  }

  /** Returns the frame of what called a builtin: of several, that of the code they are all in. */
  #frameOf({ code }: Callee, running: readonly Running[], builtin: string): HiddenFrame {
    const [first, ...others] = running;
    const outer: HiddenFrame = { kind: "hidden", code, inlined: [] };
    if (first === undefined || first.does !== "yes") return outer;
    const isOther = ({ inlined }: Running) =>
      inlined.length !== first.inlined.length || inlined.some((logged, i) => logged !== first.inlined[i]);
    if (others.some(isOther)) return outer;
    const path = first.inlined.filter((logged) => logged !== undefined);
    if (path.length !== first.inlined.length) return outer;
    const last = path.at(-1) ?? code.function;
    const offset = last && this.#knowledge.operations.onlyCall(last, builtin);
    return { ...outer, code: path.length === 0 ? code : first.code, inlined: path, offset };
  }

  /** Returns the code of a function in which others are inlined; `code` is any of its code. */
  #optimizedOf(logged: LoggedFunction, code: Code): readonly Code[] {
    return valueAt(this.#optimized, logged, () =>
      (logged.inlining ?? []).map((inlining) => ({ ...code, ...inlining })),
    );
  }

  #inlinedIn(code: Code): readonly (readonly (LoggedFunction | undefined)[])[] {
    return valueAt(this.#inlined, code, () => this.#knowledge.inlineStacks.inlinedIn(code));
  }
}

/**
 * Returns whether a site calls its function directly, not by a builtin that could have called the one at the
 * top. The source may have a call of what a getter returns: what leads to functions can then be on its way to the
 * getter. `callAt` returns what the source has there, which takes long to find; undefined if the function's own code is
 * known to lead to the builtin.
 */
function isDirect(
  { inBuiltins, total }: CalledSite,
  callAt: (() => SourceCall) | undefined,
  name: string,
): boolean {
  if (inBuiltins > total * ERRORS || (total < ENOUGH_TO_EXCLUDE && isEntry(name))) return false;
  if (callAt === undefined) return true;
  const call = callAt();
  return call === "here" || (call === "somewhere" && total >= ENOUGH_TO_EXCLUDE);
}

/** A function must have so many ticks where code that is not in the log called it. */
const ENOUGH = 20;
/** So many ticks must show the function to call the builtin at the top, where that has a frame. */
const SEEN = 4;
/** With so many, they show which of the functions inlined into it calls the builtin. */
const OFTEN = 32;

/** Calls of a builtin while that has a frame: by frame of the call, the ticks. */
type Calls = Map<number, Ticks>;

/**
 * Finds the functions that the sampler skipped between a builtin without a frame and code that is not in the log, as
 * {@link addCallersOfBuiltins} does below functions of the log. Node's snapshot has such code, which calls the top-level code of
 * modules.
 *
 * The log does not tell its call sites apart. Stacks that are the same up to it count as one site: there, one function
 * alone must have been called, in many ticks, and others must show that it calls the builtin at the top.
 */
function addCallersBelowUnknown(calls: ReplayedCalls, knowledge: Knowledge, found: FoundCallers): void {
  const { frames, tree } = calls.stacks;
  const { parent, frame: frameOf } = tree;
  const isOpen = marksOf(
    frames,
    (frame) => isUnknown(frame) && topBuiltin(frame, knowledge.copy) === undefined,
  );
  // Builtins that only lead to a function can be on their way from the unknown code.
  const { names, hasFrame, nodes } = topBuiltins(calls, knowledge, isOpen, (name) => !isEntry(name));
  if (nodes.length === 0) return;
  const sites = new Map(nodes.map((node) => [parent[node]!, newSite()]));
  const otherAt = (number: number, isInterior: boolean) => {
    const frame = frames[number]!;
    if (isUnknown(frame)) return isInterior || hasFrame(number) === true ? "has-frame" : undefined;
    if ((frame.kind !== "code" && frame.kind !== "builtin") || isEntry(frame.name)) return undefined;
    return isInterior ? "calls" : hasFrame(number) === true ? "has-frame" : undefined;
  };
  for (let node = ROOT + 1; node < tree.length; node++) {
    const caller = parent[node]!;
    if (caller === ROOT || isOpen[frameOf[caller]!] === 0 || calls.total[node] === 0) continue;
    const site = sites.get(caller);
    if (site !== undefined) calls.addNodeTo(site, node, otherAt);
  }
  const only = new Map<number, LoggedFunction>();
  for (const [caller, site] of sites) {
    const logged = onlyCallee(site);
    if (logged !== undefined) only.set(caller, logged);
  }
  if (only.size === 0) return;
  const called = callsOfBuiltins(calls, (number) => (hasFrame(number) === true ? names[number] : undefined));
  const answers = new Map<Calls, HiddenFrame | undefined>();
  for (const node of nodes) {
    const logged = only.get(parent[node]!);
    const ofOnly = logged && called.get(logged)?.get(names[frameOf[node]!]!);
    const answer = ofOnly && valueAt(answers, ofOnly, () => callerOf(ofOnly, frames, knowledge.inlineStacks));
    if (answer !== undefined) found.add(node, answer);
  }
}

/** Returns the only function that was called at a site; undefined if that is not sure. */
function onlyCallee({ callees, callsBuiltin, inBuiltins }: CallSite): LoggedFunction | undefined {
  const [only, other] = Array.from(callees.values()).filter(({ called }) => called > 0);
  if (callsBuiltin || only === undefined || other !== undefined) return undefined;
  const all = only.called + only.atTop;
  let others = inBuiltins;
  for (const callee of callees.values()) if (callee !== only) others += callee.atTop;
  return all >= ENOUGH && others <= all * ERRORS ? only.function : undefined;
}

/** Returns what each function calls of the builtins that `builtinAt` names, by the number of their frame. */
function callsOfBuiltins(
  calls: ReplayedCalls,
  builtinAt: (frame: number) => string | undefined,
): ReadonlyMap<LoggedFunction, ReadonlyMap<string, Calls>> {
  const called = new Map<LoggedFunction, Map<string, Calls>>();
  for (let call = 0; call < calls.length; call++) {
    const name = builtinAt(calls.calleeOf(call));
    if (name === undefined) continue;
    const at = calls.callerOf(call);
    const logged = functionOf(calls.stacks.frames[at]!);
    if (logged === undefined) continue;
    const ofCaller = valueAt(called, logged, () => new Map<string, Calls>());
    addTicks(
      valueAt(ofCaller, name, () => new Map<number, Ticks>()),
      at,
      calls.ticksOf(call),
    );
  }
  return called;
}

/** Returns the frame for a function by its calls of a builtin, with the function that is inlined where it calls it. */
function callerOf(
  calls: Calls,
  frames: readonly ReplayedFrame[],
  inlineStacks: InlineStacks,
): HiddenFrame | undefined {
  const chains = new Set<string>();
  let [best, most, sum] = [-1, 0, 0];
  for (const [at, ticks] of calls) {
    sum += ticks;
    const chain = inlineStacks.frames(frames[at] as OffsetFrame);
    chains.add(chain.map(({ name }) => name).join("\0"));
    if (ticks > most) [best, most] = [at, ticks];
  }
  if (sum < SEEN) return undefined;
  const at = frames[best] as OffsetFrame;
  const { code }: { readonly code: Code } = at;
  return chains.size === 1 && sum >= OFTEN
    ? { kind: "hidden", code, inlined: [], at }
    : { kind: "hidden", code, inlined: [] };
}
