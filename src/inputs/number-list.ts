import { reaching } from "../base/columns.js";

/** Numbers in a column that grows: 4 bytes each, 8 if one is no integer of 32 bits. */
export class NumberList {
  length = 0;
  #numbers: Int32Array | Float64Array = new Int32Array(16);

  push(value: number): void {
    if (value !== (value | 0) && this.#numbers instanceof Int32Array)
      this.#numbers = Float64Array.from(this.#numbers);
    this.#numbers = reaching(this.#numbers, this.length);
    this.#numbers[this.length++] = value;
  }

  at(place: number): number {
    return this.#numbers[place]!;
  }

  /** Overwrites a number with one of 32 bits. */
  set(place: number, value: number): void {
    this.#numbers[place] = value;
  }
}
