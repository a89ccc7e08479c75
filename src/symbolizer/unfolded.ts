import { INLINING_DEPTH } from "../limits.js";
import type { LoggedFunction } from "../recorder/logged-functions.js";
import type { Code } from "../recorder/recorded-frame.js";
import type { InlinedCalls, SourcePosition } from "../recorder/source-positions.js";

/** A function that runs at a position, and where in it. */
export interface Running extends SourcePosition {
  /** An index into the functions of the code's row; -1 for the code's own function. */
  readonly function: number;
  /** The inlined call that is made there; -1 for none. */
  readonly callee: number;
}

/** Returns the functions that run at a position, outermost first. */
export function unfold(position: SourcePosition, calls: InlinedCalls): Running[] {
  const running: Running[] = [];
  let at = position;
  let callee = -1;
  // A call inside itself would never end. V8 logs none.
  for (let depth = 0; at.inlining >= 0 && depth < Math.min(calls.length, INLINING_DEPTH); depth++) {
    if (at.inlining >= calls.length) break;
    running.push({ ...at, function: calls.functionOf(at.inlining), callee });
    callee = at.inlining;
    at = calls.position(at.inlining);
  }
  running.push({ offset: at.offset, inlining: -1, function: -1, callee });
  return running.reverse();
}

/** Returns a function of a piece of code's row; its own for -1. */
export function calleeAt({ function: own, source }: Code, number: number): LoggedFunction | undefined {
  return number < 0 ? own : source?.functions[number];
}
