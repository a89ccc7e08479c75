import type { Ticks } from "../profile/units.js";
import { LONGEST_ENTRY } from "../recorder/leaf-places.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code, OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { Recording } from "../recorder/recording.js";
import type { StackLoops } from "./stack-loops.js";

/** The stacks of a recording. */
export type RecordedStacks = Pick<Recording, "frames" | "tree" | "samples">;

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
  frames: readonly RecordedFrame[],
  loops: StackLoops,
  wanted: Uint8Array,
  builtinAt: (frame: number) => { readonly name: string; readonly hasFrame: boolean } | undefined,
): Map<number, CallSite> {
  const sites = new Map<number, CallSite>();
  const calls = loops.counted(wanted);
  for (let call = 0; call < calls.length; call++) {
    const at = calls.caller[call]!;
    const ticks = calls.ticks[call]!;
    let site = sites.get(at);
    if (site === undefined) {
      site = { callees: new Map(), callsBuiltin: false, total: 0, inBuiltins: 0 };
      sites.set(at, site);
    }
    site.total += ticks;
    const number = calls.called[call]!;
    const frame = frames[number]!;
    if (frame.kind === "offset") {
      addCallee(site, frame, { ticks, most: calls.most[call]!, node: calls.node[call]! });
    } else {
      const builtin = builtinAt(number);
      if (builtin === undefined || isEntry(builtin.name)) continue;
      // A return address in a builtin is in its frame.
      if (calls.isInterior[call] === 1) site.callsBuiltin = true;
      else if (builtin.hasFrame) site.inBuiltins += ticks;
    }
  }
  return sites;
}

/** The ticks of a callee's code at a call site, the most of one node, and that node. */
interface CodeTicks {
  readonly ticks: Ticks;
  readonly most: Ticks;
  readonly node: number;
}

function addCallee({ callees }: CallSite, frame: OffsetFrame, { ticks, most, node }: CodeTicks): void {
  const { code, offset } = frame;
  const isSeen = isCaller(frame) || offset >= LONGEST_ENTRY;
  if (code.function === undefined || !isSeen) return;
  let callee = callees.get(code.function);
  if (callee === undefined) {
    callee = { function: code.function, called: 0, atTop: 0, code, codeTicks: 0, node };
    callees.set(code.function, callee);
  }
  if (isCaller(frame)) callee.called += ticks;
  else callee.atTop += ticks;
  if (most > callee.codeTicks || (most === callee.codeTicks && node < callee.node)) {
    callee.code = code;
    callee.codeTicks = most;
    callee.node = node;
  }
}
