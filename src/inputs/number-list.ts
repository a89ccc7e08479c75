import { reaching, widened } from "../base/columns.js";

/** The numbers of a piece of a list: a list grows without copies of what it has. */
const PIECE_BITS = 14;
export const PIECE = 1 << PIECE_BITS;

/** Numbers in memory of their own: 4 bytes each, 8 in pieces with one that is no integer of 32 bits. */
export class NumberList {
  length = 0;
  #last: Int32Array | Float64Array = new Int32Array(16);
  readonly #pieces: (Int32Array | Float64Array)[] = [this.#last];

  push(value: number): void {
    const place = this.length++;
    const at = place & (PIECE - 1);
    if (at === 0 && place > 0) this.#replace(this.#pieces.length, new Int32Array(PIECE));
    else if (at === this.#last.length) this.#replace(this.#pieces.length - 1, widened(this.#last, 2 * at));
    if (value !== (value | 0) && this.#last instanceof Int32Array)
      this.#replace(this.#pieces.length - 1, Float64Array.from(this.#last));
    this.#last[at] = value;
  }

  at(place: number): number {
    return this.#pieces[place >> PIECE_BITS]![place & (PIECE - 1)]!;
  }

  /** Overwrites a number with one of 32 bits. */
  set(place: number, value: number): void {
    this.#pieces[place >> PIECE_BITS]![place & (PIECE - 1)] = value;
  }

  /** Frees the memory of the numbers before a place: they are not asked for again. */
  free(place: number): void {
    if ((place & (PIECE - 1)) === 0 && place > 0) this.#pieces[(place >> PIECE_BITS) - 1] = NO_NUMBERS;
  }

  #replace(piece: number, numbers: Int32Array | Float64Array): void {
    this.#pieces[piece] = numbers;
    this.#last = numbers;
  }
}

const NO_NUMBERS = new Int32Array();

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
