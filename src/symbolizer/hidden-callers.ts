import { type CallTree, ROOT } from "../profile/call-tree.js";
import { zeros } from "../profile/long-column.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { FramesByBuiltin } from "../symbols/frames/builtin-frames.js";
import {
  type Callee,
  type CallSite,
  callEvidence,
  isCaller,
  isEntry,
  type RecordedStacks,
  totalTicks,
} from "./call-evidence.js";
import type { SourceCall } from "./source-calls.js";
import { isFrameless, topBuiltin } from "./top-builtins.js";

/**
 * A call site must have so many ticks if another builtin could be between it and the builtin at the top: it would
 * then be seen in some of them.
 */
const ENOUGH = 8;
/** The share of a call site's ticks that may be errors of the sampler. */
const ERRORS = 0.02;

/** Where the frames of builtins are known from. */
export interface BuiltinKnowledge {
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  /** Returns what is known of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
  /** Returns whether the source calls a function where a frame is. */
  callAt(frame: OffsetFrame, callee: LoggedFunction): SourceCall;
}

/**
 * Returns the stacks with the functions that the sampler skipped.
 *
 * The sampler begins with the caller of what owns the frame pointer: it takes for granted that this is what runs.
 * A builtin often runs without a frame of its own. The frame pointer is then still that of the function that
 * called it, and the function is missing between the builtin and the first return address. This address is one
 * of a call, and other ticks show what is called there.
 *
 * Adds the function only if it is the only one seen there. If the builtin can also be called by other
 * builtins, some of them call functions and are left out of stacks too (a sort calls its comparator, a load
 * its getter), so that the function could be what the builtin was about to call: then the source must call the
 * function there, and no such builtin may have been seen at the call site.
 *
 * Source: V8, src/execution/frames.cc, `StackFrameIteratorForProfiler`.
 */
export function addHiddenCallers(stacks: RecordedStacks, knowledge: BuiltinKnowledge): RecordedStacks {
  const { frames, tree } = stacks;
  const tops = frames.map((frame) => topBuiltin(frame, knowledge.copy));
  /** By frame: 1 if it is at the top of a stack that may lack the caller. */
  const isCandidate = new Uint8Array(frames.length);
  const isTop = Uint8Array.from(tops, (top) => (top === undefined ? 0 : 1));
  /** By frame: 1 if it can be the caller of a function that is missing. */
  const isAbove = Uint8Array.from(frames, (frame) => (isCaller(frame) ? 1 : 0));
  // Plain loops over columns: this is cold code that runs over all nodes.
  const { length, parent, frame: frameOf } = tree;
  for (let node = ROOT + 1; node < length; node++) {
    const frame = frameOf[node]!;
    if (isTop[frame] === 0 || isCandidate[frame] === 1) continue;
    const caller = parent[node]!;
    if (caller !== ROOT) isCandidate[frame] = isAbove[frameOf[caller]!]!;
  }
  const wanted = new Set<string>();
  for (const [frame, top] of tops.entries()) if (isCandidate[frame] === 1) wanted.add(top!.name);
  if (wanted.size === 0) return stacks;
  const known = knowledge.load(wanted);
  const isHidden = (frame: number): boolean | undefined => {
    const top = tops[frame];
    const builtin = top && known.get(top.name);
    return builtin && isFrameless(builtin, top.offset);
  };
  for (let frame = 0; frame < frames.length; frame++) isCandidate[frame]! &= isHidden(frame) ? 1 : 0;
  const hidden: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    if (isCandidate[frameOf[node]!] === 0) continue;
    const caller = parent[node]!;
    if (caller !== ROOT && isAbove[frameOf[caller]!] === 1) hidden.push(node);
  }
  if (hidden.length === 0) return stacks;
  const atSites = new Uint8Array(frames.length);
  for (const node of hidden) atSites[frameOf[parent[node]!]!] = 1;
  const total = totalTicks(stacks);
  const sites = callEvidence(stacks, total, atSites, (number) => {
    const frame = frames[number]!;
    const name = frame.kind === "code" && frame.type === "Builtin" ? frame.name : tops[number]?.name;
    return name === undefined ? undefined : { name, hasFrame: isHidden(number) === false };
  });
  const isCalledBy = callsBetween(stacks);
  const callees = new Map<number, Callee | undefined>();
  const calls = new Map<number, SourceCall>();
  const callAt = (at: number, callee: Callee): SourceCall => {
    const call = calls.get(at) ?? knowledge.callAt(frames[at] as OffsetFrame, callee.function);
    calls.set(at, call);
    return call;
  };
  const found = new Map<number, Callee>();
  for (const node of hidden) {
    const at = frameOf[parent[node]!]!;
    const site = sites.get(at);
    if (site === undefined) continue; // All its ticks are excluded.
    if (!callees.has(at)) callees.set(at, onlyCallee(site, isCalledBy));
    const callee = callees.get(at);
    const { name } = tops[frameOf[node]!]!;
    if (callee === undefined) continue;
    const isSure =
      (!known.get(name)!.isCalled && !isEntry(name)) || isDirect(site, () => callAt(at, callee), name);
    if (isSure) found.set(node, callee);
  }
  return found.size === 0 ? stacks : withCallers(stacks, found);
}

