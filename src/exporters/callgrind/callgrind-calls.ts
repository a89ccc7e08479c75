import { ROOT, visitDepthFirst } from "../../profile/call-tree.js";
import { PairNumbers } from "../../profile/pair-numbers.js";
import type { Profile } from "../../profile/profile.js";
import { stackTicks } from "../../profile/sample-table.js";
import type { Ticks } from "../../profile/units.js";
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
  const { self, total } = callsOf(profile, known);
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

function callsOf({ frames, tree, samples }: Profile, known: KnownCalls): Self {
  const { length, parent, frame } = tree;
  const ticks = stackTicks(tree, samples);
  const self = new Float64Array(frames.length);
  for (let i = 0; i < samples.length; i++) {
    const node = samples.node[i]!;
    if (node !== ROOT) self[frame[node]!]! += samples.ticks[i]!;
  }
  const callAt = new Int32Array(length);
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
