import { availableParallelism } from "node:os";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { TICK_BUFFER_BYTES } from "../kernels/layout.js";
import type { CompressionDiagnostic, LogRest } from "../log-chunks.js";
import type { LogParser, ParserOptions } from "./parser.js";
import type { ParserState } from "./parser-state.js";
import { type Extra, type RecordTaker, readBatch } from "./record-batch.js";
import { createQueueMemory, type QueueMemory, SharedQueue } from "./shared-queue.js";

/** Slots enough for either thread to be ahead of the other, small enough to stay in the processor's cache. */
const SLOTS = 8;
/** Bytes of the log in one item of input, and in one read of a file. */
export const INPUT_BYTES = 1 << 18;
/** What a kernel finds at once fits, and what stands before it. */
const OUTPUT_BYTES = TICK_BUFFER_BYTES + 64;
/** How long to wait for the other thread before looking whether it is still there, in milliseconds. */
const PATIENCE = 1000;
/** MB. It allocates little that lives: without a limit its garbage would take as much memory as all else. */
const YOUNG_GENERATION = 2;

/** What the thread is given. */
export interface ParserThreadData {
  readonly input: QueueMemory;
  readonly output: QueueMemory;
  /** First the state of the parser to go on for comes in; all that is no number goes out. */
  readonly port: MessagePort;
  readonly options: ParserOptions;
}

/** An item of input that is no bytes of the log. */
export const INPUT_MARK = { start: -1, end: -2, rest: -3 } as const;
/** The marks of the end of a log that something cut short. */
export const DIAGNOSTIC_MARK: Readonly<Record<CompressionDiagnostic, number>> = {
  "damaged-compression": -4,
  "cut-compression": -5,
};
/** The length of an item of output goes into its other bits. */
export const OUTPUT_FLAG = { isLast: 1, hasExtras: 2, bits: 2 } as const;

/** The queue of bytes that go to the thread. */
export const inputQueue = (memory: QueueMemory) =>
  new SharedQueue(memory, (buffer, start, bytes) => Buffer.from(buffer, start, bytes));
/** The queue of what the thread finds. */
export const outputQueue = (memory: QueueMemory) =>
  new SharedQueue(
    memory,
    (buffer, start, bytes) => new Float64Array(buffer, start, bytes / Float64Array.BYTES_PER_ELEMENT),
  );

/**
 * A parser in a thread of its own, which goes on where another one stopped. Its thread finds the rows and decodes them
 * while this one does what they say; what it finds is the same, in the same order.
 */
export class ParserThread {
  readonly #worker: Worker;
  readonly #input: SharedQueue<Buffer>;
  readonly #output: SharedQueue<Float64Array>;
  readonly #port: MessagePort;
  readonly #taker: RecordTaker;
  #isReady = false;
  #hasBegun = false;
  /** Items of input that the thread is not done with. */
  #open = 0;
  #failure: unknown;
  /** How many it found that could be read. */
  ticks = 0;

  /** Undefined where there is but one processor, or no other thread can be had. */
  static open(taker: RecordTaker, options: ParserOptions): ParserThread | undefined {
    if (availableParallelism() < 2) return undefined;
    try {
      return new ParserThread(taker, options);
    } catch {
      return undefined; // A limit of the system, or a permission: it goes without.
    }
  }

  private constructor(taker: RecordTaker, options: ParserOptions) {
    const memory = {
      input: createQueueMemory(SLOTS, INPUT_BYTES),
      output: createQueueMemory(SLOTS, OUTPUT_BYTES),
    };
    const { port1, port2 } = new MessageChannel();
    const workerData: ParserThreadData = { ...memory, port: port2, options };
    this.#worker = new Worker(new URL("./parser-worker.js", import.meta.url), {
      workerData,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    });
    this.#worker.on("error", (error) => {
      this.#failure = error;
    });
    this.#worker.unref();
    port1.unref();
    this.#port = port1;
    this.#input = inputQueue(memory.input);
    this.#output = outputQueue(memory.output);
    this.#taker = taker;
  }

  /** Whether it goes on for a parser from here on: it does once the thread runs and the parser is between two rows. */
  takesOver(parser: LogParser): boolean {
    if (this.#hasBegun) return true;
    // The first item of output says that the thread runs.
    if (!this.#isReady && this.#output.next(0) !== undefined) {
      this.#output.release();
      this.#isReady = true;
    }
    const state = this.#isReady ? parser.state : undefined;
    if (state === undefined) return false;
    this.#begin(state);
    return true;
  }

  /** Gives it the next bytes of the log, cut anywhere, and takes what it has found. The bytes are not kept. */
  async push(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length; from += INPUT_BYTES) {
      const part = chunk.subarray(from, from + INPUT_BYTES);
      while (!this.#input.hasRoom) await this.#take();
      this.#input.claim().set(part);
      this.#publish(part.length);
    }
  }

  /**
   * Has it read the rest of a log itself, of a file from `position` on, and takes what it finds. `afterRead` is waited for
   * after each read, and told its bytes: at most so many.
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

  /** Ends the log, which `fault` may have cut short, and takes all that is left. */
  async end(diagnostic?: CompressionDiagnostic): Promise<void> {
    while (!this.#input.hasRoom) await this.#take();
    this.#publish(diagnostic === undefined ? INPUT_MARK.end : DIAGNOSTIC_MARK[diagnostic]);
    while (this.#open > 0) await this.#take();
  }

  /** Stops the thread, wherever it is. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #begin(state: ParserState): void {
    this.#hasBegun = true;
    this.#port.postMessage(state);
    this.#publish(INPUT_MARK.start);
  }

  #publish(length: number): void {
    this.#open++;
    this.#input.publish(length);
  }

  /** Takes one item of output, and waits for it. */
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
