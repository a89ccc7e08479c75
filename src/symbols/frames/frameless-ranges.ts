import { upperBound } from "../../profile/sorted.js";
import type { Decode } from "./instruction.js";

/** What is known at an instruction of where the frame pointer points to. */
const UNSEEN = 0;
const CALLERS = 1;
const OWN = 2;
const UNSURE = 3;

/**
 * Returns the ranges of code in which the frame pointer is still, or again, that of the caller: start and end
 * of each, in bytes from the start of the code. Follows all jumps from the start on. Leaves out what it does
 * not reach, does not know, or reaches both with a frame and without.
 */
export function framelessRanges(code: Buffer, decode: Decode): number[] {
  const states = new Uint8Array(code.length);
  const sizes = new Uint8Array(code.length);
  const waiting: [at: number, state: number][] = [[0, CALLERS]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    let [at, state] = next;
    while (at < code.length) {
      const known = states[at]!;
      if (known === state || known === UNSURE) break;
      if (known !== UNSEEN) state = UNSURE;
      const instruction = decode(code, at);
      if (instruction === undefined) {
        states[at] = UNSURE;
        break;
      }
      states[at] = state;
      sizes[at] = instruction.size;
      state = stateAfter(state, instruction.framePointer);
      const { target, isEnd } = instruction;
      if (target !== undefined && target >= 0 && target < code.length) waiting.push([target, state]);
      if (isEnd) break;
      at += instruction.size;
    }
  }
  return rangesOf(states, sizes);
}

function stateAfter(state: number, effect: "kept" | "own" | "callers" | "lost"): number {
  if (effect === "kept") return state;
  // What is restored without a frame is not what was saved here.
  if (effect === "callers") return state === OWN ? CALLERS : UNSURE;
  return effect === "own" && state === CALLERS ? OWN : UNSURE;
}

function rangesOf(states: Uint8Array, sizes: Uint8Array): number[] {
  const ranges: number[] = [];
  for (let at = 0; at < states.length; at++) {
    if (states[at] !== CALLERS) continue;
    const end = at + sizes[at]!;
    if (ranges.at(-1) === at) ranges[ranges.length - 1] = end;
    else ranges.push(at, end);
  }
  return ranges;
}

/** Offsets in a builtin for which one thing is true, from `start` to before `end`. */
export interface FrameRange {
  readonly start: number;
  readonly end: number;
  /** Whether it has no frame of its own there. */
  readonly isFrameless: boolean;
}

/** Returns the range around an offset, of what {@link framelessRanges} returns. A file can have millions of ranges. */
export function frameRange(frameless: readonly number[], offset: number): FrameRange {
  const next = upperBound(frameless, offset);
  return {
    start: frameless[next - 1] ?? 0,
    end: frameless[next] ?? Number.POSITIVE_INFINITY,
    isFrameless: next % 2 === 1,
  };
}
