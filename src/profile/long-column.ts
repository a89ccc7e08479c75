import { type Column, widened } from "./columns.js";
import { GrowingMemory } from "./growing-memory.js";

/** From this number of bytes on, a column grows in place. */
const LONG_BYTES = 1 << 21;
/** From this number of bytes on, a column has memory of its own. */
const OWN_BYTES = 1 << 20;

/** A class of columns. */
type ColumnClass<C extends Column> = (new (
  length: number,
) => C) &
  (new (
    buffer: ArrayBuffer,
    start: number,
    length: number,
  ) => C) & { readonly BYTES_PER_ELEMENT: number };

/**
 * Returns a column of zeros. A long one has memory of its own, which the system gets back once the column is
 * collected: the allocator of ordinary arrays keeps tens of megabytes for later.
 */
export function zeros<C extends Column>(kind: ColumnClass<C>, length: number): C {
  const bytes = length * kind.BYTES_PER_ELEMENT;
  if (bytes < OWN_BYTES) return new kind(length);
  noteColumn(bytes);
  const memory = GrowingMemory.open();
  // One byte more: a column of all of its memory may be moved to another thread, which this memory must not.
  return memory === undefined ? new kind(length) : new kind(memory.reaching(bytes + 1), 0, length);
}

/** A column that grows: by copies at first, and in place once it is long, so that it is never in memory twice. */
export class LongColumn<C extends Column> {
  /** The column; another one after each growth. */
  column: C;
  #memory: GrowingMemory | undefined;

  /** `column` is what it begins with. */
  constructor(column: C) {
    this.column = column;
  }

  /** Makes the column longer, up to `capacity` entries; the new ones are 0. Returns it. */
  grow(capacity: number): C {
    const bytes = capacity * this.column.BYTES_PER_ELEMENT;
    const isNew = this.#memory === undefined;
    if (bytes >= LONG_BYTES) this.#memory ??= GrowingMemory.open();
    if (this.#memory === undefined) {
      this.column = widened(this.column, capacity);
      return this.column;
    }
    const kind = this.column.constructor as new (buffer: ArrayBuffer, start: number, length: number) => C;
    const before = this.column;
    this.column = new kind(this.#memory.reaching(bytes), 0, capacity);
    if (isNew) this.column.set(before);
    return this.column;
  }
}

/** Bytes in columns of {@link zeros} since the last call of the function below, and after how many it is called. */
let made = 0;
let limit = Number.POSITIVE_INFINITY;
let onMade = () => {};

/**
 * Calls a function each time before {@link zeros} has made long columns of so many bytes: many of them are soon not needed any
 * more, but are in memory until they are collected.
 */
export function watchColumns(bytes: number, onMany: () => void): void {
  made = 0;
  limit = bytes;
  onMade = onMany;
}

/** Takes note of a new column. */
function noteColumn(bytes: number): void {
  made += bytes;
  if (made < limit) return;
  onMade();
  made = bytes;
}

/** Returns the next capacity of columns that are full: those that are copied grow by larger steps. */
export function nextCapacity(capacity: number): number {
  return capacity * Int32Array.BYTES_PER_ELEMENT < LONG_BYTES ? capacity * 2 : Math.ceil(capacity * GROWTH);
}

const GROWTH = 9 / 8;
