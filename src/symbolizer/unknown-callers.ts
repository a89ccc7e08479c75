import { ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import type { Ticks } from "../profile/units.js";
import { valueAt } from "../profile/value-at.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import { LONGEST_ENTRY } from "../recorder/leaf-places.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code, HiddenFrame, OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { FramesByBuiltin } from "../symbols/builtin-frames.js";
import { isCaller, isEntry, type RecordedStacks, stackTotals, withCallers } from "./call-evidence.js";
import type { InlineStacks } from "./inline-stacks.js";
import { add } from "./prologue-callers.js";
import { isFrameless, topBuiltin } from "./top-builtins.js";

/** A function must have so many ticks where code that is not in the log called it. */
const ENOUGH = 20;
/** So many ticks must show the function to call the builtin at the top, where that has a frame. */
const SEEN = 4;
/** With so many, they show which of the functions inlined into it calls the builtin. */
const OFTEN = 32;
/** The share of ticks that may be errors of the sampler. */
const ERRORS = 0.02;

/** What is known of builtins beside the stacks. */
interface BuiltinFacts {
  /** The copy of the builtins that the log's addresses are in. */
  readonly copy: BuiltinCopy | undefined;
  readonly inlineStacks: InlineStacks;
  /** Returns what is known of some builtins. */
  load(wanted: ReadonlySet<string>): FramesByBuiltin;
}

/** What code that is not in the log called, with one stack below it. */
interface UnknownSite {
  /** By function: the ticks in which it called something itself. */
  readonly called: Map<LoggedFunction, Ticks>;
  /** By function: the ticks at the top, with its frame. */
  readonly atTop: Map<LoggedFunction, Ticks>;
  /** The ticks in builtins with a frame, and below functions that the log does not name. */
  inOthers: Ticks;
  /** Whether a builtin called something there. */
  callsOthers: boolean;
}

/** Calls of a builtin while that has a frame: by frame of the call, the ticks. */
type Calls = Map<number, Ticks>;

/** Returns whether a frame is in code that is not in the log, such as that of Node's snapshot. */
export function isUnknown(frame: RecordedFrame): boolean {
  return frame.kind === "unknown" || (frame.kind === "pending" && frame.library < 0);
}

/**
 * Returns the stacks with the functions that the sampler skipped between a builtin without a frame and code that is not in
 * the log, as `addHiddenCallers` does below functions of the log. Node's snapshot has such code, which calls the top-level
 * code of modules.
 *
 * The log does not tell its call sites apart. Stacks that are the same up to it count as one site: there, one function
 * alone must have been called, in many ticks, and others must show that it calls the builtin at the top.
 */
export function addUnknownCallers(stacks: RecordedStacks, facts: BuiltinFacts): RecordedStacks {
  const { frames, tree } = stacks;
  const { length, parent, frame: frameOf } = tree;
  const tops = frames.map((frame) => topBuiltin(frame, facts.copy));
  const isOpen = columnOf(Uint8Array, frames, (frame, number) =>
    isUnknown(frame) && tops[number] === undefined ? 1 : 0,
  );
  const nodes: number[] = [];
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const top = tops[frameOf[node]!];
    // Builtins that only lead to a function can be on their way from the unknown code.
    if (caller === ROOT || top === undefined || isEntry(top.name)) continue;
    if (isOpen[frameOf[caller]!] === 1) nodes.push(node);
  }
  if (nodes.length === 0) return stacks;
  const known = facts.load(new Set(nodes.map((node) => tops[frameOf[node]!]!.name)));
  const hasFrame = (number: number): boolean | undefined => {
    const top = tops[number];
    const builtin = top && known.get(top.name);
    return builtin && !isFrameless(builtin, top.offset);
  };
  const hidden = nodes.filter((node) => hasFrame(frameOf[node]!) === false);
  if (hidden.length === 0) return stacks;
  const sites = new Map<number, UnknownSite>();
  for (const node of hidden) sites.set(parent[node]!, newSite());
  const { total, isInterior } = stackTotals(stacks);
  const called = new Map<LoggedFunction, Map<string, Calls>>();
  for (let node = ROOT + 1; node < length; node++) {
    const above = parent[node]!;
    const ticks = total[node]!;
    if (above === ROOT || ticks === 0) continue;
    const number = frameOf[node]!;
    const name = tops[number]?.name;
    const isFramed = name !== undefined && hasFrame(number) === true;
    const site = sites.get(above);
    const frame = frames[number]!;
    if (site !== undefined) addTo(site, frame, { ticks, isInterior: isInterior[node] === 1, isFramed });
    if (isFramed) addCall(called, frames[frameOf[above]!]!, { name, at: frameOf[above]!, ticks });
  }
  const found = new Map<number, HiddenFrame>();
  const answers = new Map<Calls, HiddenFrame>();
  for (const node of hidden) {
    const only = onlyCallee(sites.get(parent[node]!)!);
    const calls = only && called.get(only)?.get(tops[frameOf[node]!]!.name);
    if (calls === undefined) continue;
    const answer = answers.get(calls) ?? hiddenAt(calls, frames, facts.inlineStacks);
    if (answer === undefined) continue;
    answers.set(calls, answer);
    found.set(node, answer);
  }
  return found.size === 0 ? stacks : withCallers(stacks, found);
}

/** Returns the only function that was called at a site; undefined if that is not sure. */
function onlyCallee({ called, atTop, inOthers, callsOthers }: UnknownSite): LoggedFunction | undefined {
  if (callsOthers || called.size !== 1) return undefined;
  const [only, ticks] = called.entries().next().value!;
  const all = ticks + (atTop.get(only) ?? 0);
  let others = inOthers;
  for (const [other, top] of atTop) if (other !== only) others += top;
  return all >= ENOUGH && others <= all * ERRORS ? only : undefined;
}

/** Returns the frame for a function by its calls of a builtin, with the function that is inlined where it calls it. */
function hiddenAt(
  calls: Calls,
  frames: readonly RecordedFrame[],
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

function newSite(): UnknownSite {
  return { called: new Map(), atTop: new Map(), inOthers: 0, callsOthers: false };
}

function addTo(
  site: UnknownSite,
  frame: RecordedFrame,
  {
    ticks,
    isInterior,
    isFramed,
  }: { readonly ticks: Ticks; readonly isInterior: boolean; readonly isFramed: boolean },
): void {
  if (frame.kind === "offset" && frame.code.function !== undefined) {
    const { code, offset } = frame;
    const isThere = isCaller(frame);
    if (isThere || offset >= LONGEST_ENTRY) add(isThere ? site.called : site.atTop, code.function!, ticks);
  } else if (frame.kind === "code" || frame.kind === "builtin" || isUnknown(frame)) {
    const leadsOn = (frame.kind === "code" || frame.kind === "builtin") && isEntry(frame.name);
    if (isInterior && !leadsOn && !isUnknown(frame)) site.callsOthers = true;
    else if ((isFramed && !leadsOn) || (isInterior && isUnknown(frame))) site.inOthers += ticks;
  }
}

function addCall(
  called: Map<LoggedFunction, Map<string, Calls>>,
  caller: RecordedFrame,
  { name, at, ticks }: { readonly name: string; readonly at: number; readonly ticks: Ticks },
): void {
  if (caller.kind !== "offset" || caller.code.function === undefined) return;
  const ofCaller = valueAt(called, caller.code.function, () => new Map<string, Calls>());
  const calls = valueAt(ofCaller, name, () => new Map<number, Ticks>());
  add(calls, at, ticks);
}
