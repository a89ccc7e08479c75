import { columnOf } from "../profile/columns.js";
import { valueAt } from "../profile/value-at.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code, HiddenFrame, OffsetFrame } from "../recorder/recorded-frame.js";
import type { FramesByBuiltin } from "../symbols/builtin-frames.js";
import {
  type CalledSite,
  type Callee,
  type CallSite,
  callEvidence,
  isCaller,
  isEntry,
  namesCalled,
  type RecordedStacks,
  SiteCallees,
  topFrames,
  topNodes,
  withCallers,
} from "./call-evidence.js";
import type { CallPlace, Does, SourceCall, SourceOperations } from "./source-calls.js";
import { isFrameless, topBuiltin } from "./top-builtins.js";

/**
 * A call site must have so many ticks if another builtin could be between it and the builtin at the top: it would
 * then be seen in some of them.
 */
const ENOUGH = 8;
/** The share of a call site's ticks that may be errors of the sampler. */
const ERRORS = 0.02;

/** Where the frames of builtins are known from, and what the source says. */
interface BuiltinKnowledge {
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  /** What functions do. */
  readonly operations: SourceOperations;
  /** The functions that V8 compiled, also if no tick was in them. */
  readonly compiled: ReadonlySet<LoggedFunction>;
  /** The names by which the source may call functions of the program. */
  readonly names: ReadonlySet<string>;
  /** Returns that of one function. */
  nameOf(logged: LoggedFunction): string;
  /** Returns what is known of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
  /** Returns whether the source calls a function where a frame is. */
  callAt(frame: OffsetFrame, callee: LoggedFunction): SourceCall;
  /** Returns where a frame calls something. */
  placeOf(frame: OffsetFrame): CallPlace | undefined;
  /** Returns the functions inlined in code, each after those that it is inlined into. */
  inlinedIn(code: Code): readonly (readonly (LoggedFunction | undefined)[])[];
}

