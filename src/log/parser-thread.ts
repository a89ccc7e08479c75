import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { CompressionDiagnostic, LogRest } from "../io/log-chunks.js";
import { TICK_BUFFER_BYTES } from "../kernels/layout.js";
import type { ParserOptions } from "./parser.js";
import { type Extra, readBatch } from "./record-batch.js";
import type { RecordTaker } from "./rows/row-decoders.js";

/** Indices of a queue's counters, each on a cache line of its own. The item lengths follow. */
const WRITTEN = 0;
const READ = 16;
const LENGTHS = 32;

/** The memory of a queue, shared by both threads. */
interface QueueMemory {
  readonly slots: number;
  readonly control: SharedArrayBuffer;
  readonly items: SharedArrayBuffer;
}

/** Creates the memory of a queue of `slots` items of up to `itemBytes` each, a multiple of eight. */
function createQueueMemory(slots: number, itemBytes: number): QueueMemory {
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
class SharedQueue<Item> {
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

/** Enough slots for either thread to run ahead, few enough to stay in the processor's cache. */
const SLOTS = 8;
/** Bytes of the log in one input item, and in one read of a file. */
export const INPUT_BYTES = 1 << 18;
/** Room for one batch of a kernel and its header. */
const OUTPUT_BYTES = TICK_BUFFER_BYTES + 64;
/** Milliseconds to wait for the other thread before checking that it is still alive. */
const PATIENCE = 1000;
/**
 * Megabytes. The thread keeps few objects alive; without a limit its garbage would take as much memory as
 * everything else.
 */
const YOUNG_GENERATION = 2;

/** What the thread receives at start. */
export interface ParserThreadData {
  readonly input: QueueMemory;
  readonly output: QueueMemory;
  /** Receives the {@link ParserOptions}; sends everything that is not a number. */
  readonly port: MessagePort;
}

/** Marks of input items that are not bytes of the log. */
export const INPUT_MARK = { start: -1, end: -2, rest: -3 } as const;
/** Marks of the end of a log that was cut short. */
export const DIAGNOSTIC_MARK: Readonly<Record<CompressionDiagnostic, number>> = {
  "damaged-compression": -4,
  "cut-compression": -5,
};
/** The low bits of an output item's length; the length is in the other bits. */
export const OUTPUT_FLAG = { isLast: 1, hasExtras: 2, bits: 2 } as const;

/** Opens the queue of bytes for the thread. */
export const inputQueue = (memory: QueueMemory) =>
  new SharedQueue(memory, (buffer, start, bytes) => Buffer.from(buffer, start, bytes));
/** Opens the queue of what the thread finds. */
export const outputQueue = (memory: QueueMemory) =>
  new SharedQueue(
    memory,
    (buffer, start, bytes) => new Float64Array(buffer, start, bytes / Float64Array.BYTES_PER_ELEMENT),
  );

/** A thread that has nothing to do yet. */
interface IdleThread {
  readonly worker: Worker;
  readonly input: SharedQueue<Buffer>;
  readonly output: SharedQueue<Float64Array>;
  readonly port: MessagePort;
}

/** The thread for the next log, if it was started ahead. */
let ahead: IdleThread | undefined;

/**
 * Starts the thread for the next {@link ParserThread.open}, so that it runs once the log is open. Does nothing
 * where there is none.
 */
export function startThreadAhead(): void {
  ahead ??= startThread();
}

/** Starts a thread. Returns undefined on a single processor, or if no thread can be started. */
function startThread(): IdleThread | undefined {
  if (availableParallelism() < 2) return undefined;
  const input = createQueueMemory(SLOTS, INPUT_BYTES);
  const output = createQueueMemory(SLOTS, OUTPUT_BYTES);
  const { port1, port2 } = new MessageChannel();
  const workerData: ParserThreadData = { input, output, port: port2 };
  try {
    const worker = new Worker(new URL("./parser-worker.js", import.meta.url), {
      workerData,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    });
    worker.unref();
    port1.unref();
    return { worker, input: inputQueue(input), output: outputQueue(output), port: port1 };
  } catch {
    return undefined; // Out of threads, or not permitted: go on without one.
  }
}

/**
 * A parser in a thread of its own: it finds and decodes rows while this thread processes them. The records and their order
 * are those of a {@link LogParser}.
 */
export class ParserThread {
  readonly #worker: Worker;
  readonly #input: SharedQueue<Buffer>;
  readonly #output: SharedQueue<Float64Array>;
  readonly #port: MessagePort;
  readonly #taker: RecordTaker;
  /** Input items that the thread has not finished. */
  #open = 0;
  #failure: unknown;
  /** Readable ticks found by the thread. */
  ticks = 0;

  /** Resolves once the thread runs; to undefined on a single processor, or if no thread can run. */
  static async open(taker: RecordTaker, options: ParserOptions): Promise<ParserThread | undefined> {
    const thread = ahead ?? startThread();
    ahead = undefined;
    if (thread === undefined) return undefined;
    const { worker, output } = thread;
    let hasFailed = false;
    for (const event of ["error", "exit"]) {
      worker.once(event, () => {
        hasFailed = true;
      });
    }
    // The first output item shows that the thread runs.
    while (output.next(0) === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (hasFailed) return undefined;
    }
    output.release();
    return new ParserThread(thread, taker, options);
  }

  private constructor(
    { worker, input, output, port }: IdleThread,
    taker: RecordTaker,
    options: ParserOptions,
  ) {
    this.#worker = worker;
    this.#worker.on("error", (error) => {
      this.#failure = error;
    });
    this.#port = port;
    this.#input = input;
    this.#output = output;
    this.#taker = taker;
    this.#port.postMessage(options);
    this.#publish(INPUT_MARK.start);
  }

  /**
   * Passes the next bytes of the log to the thread, split anywhere, and takes what it has found. The bytes
   * are not kept.
   */
  async push(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length; from += INPUT_BYTES) {
      const part = chunk.subarray(from, from + INPUT_BYTES);
      while (!this.#input.hasRoom) await this.#take();
      this.#input.claim().set(part);
      this.#publish(part.length);
    }
  }

  /**
   * Has the thread read the rest of a log itself, a file from offset `position` on, and takes what it finds.
   * `afterRead` is awaited after each read, with the most bytes that it may have read.
   */
  async pushRest(
    rest: LogRest & { readonly position: number },
    afterRead: (bytes: number) => Promise<void>,
  ): Promise<void> {
    while (this.#open > 0) await this.#take();
    this.#port.postMessage(rest);
    this.#publish(INPUT_MARK.rest);
    while (this.#open > 0) {
      await this.#take();
      await afterRead(INPUT_BYTES);
    }
  }

  /** Ends the log and takes everything that is left; `diagnostic` is what cut the log short. */
  async end(diagnostic?: CompressionDiagnostic): Promise<void> {
    while (!this.#input.hasRoom) await this.#take();
    this.#publish(diagnostic === undefined ? INPUT_MARK.end : DIAGNOSTIC_MARK[diagnostic]);
    while (this.#open > 0) await this.#take();
  }

  /** Stops the thread, whatever it is doing. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #publish(length: number): void {
    this.#open++;
    this.#input.publish(length);
  }

  /** Waits for one output item and takes it. */
  async #take(): Promise<void> {
    let next = this.#output.next(PATIENCE);
    while (next === undefined) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#failure !== undefined) throw this.#failure;
      next = this.#output.next(PATIENCE);
    }
    const { item, length } = next;
    const extras =
      length & OUTPUT_FLAG.hasExtras ? (receiveMessageOnPort(this.#port)?.message as Extra[]) : [];
    this.ticks += readBatch(item.subarray(0, length >> OUTPUT_FLAG.bits), extras, this.#taker);
    this.#output.release();
    if (length & OUTPUT_FLAG.isLast) this.#open--;
  }
}
