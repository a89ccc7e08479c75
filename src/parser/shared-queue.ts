/** Indices of a queue's counters, each on a cache line of its own. The item lengths follow. */
const WRITTEN = 0;
const READ = 16;
const LENGTHS = 32;

/** The memory of a queue, shared by both threads. */
export interface QueueMemory {
  readonly slots: number;
  readonly control: SharedArrayBuffer;
  readonly items: SharedArrayBuffer;
}

/** Creates the memory of a queue of `slots` items of up to `itemBytes` each, a multiple of eight. */
export function createQueueMemory(slots: number, itemBytes: number): QueueMemory {
  return {
    slots,
    control: new SharedArrayBuffer((LENGTHS + slots) * Int32Array.BYTES_PER_ELEMENT),
    items: new SharedArrayBuffer(slots * itemBytes),
  };
}

/**
 * A queue from one writing thread to one reading thread, without copies. The writer {@link claim}s a slot,
 * fills it and {@link publish}es it; the reader {@link release}s it. Waiting blocks the thread.
 */
export class SharedQueue<Item> {
  readonly #slots: number;
  readonly #control: Int32Array<SharedArrayBuffer>;
  readonly #items: readonly Item[];

  /** `view` creates an item over its memory. */
  constructor(memory: QueueMemory, view: (buffer: SharedArrayBuffer, start: number, bytes: number) => Item) {
    const { slots, control, items } = memory;
    const bytes = items.byteLength / slots;
    this.#slots = slots;
    this.#control = new Int32Array(control);
    this.#items = Array.from({ length: slots }, (_, slot) => view(items, slot * bytes, bytes));
  }

  /** For the writer: whether a slot is free. */
  get hasRoom(): boolean {
    return this.#load(WRITTEN) - this.#load(READ) < this.#slots;
  }

  /** For the writer: waits for a free slot and returns its item. */
  claim(): Item {
    for (let read = this.#load(READ); this.#load(WRITTEN) - read >= this.#slots; read = this.#load(READ)) {
      Atomics.wait(this.#control, READ, read);
    }
    return this.#items[this.#load(WRITTEN) % this.#slots]!;
  }

  /** For the writer: publishes the claimed item. `length` is any integer that describes it. */
  publish(length: number): void {
    const written = this.#load(WRITTEN);
    this.#control[LENGTHS + (written % this.#slots)] = length;
    Atomics.store(this.#control, WRITTEN, written + 1);
    Atomics.notify(this.#control, WRITTEN);
  }

  /** For the reader: returns the oldest item. Waits up to `patience` milliseconds, then returns undefined. */
  next(patience: number): { readonly item: Item; readonly length: number } | undefined {
    const read = this.#load(READ);
    if (this.#load(WRITTEN) === read) {
      Atomics.wait(this.#control, WRITTEN, read, patience);
      if (this.#load(WRITTEN) === read) return undefined;
    }
    const slot = read % this.#slots;
    return { item: this.#items[slot]!, length: this.#control[LENGTHS + slot]! };
  }

  /** For the reader: frees the slot of the current item. */
  release(): void {
    Atomics.add(this.#control, READ, 1);
    Atomics.notify(this.#control, READ);
  }

  #load(counter: number): number {
    return Atomics.load(this.#control, counter);
  }
}
