import { partitionPoint } from "../profile/sorted.js";
/** A position in the source of a piece of code. */
export interface SourcePosition {
  /** In UTF-16 units from the start of the script of the function running there; may be negative. */
  readonly offset: number;
  /** An index into the code's inlined calls; -1 in the function itself. */
  readonly inlining: number;
}

const MINUS = 45;
const ZERO = 48;
const UPPER_C = 67;
const UPPER_F = 70;
const UPPER_I = 73;
const UPPER_O = 79;

/** The integers of an entry, and which is which. */
const ENTRY = { integers: 3, number: 0, offset: 1, inlining: 2 } as const;
/** Characters in the shortest entry, `FO0`. */
const ENTRY_LENGTH = 3;

/** Entries of a letter, a number and a {@link SourcePosition}: `C12O34`, `C12O-1I5`, `FO34`. */
class Entries {
  readonly length: number;
  readonly #integers: Int32Array;

  /** Reads a text and skips what is not an entry. Without `isOptional`, an entry must have a number. */
  constructor(text: string, letter: number, isOptional: boolean) {
    const integers = new Int32Array(Math.ceil(text.length / ENTRY_LENGTH) * ENTRY.integers);
    let length = 0;
    // One loop without calls for each letter: most logs have many short texts, before V8 has compiled this.
    for (let at = 0; at < text.length; ) {
      if (text.charCodeAt(at++) !== letter) continue;
      const number = at;
      at = digitsEnd(text, at);
      if ((at === number && !isOptional) || text.charCodeAt(at) !== UPPER_O) continue;
      const numberEnd = at++;
      const isNegative = text.charCodeAt(at) === MINUS;
      if (isNegative) at++;
      const offset = at;
      at = digitsEnd(text, at);
      if (at === offset) continue;
      const distance = numberIn(text, offset, at);
      let inlining = -1;
      if (text.charCodeAt(at) === UPPER_I) {
        const start = ++at;
        at = digitsEnd(text, at);
        inlining = numberIn(text, start, at);
      }
      integers[length + ENTRY.number] = numberIn(text, number, numberEnd);
      integers[length + ENTRY.offset] = isNegative ? -distance : distance;
      integers[length + ENTRY.inlining] = inlining;
      length += ENTRY.integers;
    }
    this.#integers = integers.slice(0, length);
    this.length = length / ENTRY.integers;
  }

  /** Returns the number of an entry; -1 if it has none. */
  number(index: number): number {
    return this.#integers[index * ENTRY.integers + ENTRY.number]!;
  }

  position(index: number): SourcePosition {
    const at = index * ENTRY.integers;
    return { offset: this.#integers[at + ENTRY.offset]!, inlining: this.#integers[at + ENTRY.inlining]! };
  }

  offsets(): Int32Array {
    const offsets = new Int32Array(this.length);
    for (let i = 0; i < offsets.length; i++) offsets[i] = this.#integers[i * ENTRY.integers + ENTRY.offset]!;
    return offsets;
  }
}

/** Returns the offset behind the digits that are at an offset. */
function digitsEnd(text: string, start: number): number {
  let at = start;
  for (let digit = text.charCodeAt(at) - ZERO; digit >= 0 && digit <= 9; )
    digit = text.charCodeAt(++at) - ZERO;
  return at;
}

/** Returns the number that some digits write; -1 if there are none. */
function numberIn(text: string, start: number, end: number): number {
  if (start === end) return -1;
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + text.charCodeAt(at) - ZERO;
  return value;
}

/**
 * The source position of each part of a piece of code: each entry applies up to the next one.
 *
 * Source: V8, src/logging/log.cc, `V8FileLogger::LogSourceCodeInformation`;
 * src/codegen/source-position-table.h.
 */
export class PositionTable {
  readonly length: number;
  /** The number of each is its start in bytes from the start of the code; they ascend. */
  readonly #entries: Entries;

  /** Reads the positions of a code-source-info row. */
  constructor(text: string) {
    this.#entries = new Entries(text, UPPER_C, false);
    this.length = this.#entries.length;
  }

  /** Returns the entry for a code offset, the last of several that begin there; -1 before the first. */
  indexAt(codeOffset: number): number {
    const entries = this.#entries;
    return partitionPoint(this.length, (index) => entries.number(index) <= codeOffset) - 1;
  }

  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }

  /** Returns the code offset where an entry begins. */
  startOf(index: number): number {
    return this.#entries.number(index);
  }

  /** Returns how many bytes behind the start of the last entry a code offset is. There must be an entry. */
  behindLast(codeOffset: number): number {
    return codeOffset - this.#entries.number(this.length - 1);
  }

  /** Returns the script offset of each position. */
  offsets(): Int32Array {
    return this.#entries.offsets();
  }
}

/** The positions of a piece of code as logged, and once they are read. */
interface LoggedPositions {
  readonly positions: string;
  table: PositionTable | undefined;
}

/** Returns the positions of a piece of code. They are read once. */
export function tableOf(source: LoggedPositions): PositionTable {
  source.table ??= new PositionTable(source.positions);
  return source.table;
}

/** The calls that the compiler replaced by the bodies of their callees, from a code-source-info row. */
export class InlinedCalls {
  readonly length: number;
  readonly #entries: Entries;

  constructor(text: string) {
    this.#entries = new Entries(text, UPPER_F, true);
    this.length = this.#entries.length;
  }

  /**
   * Returns the function of a call: an index into the functions of the code's row; -1 for the code's own
   * function, which recursion inlines into itself.
   *
   * Source: V8, src/objects/deoptimization-data.cc, `DeoptimizationData::GetInlinedFunction`.
   */
  functionOf(index: number): number {
    return this.#entries.number(index);
  }

  /** Returns where a call is, in the caller's script. */
  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }
}
