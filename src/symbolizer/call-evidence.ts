import { type CallTree, ROOT } from "../profile/call-tree.js";
import { columnOf } from "../profile/columns.js";
import { valueAt } from "../profile/maps.js";
import { PairNumbers } from "../profile/pair-numbers.js";
import { stackTicks } from "../profile/sample-table.js";
import type { Ticks } from "../profile/units.js";
import type { BuiltinCopy } from "../recorder/builtins.js";
import { LONGEST_ENTRY } from "../recorder/leaf-places.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import { type Code, functionOf, type OffsetFrame, type RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import type { BuiltinFrames } from "../symbols/builtin-frames.js";
import { frameRange } from "../symbols/machine-code.js";

// What a tree tells of what was called where. Marks are 1 for frames that have them; nodes that the root calls have no caller.

/** The share of a call site's ticks that may be errors of the sampler. */
export const ERRORS = 0.02;

/** The stacks of a log, and where they end. */
export type RecordedStacks = Pick<Recording, "frames" | "tree" | "samples">;

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
  /** Its code with the most ticks in one node of the tree, and how many. */
  code: Code;
  codeTicks: Ticks;
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

/** Returns whether a frame is a function that called something, or ran bytecode. */
export function isCaller(frame: RecordedFrame): frame is OffsetFrame {
  return frame.kind === "offset" && (frame.isReturn || frame.code.tier === "~");
}

/** What a frame without a function says of the site that calls it: that is a builtin that calls something, has a frame, or neither. */
type OtherCallee = "calls" | "has-frame" | undefined;

/**
 * Adds what was called to the sites that `siteAt` returns for the nodes of callers. `otherAt` tells about a frame that is no
 * function, by its number, and whether something was called from there.
 */
export function addCalls(
  stacks: RecordedStacks,
  siteAt: (caller: number) => CallSite | undefined,
  otherAt: (frame: number, isInterior: boolean) => OtherCallee,
): void {
  const { frames, tree, samples } = stacks;
  const { length, parent } = tree;
  const isInterior = new Uint8Array(length);
  for (let node = ROOT + 1; node < length; node++) isInterior[parent[node]!] = 1;
  const total = stackTicks(tree, samples);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    const ticks = total[node]!;
    const site = caller === ROOT || ticks === 0 ? undefined : siteAt(caller);
    if (site === undefined) continue;
    site.total += ticks;
    const number = tree.frame[node]!;
    const frame = frames[number]!;
    if (frame.kind === "offset" && frame.code.function !== undefined) {
      addCallee(site, frame, ticks);
      continue;
    }
    const other = otherAt(number, isInterior[node] === 1);
    if (other === "calls") site.callsBuiltin = true;
    else if (other === "has-frame") site.inBuiltins += ticks;
  }
}

/** Returns what was called at the frames that are `wanted`, by their numbers. */
export function callsAt(
  stacks: RecordedStacks,
  wanted: Uint8Array,
  otherAt: (frame: number, isInterior: boolean) => OtherCallee,
): Map<number, CallSite> {
  const sites = new Map<number, CallSite>();
  const { frame } = stacks.tree;
  addCalls(
    stacks,
    (caller) => (wanted[frame[caller]!] === 1 ? valueAt(sites, frame[caller]!, newSite) : undefined),
    otherAt,
  );
  return sites;
}

/** Returns whether the frame of a function stood, so that the one before it was its caller. */
export function hasOwnFrame(frame: OffsetFrame): boolean {
  return frame.offset >= LONGEST_ENTRY || isCaller(frame);
}

function addCallee({ callees }: CallSite, frame: OffsetFrame, ticks: Ticks): void {
  if (!hasOwnFrame(frame)) return;
  const { code } = frame;
  const logged = code.function!;
  const callee = valueAt(callees, logged, () => ({
    function: logged,
    called: 0,
    atTop: 0,
    code,
    codeTicks: 0,
  }));
  if (isCaller(frame)) callee.called += ticks;
  else callee.atTop += ticks;
  if (ticks > callee.codeTicks) {
    callee.code = code;
    callee.codeTicks = ticks;
  }
}

/** Returns a function that tells whether a function was seen to be called by another one directly. */
export function callsBetween({ frames, tree }: RecordedStacks) {
  const pairs = new PairNumbers();
  const numbers = new Map<LoggedFunction, number>();
  let known = -1;
  const read = () => {
    const ofFrame = columnOf(Int32Array, frames, (frame) => {
      const logged = functionOf(frame);
      return logged === undefined ? -1 : valueAt(numbers, logged, () => numbers.size);
    });
    for (let node = ROOT + 1; node < tree.length; node++) {
      const caller = tree.parent[node]!;
      const called = ofFrame[tree.frame[node]!]!;
      if (called < 0 || caller === ROOT) continue;
      const above = ofFrame[tree.frame[caller]!]!;
      if (above >= 0) pairs.of(above, called);
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
export function isUnknown(frame: RecordedFrame): boolean {
  return frame.kind === "unknown" || (frame.kind === "pending" && frame.library < 0);
}

/** A place in a builtin at the top of a stack. */
interface TopBuiltin {
  readonly name: string;
  /** In bytes from the start of its code. */
  readonly offset: number;
}

/** Returns the place in a builtin that a frame is; undefined if it is none. */
export function topBuiltin(frame: RecordedFrame, copy: BuiltinCopy | undefined): TopBuiltin | undefined {
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

/** Adds ticks to those of a key. */
export function addTicks<Key>(counts: Map<Key, Ticks>, key: Key, ticks: Ticks): void {
  counts.set(key, (counts.get(key) ?? 0) + ticks);
}
