import { reaching } from "../profile/columns.js";
import type { Ticks } from "../profile/units.js";
import { CATEGORIES } from "../views/breakdown.js";

/** The stack of a tick as functions by number, each once, outermost first. */
export interface TickStack {
  /** Only the first `length` count. */
  ids: Int32Array;
  length: number;
  /** How many of them come before the first function of the program; 0 if it has none. */
  above: number;
  /** The function that ran. */
  leaf: number;
  /** An index into `CATEGORIES`. */
  category: number;
}

/** The ticks of one thread, or of all, since a moment. */
export class TickCounts {
  ticks = 0;
  /** By category. */
  readonly categories = new Float64Array(CATEGORIES.length);
  /** By function. Shorter than the functions are: what is beyond is 0. */
  #self = new Float64Array(64);
  #total = new Float64Array(64);
  /** Ticks in which it is above the program's first function. */
  #above = new Float64Array(64);
  /** The functions with ticks since {@link takeTouched}, and 1 for each of them. */
  #touched: number[] = [];
  #isTouched = new Uint8Array(64);

  /** Adds one tick. */
  add({ ids, length, above, leaf, category }: TickStack, functions: number): void {
    if (functions > this.#self.length) this.#reach(functions - 1);
    this.ticks++;
    this.categories[category]!++;
    this.#self[leaf]!++;
    const total = this.#total;
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      total[id]!++;
      if (this.#isTouched[id] === 0) this.#touch(id);
    }
    for (let i = 0; i < above; i++) this.#above[ids[i]!]!++;
  }

  self(id: number): Ticks {
    return this.#self[id] ?? 0;
  }

  total(id: number): Ticks {
    return this.#total[id] ?? 0;
  }

  /** Returns whether most ticks of a function are those of the program that it starts. */
  isLeadIn(id: number): boolean {
    return (this.#above[id] ?? 0) * 2 > this.total(id);
  }

  /** Returns the functions that got ticks since the last call. */
  takeTouched(): readonly number[] {
    const touched = this.#touched;
    for (const id of touched) this.#isTouched[id] = 0;
    this.#touched = [];
    return touched;
  }

  /** Takes away the ticks of a part. */
  subtract(part: TickCounts): void {
    this.ticks -= part.ticks;
    for (const [i, ticks] of part.categories.entries()) this.categories[i]! -= ticks;
    const columns = this.#columns();
    for (const [i, some] of part.#columns().entries()) {
      const all = columns[i]!;
      for (const [id, ticks] of some.entries()) if (ticks > 0) all[id]! -= ticks;
    }
  }

  /** Forgets all ticks. */
  clear(): void {
    this.ticks = 0;
    for (const column of [this.categories, ...this.#columns()]) column.fill(0);
  }

  #columns(): readonly Float64Array[] {
    return [this.#self, this.#total, this.#above];
  }

  #touch(id: number): void {
    this.#isTouched[id] = 1;
    this.#touched.push(id);
  }

  #reach(last: number): void {
    this.#self = reaching(this.#self, last);
    this.#total = reaching(this.#total, last);
    this.#above = reaching(this.#above, last);
    this.#isTouched = reaching(this.#isTouched, last);
  }
}
