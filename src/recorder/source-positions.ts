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

/** Entries of a letter, a number and a {@link SourcePosition}: `C12O34`, `C12O-1I5`, `FO34`. */
class Entries {
  length = 0;
  /** The number of each entry; -1 if it has none. */
  readonly numbers: Int32Array;
  readonly #offsets: Int32Array;
  readonly #inlinings: Int32Array;

  /** Reads a text and skips what is not an entry. Without `isOptional`, an entry must have a number. */
  constructor(text: string, letter: number, isOptional: boolean) {
    let most = 0;
    for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === letter) most++;
    this.numbers = new Int32Array(most);
    this.#offsets = new Int32Array(most);
    this.#inlinings = new Int32Array(most);
    const cursor = new Cursor(text);
    while (cursor.goPast(letter)) {
      const number = cursor.digits();
      if ((number < 0 && !isOptional) || !cursor.take(UPPER_O)) continue;
      const isNegative = cursor.take(MINUS);
      const offset = cursor.digits();
      if (offset < 0) continue;
      this.numbers[this.length] = number;
      this.#offsets[this.length] = isNegative ? -offset : offset;
      this.#inlinings[this.length++] = cursor.take(UPPER_I) ? cursor.digits() : -1;
    }
  }

  position(index: number): SourcePosition {
    return { offset: this.#offsets[index]!, inlining: this.#inlinings[index]! };
  }

  offsets(): Int32Array {
    return this.#offsets.subarray(0, this.length);
  }
}

class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves past the next occurrence of a letter. Returns false if there is none. */
  goPast(letter: number): boolean {
    while (this.#at < this.#text.length) if (this.#text.charCodeAt(this.#at++) === letter) return true;
    return false;
  }

  take(letter: number): boolean {
    const isThere = this.#text.charCodeAt(this.#at) === letter;
    if (isThere) this.#at++;
    return isThere;
  }

  /** Reads a number; -1 if there is none. */
  digits(): number {
    let value = -1;
    for (;;) {
      const digit = this.#text.charCodeAt(this.#at) - ZERO;
      if (!(digit >= 0 && digit <= 9)) return value;
      value = Math.max(0, value) * 10 + digit;
      this.#at++;
    }
  }
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
    const { numbers } = this.#entries;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (numbers[middle]! <= codeOffset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }

  /** Returns the code offset where an entry begins. */
  startOf(index: number): number {
    return this.#entries.numbers[index]!;
  }

  /** Returns how many bytes behind the start of the last entry a code offset is. There must be an entry. */
  behindLast(codeOffset: number): number {
    return codeOffset - this.#entries.numbers[this.length - 1]!;
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
    return this.#entries.numbers[index]!;
  }

  /** Returns where a call is, in the caller's script. */
  position(index: number): SourcePosition {
    return this.#entries.position(index);
  }
}
