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

/** Ids below this are in the column of any profile. */
const LEAST_IDS = 64;

/**
 * The places of rows, such as nodes, by their ids: in a column as long as ids are near to the number of rows, as V8's are. The length of
 * the column depends on that number alone: ids that double must not make it longer.
 */
export class RowIds {
  #near = new Int32Array(LEAST_IDS);
  readonly #far = new Map<number | bigint, number>();

  /** Returns the place of a row; -1 for none. */
  get(id: number | bigint): number {
    if (isPlace(id) && id < this.#near.length) return this.#near[id]! - 1;
    return this.#far.get(id) ?? -1;
  }

  /** `place` is how many rows came before. */
  set(id: number | bigint, place: number): void {
    if (isPlace(id) && id < Math.max(4 * place + LEAST_IDS, this.#near.length)) {
      const known = this.#near.length;
      this.#near = reaching(this.#near, id);
      if (this.#near.length > known && this.#far.size > 0) this.#moveNear();
      this.#near[id] = place + 1;
    } else this.#far.set(id, place);
  }

  #moveNear(): void {
    for (const [id, place] of this.#far) {
      if (!isPlace(id) || id >= this.#near.length) continue;
      this.#near[id] = place + 1;
      this.#far.delete(id);
    }
  }
}

function isPlace(id: number | bigint): id is number {
  return id >= 0 && Number.isInteger(id);
}