/**
 * Returns the stacks with the functions that the sampler skipped.
 *
 * The sampler begins with the caller of what owns the frame pointer: it takes for granted that this is what runs.
 * A builtin often runs without a frame of its own. The frame pointer is then still that of the function that
 * called it, and the function is missing between the builtin and the first return address. This address is one
 * of a call, and other ticks show what is called there (see `siteCallees`).
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
export function addHiddenCallers(stacks: RecordedStacks, knowledge: BuiltinKnowledge): RecordedStacks {
  const { frames, tree } = stacks;
  const tops = frames.map((frame) => topBuiltin(frame, knowledge.copy));
  const isTop = columnOf(Uint8Array, tops, (top) => (top === undefined ? 0 : 1));
  if (!isTop.includes(1)) return stacks;
  /** By frame: 1 if it can be the caller of a function that is missing. */
  const isAbove = columnOf(Uint8Array, frames, (frame) => (isCaller(frame) ? 1 : 0));
  /** By frame: 1 if it is at the top of a stack that may lack the caller. */
  const isCandidate = topFrames(tree, isTop, isAbove);
  const wanted = new Set<string>();
  for (let frame = 0; frame < tops.length; frame++)
    if (isCandidate[frame] === 1) wanted.add(tops[frame]!.name);
  if (wanted.size === 0) return stacks;
  const known = knowledge.load(wanted);
  const isHidden = (frame: number): boolean | undefined => {
    const top = tops[frame];
    const builtin = top && known.get(top.name);
    return builtin && isFrameless(builtin, top.offset);
  };
  for (let frame = 0; frame < frames.length; frame++) isCandidate[frame]! &= isHidden(frame) ? 1 : 0;
  const hidden = topNodes(tree, isCandidate, isAbove);
  if (hidden.length === 0) return stacks;
  const { parent, frame: frameOf } = tree;
  const evidence = callEvidence(stacks, isAbove, (number) => {
    const frame = frames[number]!;
    const name = frame.kind === "code" && frame.type === "Builtin" ? frame.name : tops[number]?.name;
    return name === undefined ? undefined : { name, hasFrame: isHidden(number) === false };
  });
  const sites = new SiteCallees(frames, evidence, (frame) => knowledge.placeOf(frame));
  const choice = new CallerChoice(knowledge, calledIn(evidence), callsBetween(stacks));
  const calls = new Map<number, SourceCall>();
  const found = new Map<number, HiddenFrame>();
  const chosen = new Map<string, Chosen | undefined>();
  for (const node of hidden) {
    const at = frameOf[parent[node]!]!;
    const site = sites.at(at);
    if (site === undefined) continue; // All its ticks are excluded.
    const { name } = tops[frameOf[node]!]!;
    const key = `${at} ${name}`;
    if (!chosen.has(key)) chosen.set(key, choice.of(site, name));
    const caller = chosen.get(key);
    if (caller === undefined) continue;
    const callAt = (): SourceCall => {
      const call = valueAt(calls, at, () => knowledge.callAt(frames[at] as OffsetFrame, caller.callee));
      return call;
    };
    const isSure =
      (!known.get(name)!.isCalled && !isEntry(name)) ||
      isDirect(site, caller.isSure ? undefined : callAt, name);
    if (isSure) found.set(node, caller.frame);
  }
  return found.size === 0 ? stacks : withCallers(stacks, found);
}

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
  readonly #knowledge: BuiltinKnowledge;
  readonly #isCalledBy: (callee: LoggedFunction, caller: LoggedFunction) => boolean;
  /** By function: its optimized code in which others are inlined, also if no tick was there. */
  readonly #optimized = new Map<LoggedFunction, readonly Code[]>();
  /** By code: what is inlined in it, each once. */
  readonly #inlined = new Map<Code, readonly (readonly (LoggedFunction | undefined)[])[]>();

  /** The functions that were seen to be called. */
  readonly #seen: ReadonlySet<LoggedFunction>;
  /** By builtin: the functions that lead to it and were never seen to be called. */
  readonly #unseen = new Map<string, readonly LoggedFunction[]>();

  constructor(
    knowledge: BuiltinKnowledge,
    seen: ReadonlySet<LoggedFunction>,
    isCalledBy: (callee: LoggedFunction, caller: LoggedFunction) => boolean,
  ) {
    this.#knowledge = knowledge;
    this.#seen = seen;
    this.#isCalledBy = isCalledBy;
  }

  /** Returns the function that called a builtin at a site; undefined if it is not sure. */
  of(site: CalledSite, builtin: string): Chosen | undefined {
    const { callees, callsBuiltin, name } = site;
    if (callsBuiltin) return undefined;
    const all = Array.from(callees.values());
    const isKnown = this.#knowledge.operations.knows(builtin);
    const able = all
      .map((callee) => ({ callee, running: this.#running(callee, builtin) }))
      .filter(({ running }) => running.length > 0);
    const named = able.filter(
      ({ callee }) => name !== "" && this.#knowledge.nameOf(callee.function) === name,
    );
    // At the top, a function that is about to return looks as if its caller's caller had called it.
    const isStrange = ({ function: logged, called }: Callee): boolean =>
      called === 0 &&
      able.some(({ callee }) => callee.called > 0 && this.#isCalledBy(logged, callee.function));
    const left = able.filter(
      (one) => !isStrange(one.callee) || (isKnown && (named.length === 0 || named.includes(one))),
    );
    const [only, other] = left;
    if (only === undefined || other !== undefined) return undefined;
    const { callee, running } = only;
    if (isKnown && !named.includes(only) && this.#mayBeUnseen(site, builtin)) return undefined;
    // What does it only perhaps is not the one if others may have been called that were not seen.
    const isSure = running.some(({ does }) => does !== "maybe") || named.includes(only);
    const doesIt = running.some(({ does }) => does === "yes");
    return isSure
      ? { isSure: doesIt, callee: callee.function, frame: this.#frameOf(callee, running, builtin) }
      : undefined;
  }

  /**
   * Returns whether a site may call a function that leads to a builtin and works so much in it that no tick shows it. The
   * source says that it does not if it has the name of another function there.
   */
  #mayBeUnseen({ name, caller }: CalledSite, builtin: string): boolean {
    const { compiled, names, nameOf, operations } = this.#knowledge;
    const unseen = valueAt(this.#unseen, builtin, () =>
      Array.from(compiled).filter(
        // The top-level code of a script is called by Node.
        (logged) => logged.start > 0 && !this.#seen.has(logged) && operations.does(logged, builtin) === "yes",
      ),
    );
    const isOfNode = operations.isOfNode(caller);
    return unseen.some(
      (logged) => (!names.has(name) || nameOf(logged) === name) && (isOfNode || !operations.isOfNode(logged)),
    );
  }

  /** Returns what may have called a builtin of a callee and of what is inlined in its code. */
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
    const found =
      this.#optimized.get(logged) ?? (logged.inlining ?? []).map((inlining) => ({ ...code, ...inlining }));
    this.#optimized.set(logged, found);
    return found;
  }

  #inlinedIn(code: Code): readonly (readonly (LoggedFunction | undefined)[])[] {
    const found = valueAt(this.#inlined, code, () => this.#knowledge.inlinedIn(code));
    return found;
  }
}

/** Returns the functions that sites were seen to call. */
function calledIn(evidence: ReadonlyMap<number, CallSite>): ReadonlySet<LoggedFunction> {
  const seen = new Set<LoggedFunction>();
  for (const { callees } of evidence.values()) for (const logged of callees.keys()) seen.add(logged);
  return seen;
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
  if (inBuiltins > total * ERRORS || (total < ENOUGH && isEntry(name))) return false;
  if (callAt === undefined) return true;
  const call = callAt();
  return call === "here" || (call === "somewhere" && total >= ENOUGH);
}

/** Returns a function that tells whether a function was seen to be called by another one directly. */
export function callsBetween(
  stacks: RecordedStacks,
): (callee: LoggedFunction, caller: LoggedFunction) => boolean {
  let calls: SeenCalls | undefined;
  return (callee, caller) => {
    calls ??= seenCalls(stacks);
    const { numbers, isCalled } = calls;
    const [called, above] = [numbers.get(callee), numbers.get(caller)];
    return called !== undefined && above !== undefined && isCalled(above, called);
  };
}

/** The calls between functions in a tree. */
interface SeenCalls {
  readonly numbers: ReadonlyMap<LoggedFunction, number>;
  /** Whether a function called another one, by their numbers. */
  readonly isCalled: (caller: number, callee: number) => boolean;
}

function seenCalls({ frames, tree }: RecordedStacks): SeenCalls {
  const numbers = new Map<LoggedFunction, number>();
  const ofFrame = columnOf(Int32Array, frames, (frame) => {
    const logged = frame.kind === "offset" ? frame.code.function : undefined;
    if (logged === undefined) return -1;
    const number = valueAt(numbers, logged, () => numbers.size);
    return number;
  });
  return { numbers, isCalled: namesCalled(tree, ofFrame) };
}
