import { TicksError, type TicksErrorCode } from "../../errors.js";
import type { ReadBlock } from "./read-block.js";

/** A block that was read, or the error of the user that it has. It can be sent to another thread. */
export interface BlockResult {
  /** Its number. */
  readonly block: number;
  readonly outcome:
    | ReadBlock
    | { readonly code: TicksErrorCode; readonly message: string; readonly hint: string | undefined };
}

/** The numbers of blocks, of which several threads take the next one. */
export class BlockQueue {
  readonly #next: Int32Array<SharedArrayBuffer>;
  readonly #blocks: number;

  /** `memory` is that of the queue in another thread. */
  constructor(blocks: number, memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.#blocks = blocks;
    this.#next = new Int32Array(memory);
  }

  /** What the threads share. */
  get memory(): SharedArrayBuffer {
    return this.#next.buffer;
  }

  /** Yields the numbers of blocks that no thread has taken, each for this thread only. */
  *take(): Iterable<number> {
    for (;;) {
      const block = Atomics.add(this.#next, 0, 1);
      if (block >= this.#blocks) return;
      yield block;
    }
  }

  /** Leaves all blocks that are not taken yet. */
  stop(): void {
    Atomics.store(this.#next, 0, this.#blocks);
  }
}

/** Returns the result of reading a block. After an error no further blocks are taken. */
export async function resultOf(
  queue: BlockQueue,
  block: number,
  read: () => Promise<ReadBlock>,
): Promise<BlockResult> {
  try {
    return { block, outcome: await read() };
  } catch (error) {
    if (!(error instanceof TicksError)) throw error;
    queue.stop();
    const { code, message, hint } = error; // An error loses its class on the way to another thread.
    return { block, outcome: { code, message, hint } };
  }
}

/** Takes a block that was read, with its number. */
export type TakeBlock = (read: ReadBlock, block: number) => void;

/** Passes on blocks in their order, whatever the order in which they come. */
export class OrderedBlocks {
  readonly #waiting = new Map<number, BlockResult>();
  readonly #take: TakeBlock;
  #next = 0;

  constructor(take: TakeBlock) {
    this.#take = take;
  }

  /** Takes the next block that was read. */
  add(result: BlockResult): void {
    this.#waiting.set(result.block, result);
  }

  /** Passes on the blocks that can be. Throws the {@link TicksError} of the first block that has one. */
  pass(): void {
    for (let next = this.#waiting.get(this.#next); next !== undefined; next = this.#waiting.get(this.#next)) {
      const { outcome } = next;
      if ("code" in outcome) throw new TicksError(outcome.code, outcome.message, outcome.hint);
      this.#waiting.delete(this.#next);
      this.#take(outcome, this.#next++);
    }
  }
}
