import { columnOf, marksOf } from "../base/columns.js";
import { valueAt } from "../base/maps.js";
import type { Ticks } from "../base/units.js";
import { ROOT } from "../profile/call-tree.js";
import { OPTIMIZED_TIERS } from "../profile/frame.js";
import type { V8Version } from "../profile/v8-version.js";
import { framelessStart } from "../replay/leaf-places.js";
import type { LoggedFunction } from "../replay/logged-functions.js";
import {
  functionOf,
  type HiddenFrame,
  type OffsetFrame,
  type ReplayedFrame,
} from "../replay/replayed-frame.js";
import {
  addTicks,
  type CallSite,
  CallsBySite,
  hasOwnFrame,
  isCaller,
  isEntry,
  newSite,
  type ReplayedCalls,
  type ReplayedStacks,
} from "./call-evidence.js";
import type { InlineStacks } from "./inline-stacks.js";
import type { SourceCalls } from "./source-calls.js";

/** From this version on, code does not check at its start whether it was deoptimized: it sets up its frame at once. */
const WITHOUT_CHECK = 13;
/** From this version on, the log says what is inlined where, and calls with other numbers of arguments need no frame of their own. */
const WITH_POSITIONS = 9;
/** A call site where the source does not name the function that is called must have so many ticks in it. */
const ENOUGH = 20;
/** Where several functions are called, the one at the top must have been seen so often with its caller. */
const OFTEN = 32;
/** The share of a callee's ticks at a call site that can be in the last instructions of what it calls. */
const RETURNING = 0.1;

/** What is known of calls beside the stacks. */
interface CallKnowledge {
  readonly v8: V8Version | undefined;
  readonly inlineStacks: InlineStacks;
  readonly calls: SourceCalls;
}

/** By calling function: the frames of its calls of one function, with their ticks. */
type Callers = Map<LoggedFunction, Map<number, Ticks>>;

/**
 * Finds the callers that the sampler skipped because a function had just been entered.
 *
 * Until a function has set up its frame, the frame pointer is still its caller's. The sampler takes this frame for the
 * function's own and goes on with the caller's caller: the caller is missing. Where the tick is tells that there was
 * no frame yet; the first return address is in the missing function's caller, and other ticks show what is called there.
 *
 * Calls `add` with a function only if it is the only one that was called there, and was itself seen to call the one at the top, always
 * from the same function if it is inlined. A function at the top may have been called there directly, by way of a
 * builtin with a frame (`new`, a getter): then nothing is missing. So none is added if that was seen.
 *
 * Source: V8, src/execution/frames.cc, `StackFrameIteratorForProfiler`; src/profiler/tick-sample.cc, `TickSample::GetStackSample`.
 */
export function addCallersOfEntered(
  calls: ReplayedCalls,
  knowledge: CallKnowledge,
  add: (node: number, caller: HiddenFrame) => void,
): void {
  const { frames, tree } = calls.stacks;
  const isEntered = marksOf(frames, (frame) => isJustEntered(frame, knowledge.v8));
  if (!isEntered.includes(1)) return;
  const nodes: number[] = [];
  for (let node = ROOT + 1; node < tree.length; node++)
    if (isEntered[tree.frame[node]!] === 1 && tree.parent[node] !== ROOT && calls.total[node]! > 0)
      nodes.push(node);
  if (nodes.length === 0) return;
  const evidence = new Evidence(calls, knowledge, nodes);
  const hidden = new Map<number, HiddenFrame>();
  for (const node of nodes) {
    const at = evidence.callerOf(node);
    if (at >= 0)
      add(
        node,
        valueAt(hidden, at, () => hiddenAt(frames[at] as OffsetFrame)),
      );
  }
}

function hiddenAt(frame: OffsetFrame): HiddenFrame {
  return { kind: "hidden", code: frame.code, inlined: [], at: frame };
}

/** Returns whether a frame is that of a function at the top of a stack that has no frame of its own yet. */
function isJustEntered(frame: ReplayedFrame, v8: V8Version | undefined): boolean {
  if (frame.kind !== "offset" || frame.isReturn || frame.code.function === undefined) return false;
  const { code, offset } = frame;
  const { tier } = code;
  const hasCheck = v8 !== undefined && v8.major >= WITH_POSITIONS && v8.major < WITHOUT_CHECK;
  return (tier === "^" || (hasCheck && OPTIMIZED_TIERS.has(tier))) && offset < framelessStart(code);
}

