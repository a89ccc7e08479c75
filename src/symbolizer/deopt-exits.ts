import { OPTIMIZED_TIERS } from "../profile/frame.js";
import type { Code, CodePosition, OffsetFrame, RecordedFrame } from "../recorder/recorded-frame.js";
import type { PositionTable } from "../recorder/source-positions.js";

/**
 * A call and what passes its arguments take at most this many bytes. The last position of optimized code
 * applies to a call that returns so far behind it. Further behind, the address is an exit, to which V8 makes a
 * call return when it deoptimizes the caller, or the code of a rare case that V8 placed at the end: neither has
 * positions.
 *
 * Source: V8, src/deoptimizer/deoptimizer.cc, `ActivationsFinder`; src/compiler/backend/code-generator.cc,
 * `CodeGenerator::AssembleCode`. In logs of Node 16 to 26, of 350,000 callers two were 1 to 26 bytes behind.
 */
const LONGEST_CALL = 16;

/** A call, or that it is not sure which of several it is. */
type Call = CodePosition | "unsure";

/**
 * The calls that return to the exits of deoptimized code.
 *
 * V8 logs a row when a call has returned to an exit, with the call's position but not the exit. Of several
 * callers in one code, the innermost is left first, and deoptimized code is not entered again. So if callers
 * were in only one exit of the code between two of its rows, the later row is about that exit. That V8 may log
 * ticks late does no harm: in a late tick, both the caller that was left and the next one are on the stack.
 *
 * Source: V8, src/deoptimizer/deoptimizer.cc, `Deoptimizer::Deoptimizer`.
 */
export class DeoptExits {
  readonly #frames: readonly RecordedFrame[];
  readonly #isExit: (frame: OffsetFrame) => boolean;
  /** By code and offset; undefined until it is needed. */
  #calls: Map<Code, Map<number, Call>> | undefined;

  /** `frames` are all frames of the log. */
  constructor(frames: readonly RecordedFrame[], isExit: (frame: OffsetFrame) => boolean) {
    this.#frames = frames;
    this.#isExit = isExit;
  }

  /**
   * Returns the call that returns to an exit; undefined if it is not sure. It never is in Maglev's code, whose
   * rows have the head of the loop for a call in its first round.
   */
  callOf({ code, offset }: OffsetFrame): CodePosition | undefined {
    if (code.lazyDeopts === undefined || code.tier !== "*") return undefined;
    this.#calls ??= this.#findCalls();
    const call = this.#calls.get(code)?.get(offset);
    return call === "unsure" ? undefined : call;
  }

  #findCalls(): Map<Code, Map<number, Call>> {
    const calls = new Map<Code, Map<number, Call>>();
    for (const [code, exits] of this.#exitsByRow()) {
      const found = new Map<number, Call>();
      for (const [row, offset] of exits.entries()) {
        const call = code.lazyDeopts?.[row];
        if (call === undefined || offset === undefined || Number.isNaN(offset)) continue;
        const known = found.get(offset);
        found.set(offset, known === undefined || areEqual(known, call) ? call : "unsure");
      }
      calls.set(code, found);
    }
    return calls;
  }

  /** Returns for each row of each code the exit that callers were in before it; NaN for several. */
  #exitsByRow(): Map<Code, Map<number, number>> {
    const exits = new Map<Code, Map<number, number>>();
    for (const frame of this.#frames) {
      if (frame.kind !== "offset" || frame.code.lazyDeopts === undefined || !this.#isExit(frame)) continue;
      const { code, deopts: row, offset } = frame;
      let rows = exits.get(code);
      if (rows === undefined) {
        rows = new Map();
        exits.set(code, rows);
      }
      rows.set(row, rows.has(row) ? Number.NaN : offset);
    }
    return exits;
  }
}

function areEqual(first: Call, second: CodePosition): boolean {
  return first !== "unsure" && first.offset === second.offset && first.inlining === second.inlining;
}

/** Returns whether a frame of optimized code is at a call. */
export function isOptimizedCall({ code, isReturn }: OffsetFrame): boolean {
  return isReturn && OPTIMIZED_TIERS.has(code.tier);
}

/** Returns whether a frame is at a call that returns to an exit. `table` has the positions of its code. */
export function isExit(frame: OffsetFrame, table: PositionTable): boolean {
  return isOptimizedCall(frame) && table.length > 0 && table.behindLast(frame.offset) >= LONGEST_CALL;
}
