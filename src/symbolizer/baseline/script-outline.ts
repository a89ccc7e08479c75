import { lowerBound } from "../../profile/sorted.js";

/** Where the blocks of a script end, and which parts of it are needed to know what its names stand for. */
export class ScriptOutline {
  readonly #opens: readonly number[];
  readonly #closes: readonly number[];
  readonly #needed: readonly number[];

  /** The offsets of braces, opening ones in order; and offsets that must not be skipped. */
  constructor(opens: readonly number[], closes: readonly number[], needed: readonly number[]) {
    this.#opens = opens;
    this.#closes = closes;
    this.#needed = needed.toSorted((a, b) => a - b);
  }

  /** Returns the offset of the brace that closes the one at an offset, if nothing between them is needed; else -1. */
  skippedEnd(open: number): number {
    const index = lowerBound(this.#opens, open);
    if (this.#opens[index] !== open) return -1;
    const close = this.#closes[index]!;
    const next = this.#needed[lowerBound(this.#needed, open)];
    return next === undefined || next > close ? close : -1;
  }
}
