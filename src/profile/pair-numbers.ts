import { reaching } from "./columns.js";

/**
 * Numbers distinct pairs of integers from 0, in the order in which they come: a map without an object or a text
 * for each entry.
 */
export class PairNumbers {
  length = 0;
  /** By number: the pair. Only the first `length` entries count. */
  first = new Int32Array(64);
  second = new Int32Array(64);
  /** Open addressing. A slot holds 1 + a number; 0 is free. At most half of it is full. */
  #slots = new Int32Array(128);

  /** Returns the number of a pair of integers of 32 bits, a new one if it was not seen: then `length` grows. */
  of(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(first, second) & mask;
    for (let entry = this.#slots[slot]!; entry !== 0; entry = this.#slots[slot]!) {
      if (this.first[entry - 1] === first && this.second[entry - 1] === second) return entry - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.length++;
    this.first = reaching(this.first, number);
    this.second = reaching(this.second, number);
    this.first[number] = first;
    this.second[number] = second;
    this.#slots[slot] = number + 1;
    if (this.length * 2 > this.#slots.length) this.#widen();
    return number;
  }

  #widen(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let number = 0; number < this.length; number++) {
      let slot = hashOf(this.first[number]!, this.second[number]!) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Returns 32 bits that differ in the low ones too, whichever of both integers differs. */
export function hashOf(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
