import { ROOT, visitDepthFirst } from "../../profile/call-tree.js";
import { slotsFor } from "../../profile/child-table.js";
import { zeros } from "../../profile/long-column.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import { openTreeKernel } from "../../profile/tree-kernel.js";
import type { Ticks } from "../../profile/units.js";
import { wideTicks } from "../kernel-stacks.js";
import type { CallgrindFunctions } from "./callgrind-functions.js";

/** Calls from a line of a function to another function. */
export interface Call {
  readonly line: number;
  readonly callee: number;
  /**
   * Including all that the callee calls. A stack in which the caller calls the callee several times, from
   * whatever lines, counts once, for the outermost of these calls.
   */
  ticks: Ticks;
  /** Whether it is the outermost one in any stack. */
  isCounted: boolean;
}

/** What the functions of a profile run and call. */
export interface CountedCalls {
  /** By frame: its self ticks. */
  readonly self: Float64Array;
  /** All ticks, with those that have no frame. */
  readonly total: Ticks;
  /** By function: its calls, in the order of their first occurrence. */
  readonly calls: readonly (readonly Call[])[];
}

/** Counts the ticks of frames and of calls. */
export function countedCalls(profile: Profile, functions: CallgrindFunctions): CountedCalls {
  const known = new KnownCalls(functions);
  const { self, total } = callsInKernel(profile, known) ?? callsOf(profile, known);
  return { self, total, calls: known.counted() };
}

/** The calls between functions. */
class KnownCalls {
  readonly all: Call[] = [];
  readonly #functions: CallgrindFunctions;
  readonly #byCaller: Call[][] = [];
  readonly #numbers = new PairNumbers();
  /** Caller and callee, whatever the line. */
  readonly #pairs = new PairNumbers();

  constructor(functions: CallgrindFunctions) {
    this.#functions = functions;
  }

  /** The number of pairs of a caller and a callee. */
  get pairs(): number {
    return this.#pairs.length;
  }

  /** Returns the number of a frame's call of another; `caller` is -1 for the root. */
  numberOf(caller: number, callee: number): number {
    const functions = this.#functions;
    const from = caller < 0 ? functions.root : functions.ofFrame(caller);
    const line = caller < 0 ? 0 : functions.lineAt(caller);
    const to = functions.ofFrame(callee);
    const number = this.#numbers.of(this.#pairs.of(from, to), line);
    if (number === this.all.length) {
      const call = { line, callee: to, ticks: 0, isCounted: false };
      this.all.push(call);
      const calls = this.#byCaller[from] ?? [];
      this.#byCaller[from] = calls;
      calls.push(call);
    }
    return number;
  }

  /** Returns the number of the caller and the callee of a call. */
  pairOf(number: number): number {
    return this.#numbers.firstOf(number);
  }

  counted(): Call[][] {
    return this.#byCaller.map((calls) => calls.filter(({ isCounted }) => isCounted));
  }
}

type Self = Omit<CountedCalls, "calls">;

/** Does what {@link callsOf} does. Returns undefined if there is no kernel for it. */
function callsInKernel({ frames, tree, samples }: Profile, known: KnownCalls): Self | undefined {
  const kernel = openTreeKernel(tree);
  if (kernel === undefined) return undefined;
  const { length } = tree;
  const { exports, parent, frame } = kernel;
  const integers = (count: number) => kernel.room(count * BYTES);
  const doubles = (count: number) => kernel.room(count * DOUBLE_BYTES);
  const nodes = kernel.place(samples.node.subarray(0, samples.length));
  const ticks = kernel.place(wideTicks(samples));
  const totals = doubles(length);
  exports.addSelfTicks(samples.length, nodes, ticks, totals);
  exports.sumCallees(length, parent, totals);
  const frameOf = integers(samples.length);
  exports.takeEntries(samples.length, nodes, frame, frameOf);
  // The root has no frame: -1.
  const ofFrame = doubles(frames.length + 1) + DOUBLE_BYTES;
  exports.addSelfTicks(samples.length, frameOf, ticks, ofFrame);
  // The root is not called.
  const [callers, pairOf] = [integers(length), integers(length)];
  exports.takeEntries(length - 1, parent + BYTES, frame, callers + BYTES);
  const [firsts, seconds] = [integers(length), integers(length)];
  const slots = slotsFor(length);
  const count = exports.numberPairs(
    length - 1,
    callers + BYTES,
    frame + BYTES,
    pairOf + BYTES,
    firsts,
    seconds,
    integers(slots),
    slots,
  );
  const [from, to] = [kernel.integers(firsts, count), kernel.integers(seconds, count)];
  const calls = new Int32Array(count);
  for (let pair = 0; pair < count; pair++) calls[pair] = known.numberOf(from[pair]!, to[pair]!);
  const callAt = integers(length);
  exports.takeEntries(length - 1, pairOf + BYTES, kernel.place(calls), callAt + BYTES);
  const pairs = calls.map((call) => known.pairOf(call));
  exports.takeEntries(length - 1, pairOf + BYTES, kernel.place(pairs), pairOf + BYTES);
  const marks = kernel.room(length);
  const [children, siblings, onPath] = [integers(length), integers(length), integers(known.pairs)];
  exports.markOutermost(length, parent, pairOf, children, siblings, onPath, marks);
  const [sums, isCounted] = [doubles(known.all.length), kernel.room(known.all.length)];
  exports.addMarked(length, marks, callAt, totals, sums, isCounted);
  const [all, counted] = [kernel.doubles(sums, known.all.length), kernel.bytes(isCounted, known.all.length)];
  for (const [number, call] of known.all.entries()) {
    call.ticks = all[number]!;
    call.isCounted = counted[number] === 1;
  }
  return { self: kernel.doubles(ofFrame, frames.length), total: kernel.doubles(totals, 1)[ROOT]! };
}

const BYTES = Int32Array.BYTES_PER_ELEMENT;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;

function callsOf({ frames, tree, samples }: Profile, known: KnownCalls): Self {
  const { length, parent, frame } = tree;
  const isShort = samples.ticks instanceof Uint32Array;
  const ticks = isShort ? zeros(Uint32Array, length) : zeros(Float64Array, length);
  const self = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    ticks[node]! += samples.ticks[i]!;
    if (node !== ROOT) self[frame[node]!]! += samples.ticks[i]!;
  }
  for (let node = length - 1; node > ROOT; node--) ticks[parent[node]!]! += ticks[node]!;
  const callAt = zeros(Int32Array, length);
  for (let node = ROOT + 1; node < length; node++) {
    const caller = parent[node]!;
    callAt[node] = known.numberOf(caller === ROOT ? -1 : frame[caller]!, frame[node]!);
  }
  const onPath = new Int32Array(known.pairs);
  visitDepthFirst(tree, (node, isEntering) => {
    const pair = known.pairOf(callAt[node]!);
    if (!isEntering) {
      onPath[pair]!--;
    } else if (onPath[pair]!++ === 0) {
      const call = known.all[callAt[node]!]!;
      call.ticks += ticks[node]!;
      call.isCounted = true;
    }
  });
  return { self, total: ticks[ROOT]! };
}