/** Returns the only function that a site calls; undefined if it is not sure that it is the only one. */
function onlyCallee(
  { callees, callsBuiltin, total }: CallSite,
  isCalledBy: (callee: LoggedFunction, caller: LoggedFunction) => boolean,
): Callee | undefined {
  if (callsBuiltin) return undefined;
  const all = Array.from(callees.values());
  const sure = all.filter(({ called }) => called > 0);
  if (sure.length > 1) return undefined;
  const [only] = sure;
  if (only === undefined) {
    return all.length === 1 ? all[0] : undefined;
  }
  // At the top, a function that is about to return looks as if its caller's caller had called it.
  const strange = all.filter((other) => other !== only && !isCalledBy(other.function, only.function));
  return strange.reduce((sum, { atTop }) => sum + atTop, 0) <= total * ERRORS ? only : undefined;
}

/**
 * Returns whether a site calls its function directly, not by a builtin that could have called the one at the
 * top. The source may have a call of what a getter returns: what leads to functions can then be on its way to the
 * getter. `callAt` returns what the source has there, which takes long to find.
 */
function isDirect({ inBuiltins, total }: CallSite, callAt: () => SourceCall, name: string): boolean {
  if (inBuiltins > total * ERRORS || (total < ENOUGH && isEntry(name))) return false;
  const call = callAt();
  return call === "here" || (call === "somewhere" && total >= ENOUGH);
}

/** Returns a function that tells whether a function was seen to be called by another one directly. */
export function callsBetween({
  frames,
  tree,
}: Pick<RecordedStacks, "frames" | "tree">): (callee: LoggedFunction, caller: LoggedFunction) => boolean {
  let calls: SeenCalls | undefined;
  return (callee, caller) => {
    calls ??= seenCalls(frames, tree);
    const { numbers, pairs, known } = calls;
    const [called, above] = [numbers.get(callee), numbers.get(caller)];
    return called !== undefined && above !== undefined && pairs.of(called, above) < known;
  };
}

/** The calls between functions in a tree. */
interface SeenCalls {
  readonly numbers: ReadonlyMap<LoggedFunction, number>;
  /** Callee and caller, by their numbers; only the first `known` pairs were seen. */
  readonly pairs: PairNumbers;
  readonly known: number;
}

function seenCalls(
  frames: readonly RecordedFrame[],
  { length, parent, frame: frameOf }: CallTree,
): SeenCalls {
  const numbers = new Map<LoggedFunction, number>();
  const ofFrame = Int32Array.from(frames, (frame) => {
    const logged = frame.kind === "offset" ? frame.code.function : undefined;
    if (logged === undefined) return -1;
    const number = numbers.get(logged) ?? numbers.size;
    numbers.set(logged, number);
    return number;
  });
  const pairs = new PairNumbers();
  for (let node = ROOT + 1; node < length; node++) {
    const called = ofFrame[frameOf[node]!]!;
    const caller = parent[node]!;
    if (called < 0 || caller === ROOT) continue;
    const above = ofFrame[frameOf[caller]!]!;
    if (above >= 0) pairs.of(called, above);
  }
  return { numbers, pairs, known: pairs.length };
}

/** Returns the stacks with a function between each of these nodes and its caller. */
function withCallers(
  { frames, tree, samples }: RecordedStacks,
  found: ReadonlyMap<number, Callee>,
): RecordedStacks {
  const all = [...frames];
  const frameOf = new Map<object, number>();
  /** By caller, then by function: the node that was added. */
  const added = new Map<number, Map<number, number>>();
  const room = tree.length + found.size;
  const parent = zeros(Int32Array, room);
  const frame = zeros(Int32Array, room);
  const numbers = zeros(Int32Array, tree.length);
  let length = 0;
  const add = (caller: number, number: number): number => {
    parent[length] = caller;
    frame[length] = number;
    return length++;
  };
  add(tree.parent[ROOT]!, tree.frame[ROOT]!);
  const isFound = zeros(Uint8Array, tree.length);
  for (const node of found.keys()) isFound[node] = 1;
  for (let node = ROOT + 1; node < tree.length; node++) {
    let caller = numbers[tree.parent[node]!]!;
    if (isFound[node] === 1) {
      const callee = found.get(node)!;
      const { code } = callee;
      const number = frameOf.get(code) ?? all.push({ kind: "hidden", code }) - 1;
      frameOf.set(code, number);
      const below = added.get(caller) ?? new Map<number, number>();
      added.set(caller, below);
      const known = below.get(number) ?? add(caller, number);
      below.set(number, known);
      caller = known;
    }
    numbers[node] = add(caller, tree.frame[node]!);
  }
  const node = zeros(Int32Array, samples.length);
  for (let i = 0; i < node.length; i++) node[i] = numbers[samples.node[i]!]!;
  const { vmState, thread, ticks } = samples;
  return {
    frames: all,
    tree: { length, parent: parent.subarray(0, length), frame: frame.subarray(0, length) },
    samples: { length: samples.length, node, vmState, thread, ticks },
  };
}
