/** Places of a queue's counters, each on a line of the processor's cache of its own; the lengths of the items follow. */
const WRITTEN = 0;
const READ = 16;
const LENGTHS = 32;

/** The memory of a queue: what one thread hands to another so that both have it. */
export interface QueueMemory {
  readonly slots: number;
  readonly control: SharedArrayBuffer;
  readonly items: SharedArrayBuffer;
}

/** Makes the memory of a queue of so many items, each of up to `itemBytes`: a multiple of eight. */
export function createQueueMemory(slots: number, itemBytes: number): QueueMemory {
  return {
    slots,
    control: new SharedArrayBuffer((LENGTHS + slots) * Int32Array.BYTES_PER_ELEMENT),
    items: new SharedArrayBuffer(slots * itemBytes),
  };
}

/**
 * Items that one thread writes and one other reads, in the same order, without copies. An item is written in its place:
 * {@link claim} that, fill it, {@link publish} it; the reader gives the place back by {@link release}. Waiting stops the
 * thread.
 */
export class SharedQueue<Item> {
  readonly #slots: number;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #items: readonly Item[];

  /** `view` makes what an item is out of its memory. */
  constructor(memory: QueueMemory, view: (buffer: SharedArrayBuffer, start: number, bytes: number) => Item) {
    const { slots, control, items } = memory;
    const bytes = items.byteLength / slots;
    this.#slots = slots;
    this.#control = new Int32Array(control);
    this.#items = Array.from({ length: slots }, (_, slot) => view(items, slot * bytes, bytes));
  }

  /** For the writer: whether there is a place for an item now. */
  get hasRoom(): boolean {
    return this.#load(WRITTEN) - this.#load(READ) < this.#slots;
  }

  /** For the writer: waits for a place. */
  claim(): Item {
    for (let read = this.#load(READ); this.#load(WRITTEN) - read >= this.#slots; read = this.#load(READ)) {
      Atomics.wait(this.#control, READ, read);
    }
    return this.#items[this.#load(WRITTEN) % this.#slots]!;
  }

  /** For the writer: hands over the item that was claimed. `length` is any integer that tells of it. */
  publish(length: number): void {
    const written = this.#load(WRITTEN);
    this.#control[LENGTHS + (written % this.#slots)] = length;
    Atomics.store(this.#control, WRITTEN, written + 1);
    Atomics.notify(this.#control, WRITTEN);
  }

  /** For the reader: the oldest item; waits for so many milliseconds, and answers undefined when none came. */
  next(patience: number): { readonly item: Item; readonly length: number } | undefined {
    const read = this.#load(READ);
    if (this.#load(WRITTEN) === read) {
      Atomics.wait(this.#control, WRITTEN, read, patience);
      if (this.#load(WRITTEN) === read) return undefined;
    }
    const slot = read % this.#slots;
    return { item: this.#items[slot]!, length: this.#control[LENGTHS + slot]! };
  }

  /** For the reader: gives back the place of the item that it has. */
  release(): void {
    Atomics.add(this.#control, READ, 1);
    Atomics.notify(this.#control, READ);
  }

  #load(counter: number): number {
    return Atomics.load(this.#control, counter);
  }
}