/** What ticks say of the call sites above functions without a frame. */
class Evidence {
  readonly #counts: ReplayedCalls;
  readonly #stacks: ReplayedStacks;
  readonly #knowledge: CallKnowledge;
  /** By frame: 1 + the number of its call site that all nodes share; 0 if each node is one; -1 if it is none. */
  readonly #shared: Int32Array;
  readonly #callsAt: CallsBySite;
  /** By number: the call sites, as far as they were asked for. */
  readonly #sites: (CallSite | undefined)[] = [];
  /** By node: its call site, if it has one of its own that is wanted. */
  readonly #ofNode = new Map<number, CallSite>();
  /** By function that was seen without a frame. */
  readonly #callers = new Map<LoggedFunction, Callers>();
  /** The answers of {@link #hasOneCaller}. */
  readonly #single = new Map<LoggedFunction, boolean>();
  /** By call site and function: the answer of {@link callerOf}. */
  readonly #answers = new Map<CallSite, Map<LoggedFunction, number>>();

  /** `nodes` are those of functions without a frame. */
  constructor(calls: ReplayedCalls, knowledge: CallKnowledge, nodes: readonly number[]) {
    this.#counts = calls;
    this.#stacks = calls.stacks;
    this.#knowledge = knowledge;
    const { frames, tree } = calls.stacks;
    const placed = new Map<LoggedFunction, Map<number, number>>();
    this.#shared = columnOf(Int32Array, frames, (frame) => this.#sharedSite(frame, placed));
    const numbers = this.#shared.map((shared) => Math.max(shared - 1, -1));
    this.#callsAt = new CallsBySite(calls, numbers, this.#sites.length);
    for (const node of nodes) {
      const caller = tree.parent[node]!;
      if (this.#shared[tree.frame[caller]!] === 0 && !this.#ofNode.has(caller))
        this.#ofNode.set(caller, newSite());
      const leaf = this.#functionAt(node)!;
      if (!this.#callers.has(leaf)) this.#callers.set(leaf, new Map());
    }
    this.#collect();
  }

  /** Returns the frame of the call in the missing caller of a function without a frame; -1 if it is not sure. */
  callerOf(node: number): number {
    const caller = this.#stacks.tree.parent[node]!;
    const site = this.#siteAt(caller);
    if (site === undefined) return -1;
    const leaf = this.#functionAt(node)!;
    const answers = valueAt(this.#answers, site, () => new Map());
    return valueAt(answers, leaf, () => this.#find(site, leaf, this.#stacks.tree.frame[caller]!));
  }

  #find(site: CallSite, leaf: LoggedFunction, at: number): number {
    if (site.callsBuiltin || isCalledAt(site, leaf)) return -1;
    const called = Array.from(site.callees.values()).filter((callee) => callee.called > 0);
    const [first, other] = called.filter((callee) => this.#calls(callee.function, leaf));
    if (first === undefined || other !== undefined) return -1;
    if (called.length > 1 && !this.#hasOneCaller(leaf)) return -1;
    const only = first.function;
    const ticks = first.called + first.atTop;
    const frame = this.#stacks.frames[at]!;
    const call = frame.kind === "offset" ? this.#knowledge.calls.callOf(frame, only) : "other";
    if (call !== "named" && ticks < ENOUGH) return -1;
    for (const { function: one, called, atTop } of site.callees.values()) {
      if (called > 0) continue;
      if (!this.#calls(only, one) || atTop > ticks * RETURNING) return -1;
      // Where something else than a call leads to the function, it may do so without a frame in between.
      if (one === leaf && call === "other") return -1;
    }
    return this.#onlyCall(only, leaf);
  }

  /** Returns the frame with the most ticks of a function's calls of another one, if all are in the same functions. */
  #onlyCall(caller: LoggedFunction, callee: LoggedFunction): number {
    let [best, most] = [-1, 0];
    for (const [at, ticks] of this.#callsOf(caller, callee)) {
      if (best >= 0 && !this.#areSameFunctions(best, at)) return -1;
      if (ticks > most) [best, most] = [at, ticks];
    }
    return best;
  }

  /** Returns whether a function was seen to be called often, and by one function alone, which can be inlined. */
  #hasOneCaller(callee: LoggedFunction): boolean {
    let known = this.#single.get(callee);
    if (known === undefined) {
      const names = new Set<string>();
      let sum = 0;
      for (const caller of this.#callers.get(callee)!.keys()) {
        for (const [at, ticks] of this.#callsOf(caller, callee)) {
          names.add(this.#functionsOf(at).at(-1)!);
          sum += ticks;
        }
      }
      known = names.size === 1 && sum >= OFTEN;
      this.#single.set(callee, known);
    }
    return known;
  }

  /** Returns the frames of a function's calls of another one, with their ticks. */
  #callsOf(caller: LoggedFunction, callee: LoggedFunction): (readonly [at: number, ticks: Ticks])[] {
    const calls = Array.from(this.#callers.get(callee)?.get(caller) ?? []);
    return calls.filter(([at, ticks]) => !this.#isReturning(at, callee, ticks));
  }

  /** Returns whether ticks of a function at a call look like those of its last instructions, when its frame is gone. */
  #isReturning(at: number, callee: LoggedFunction, ticks: Ticks): boolean {
    const site = this.#sharedAt(at);
    if (site === undefined || isCalledAt(site, callee)) return false;
    return Array.from(site.callees.values()).some(
      ({ function: other, called }) =>
        called > 0 && this.#calls(other, callee) && ticks <= called * RETURNING,
    );
  }

  #calls(caller: LoggedFunction, callee: LoggedFunction): boolean {
    return this.#callers.get(callee)?.has(caller) ?? false;
  }

  /** Returns whether two frames stand for the same functions, one inlined into the other. */
  #areSameFunctions(one: number, other: number): boolean {
    const [first, second] = [this.#functionsOf(one), this.#functionsOf(other)];
    return first.length === second.length && first.every((name, depth) => name === second[depth]);
  }

  /** Returns the names of the functions that run at a frame, outermost first. */
  #functionsOf(at: number): readonly string[] {
    const frame = this.#stacks.frames[at] as OffsetFrame;
    return this.#knowledge.inlineStacks.frames(frame).map(({ name }) => name);
  }

  /** Reads off all calls what calls the functions without a frame, and off the tree what is called at the sites of one node. */
  #collect(): void {
    const calls = this.#counts;
    const { frames, tree } = this.#stacks;
    const callersOf = frames.map((frame) => {
      const callee = functionOf(frame);
      return callee && this.#callers.get(callee);
    });
    for (let call = 0; call < calls.length; call++) {
      const number = calls.calleeOf(call);
      const callers = callersOf[number];
      if (callers === undefined) continue;
      const frame = frames[number]!;
      const at = calls.callerOf(call);
      const caller = functionOf(frames[at]!);
      if (caller === undefined || !hasOwnFrame(frame as OffsetFrame)) continue;
      addTicks(
        valueAt(callers, caller, () => new Map()),
        at,
        calls.ticksOf(call),
      );
    }
    if (this.#ofNode.size === 0) return;
    for (let node = ROOT + 1; node < tree.length; node++) {
      const caller = tree.parent[node]!;
      if (caller === ROOT || this.#shared[tree.frame[caller]!] !== 0 || calls.total[node] === 0) continue;
      const site = this.#ofNode.get(caller);
      if (site !== undefined) calls.addNodeTo(site, node, this.#otherAt);
    }
  }

  #siteAt(node: number): CallSite | undefined {
    if (node === ROOT) return undefined;
    return this.#sharedAt(this.#stacks.tree.frame[node]!) ?? this.#ofNode.get(node);
  }

  /** Returns the call site at a frame that all nodes share; undefined if there is none. */
  #sharedAt(at: number): CallSite | undefined {
    const number = this.#shared[at]! - 1;
    if (number < 0) return undefined;
    let site = this.#sites[number];
    if (site === undefined) {
      site = newSite();
      for (const call of this.#callsAt.of(number)) this.#counts.addTo(site, call, this.#otherAt);
      this.#sites[number] = site;
    }
    return site;
  }

  readonly #otherAt = (number: number, isInterior: boolean) =>
    isInterior && !isNoCallee(this.#stacks.frames[number]!) ? "calls" : undefined;

  /**
   * Returns the entry in {@link #shared}. Code of one function is compiled again and again, so calls at one place in
   * the source are one site. What the program passes to builtins and to Node's own functions to be called changes with the
   * stack.
   */
  #sharedSite(frame: ReplayedFrame, placed: Map<LoggedFunction, Map<number, number>>): number {
    if (frame.kind !== "offset") return 0;
    const { function: logged } = frame.code;
    if (!isCaller(frame) || logged === undefined) return -1;
    if (isNodes(logged)) return 0;
    const place = this.#knowledge.inlineStacks.callAt(frame);
    if (place === undefined) return this.#sites.push(undefined);
    const inFunction = valueAt(placed, place.function, () => new Map());
    return valueAt(inFunction, place.offset, () => this.#sites.push(undefined));
  }

  #functionAt(node: number): LoggedFunction | undefined {
    return functionOf(this.#stacks.frames[this.#stacks.tree.frame[node]!]!);
  }
}

/** Returns whether a function was seen to call something where it was called from a site. */
function isCalledAt({ callees }: CallSite, logged: LoggedFunction): boolean {
  return (callees.get(logged)?.called ?? 0) > 0;
}

/**
 * Returns whether a frame says nothing of what the program called: V8's own code in C++, and builtins that it enters
 * functions by.
 */
function isNoCallee(frame: ReplayedFrame): boolean {
  return (frame.kind === "pending" && frame.library >= 0) || (frame.kind === "code" && isEntry(frame.name));
}

/** Returns whether a function is one of Node's own. */
function isNodes({ name }: LoggedFunction): boolean {
  return /(?:^| )(?:node:|internal\/)/.test(name);
}
