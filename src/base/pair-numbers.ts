import { reaching } from "./columns.js";

/**
 * Numbers distinct pairs of integers from 0, in the order in which they come: a map without an object or a text
 * for each entry.
 */
export class PairNumbers {
  length = 0;
  /** Two integers by number. */
  #pairs = new Int32Array(128);
  /**
   * Open addressing. A slot has two integers: 1 + a number, or 0 if it is free; and the hash of its pair, so that other pairs
   * need not be looked at, which would often be far apart in memory. At most half of the slots are full.
   */
  #slots = new Int32Array(256);

  /** Returns the number of a pair of integers of 32 bits, a new one if it was not seen: then `length` grows. */
  of(first: number, second: number): number {
    const hash = hashOf(first, second);
    const slots = this.#slots;
    const pairs = this.#pairs;
    const mask = slots.length - 2;
    let slot = (hash << 1) & mask;
    for (let entry = slots[slot]!; entry !== 0; entry = slots[slot]!) {
      const at = 2 * entry - 2;
      if (slots[slot + 1] === hash && pairs[at] === first && pairs[at + 1] === second) return entry - 1;
      slot = (slot + 2) & mask;
    }
    slots[slot] = ++this.length;
    slots[slot + 1] = hash;
    const at = 2 * this.length - 2;
    this.#pairs = reaching(pairs, at + 1);
    this.#pairs[at] = first;
    this.#pairs[at + 1] = second;
    if (this.length * 4 > slots.length) this.#widen();
    return this.length - 1;
  }

  /** Returns the first integer of the pair with a number. */
  firstOf(number: number): number {
    return this.#pairs[2 * number]!;
  }

  /** Returns the second integer of the pair with a number. */
  secondOf(number: number): number {
    return this.#pairs[2 * number + 1]!;
  }

  /** Returns the first integers of all pairs, by their numbers. */
  firsts(): Int32Array {
    return Int32Array.from({ length: this.length }, (_, number) => this.firstOf(number));
  }

  /** Returns the second integers of all pairs, by their numbers. */
  seconds(): Int32Array {
    return Int32Array.from({ length: this.length }, (_, number) => this.secondOf(number));
  }

  #widen(): void {
    const old = this.#slots;
    const slots = new Int32Array(old.length * 2);
    const mask = slots.length - 2;
    for (let at = 0; at < old.length; at += 2) {
      const entry = old[at]!;
      if (entry === 0) continue;
      const hash = old[at + 1]!;
      let slot = (hash << 1) & mask;
      while (slots[slot] !== 0) slot = (slot + 2) & mask;
      slots[slot] = entry;
      slots[slot + 1] = hash;
    }
    this.#slots = slots;
  }
}

/** Returns 32 bits that differ in the low ones too, whichever of both integers differs. */
export function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
