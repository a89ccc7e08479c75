/** A place in the source, and in which inlined call of the code it is. */
export interface SourcePosition {
  /** In UTF-16 units from the start of the script of the function that is running there; negative when unknown. */
  readonly offset: number;
  /** An index into the code's inlined calls; -1 in the function itself. */
  readonly inlining: number;
}

/** A call that the compiler replaced by the body of the function it calls. */
export interface InlinedCall {
  /**
   * An index into the functions of the code's row; -1 for the code's own function, which recursion inlines into itself.
   *
   * Source: V8, src/objects/deoptimization-data.cc, `DeoptimizationData::GetInlinedFunction`.
   */
  readonly function: number;
  /** Where the call is: in the caller's script, as {@link SourcePosition} has it. */
  readonly position: SourcePosition;
}

const POSITION = /C(\d+)O(-?\d+)(?:I(\d+))?/g;
const INLINED_CALL = /F(\d*)O(-?\d+)(?:I(\d+))?/g;

/**
 * From which place in the source each part of a piece of code was made: entry by entry, up to the next one.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogSourceCodeInformation`; src/codegen/source-position-table.h.
 */
export class PositionTable {
  readonly length: number;
  /** Where each entry begins, in bytes from the start of the code; ascending. */
  readonly #codeOffsets: Float64Array;
  readonly #positions: readonly SourcePosition[];

  /** Reads the positions of a code-source-info row. */
  constructor(text: string) {
    const entries = Array.from(text.matchAll(POSITION));
    this.length = entries.length;
    this.#codeOffsets = Float64Array.from(entries, ([, code]) => Number(code));
    this.#positions = entries.map(([, , source, inlining]) => position(source, inlining));
  }

  /** The entry that holds a code offset: of several that begin there the last; -1 before the first. */
  indexAt(codeOffset: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#codeOffsets[middle]! <= codeOffset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  position(index: number): SourcePosition {
    return this.#positions[index]!;
  }

  positions(): Iterable<SourcePosition> {
    return this.#positions;
  }
}

/** Reads the inlined calls of a code-source-info row. */
export function inlinedCalls(text: string): InlinedCall[] {
  return Array.from(text.matchAll(INLINED_CALL), ([, id, source, inlining]) => ({
    function: id === "" ? -1 : Number(id),
    position: position(source, inlining),
  }));
}

function position(source: string | undefined, inlining: string | undefined): SourcePosition {
  return { offset: Number(source), inlining: inlining === undefined ? -1 : Number(inlining) };
}
