import { columnOf } from "../profile/columns.js";
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
} from "./call-evidence.js";
import type { SourceCall } from "./source-calls.js";
import { type StackLoops, stackLoops } from "./stack-loops.js";
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
  const { frames, tree, samples } = stacks;
  const tops = frames.map((frame) => topBuiltin(frame, knowledge.copy));
  const isTop = columnOf(Uint8Array, tops, (top) => (top === undefined ? 0 : 1));
  if (!isTop.includes(1)) return stacks;
  /** By frame: 1 if it can be the caller of a function that is missing. */
  const isAbove = columnOf(Uint8Array, frames, (frame) => (isCaller(frame) ? 1 : 0));
  const loops = stackLoops(tree, samples);
  /** By frame: 1 if it is at the top of a stack that may lack the caller. */
  const isCandidate = loops.topFrames(isTop, isAbove);
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
  const hidden = loops.topNodes(isCandidate, isAbove);
  if (hidden.length === 0) return stacks;
  const { parent, frame: frameOf } = tree;
  const atSites = new Uint8Array(frames.length);
  for (const node of hidden) atSites[frameOf[parent[node]!]!] = 1;
  const sites = callEvidence(frames, loops, atSites, (number) => {
    const frame = frames[number]!;
    const name = frame.kind === "code" && frame.type === "Builtin" ? frame.name : tops[number]?.name;
    return name === undefined ? undefined : { name, hasFrame: isHidden(number) === false };
  });
  const isCalledBy = callsBetween(frames, loops);
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
  return found.size === 0 ? stacks : withCallers(stacks, loops, found);
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
export function callsBetween(
  frames: readonly RecordedFrame[],
  loops: StackLoops,
): (callee: LoggedFunction, caller: LoggedFunction) => boolean {
  let calls: SeenCalls | undefined;
  return (callee, caller) => {
    calls ??= seenCalls(frames, loops);
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

function seenCalls(frames: readonly RecordedFrame[], loops: StackLoops): SeenCalls {
  const numbers = new Map<LoggedFunction, number>();
  const ofFrame = columnOf(Int32Array, frames, (frame) => {
    const logged = frame.kind === "offset" ? frame.code.function : undefined;
    if (logged === undefined) return -1;
    const number = numbers.get(logged) ?? numbers.size;
    numbers.set(logged, number);
    return number;
  });
  return { numbers, isCalled: loops.callsBetween(ofFrame) };
}

/** Returns the stacks with a function between each of these nodes, which are in the order of the tree, and its caller. */
function withCallers(
  { frames, samples }: RecordedStacks,
  loops: StackLoops,
  found: ReadonlyMap<number, Callee>,
): RecordedStacks {
  const all = [...frames];
  const frameOf = new Map<object, number>();
  const nodes = Int32Array.from(found.keys());
  const inserted = Int32Array.from(found.values(), ({ code }) => {
    const number = frameOf.get(code) ?? all.push({ kind: "hidden", code }) - 1;
    frameOf.set(code, number);
    return number;
  });
  const { length, vmState, thread, ticks } = samples;
  const widened = loops.widened({ nodes, frames: inserted }, samples.node.subarray(0, length));
  return { frames: all, tree: widened.tree, samples: { length, node: widened.rows, vmState, thread, ticks } };
}
