import { Worker } from "node:worker_threads";
import type { ReadProgress } from "../../log-feeder.js";
import type { SharedInput } from "../log-input.js";
import type { GivenLog } from "../log-paths.js";
import type { BlockPlan } from "./block-plan.js";
import { BlockQueue, type BlockResult, OrderedBlocks, resultOf, type TakeBlock } from "./block-queue.js";
import { type BlockOptions, readBlock } from "./read-block.js";

/** What a thread receives at its start. */
export interface BlockThreadData {
  readonly blocks: readonly (readonly GivenLog[])[];
  readonly options: BlockOptions;
  /** That of a {@link BlockQueue}. */
  readonly memory: SharedArrayBuffer;
}

/** What {@link readBlocks} works with. */
interface BlockTools {
  /** That of this thread. */
  readonly shared: SharedInput;
  /** Takes the blocks, in their order. */
  readonly take: TakeBlock;
  /** Called with the progress of each block, in any order. */
  readonly onRead: (progress: ReadProgress) => void;
}

/** Reads blocks in several threads, of which this is one. Throws the error of the first block that has one. */
export async function readBlocks(
  { blocks, threads }: BlockPlan,
  { options: wanted, ...rest }: BlockOptions,
  { shared, take, onRead }: BlockTools,
): Promise<void> {
  const options = { ...rest, options: { ...wanted, inOneThread: true } };
  const queue = new BlockQueue(blocks.length);
  const ordered = new OrderedBlocks(take);
  const workerData: BlockThreadData = { blocks, options, memory: queue.memory };
  const add = (result: BlockResult) => {
    if ("progress" in result.outcome) onRead(result.outcome.progress);
    ordered.add(result);
  };
  const others = startThreads(threads - 1, workerData);
  const ended = Promise.all(others.map((worker) => endOf(worker, add)));
  ended.catch(() => queue.stop()); // It is awaited below.
  try {
    for (const block of queue.take()) {
      add(await resultOf(queue, block, () => readBlock(blocks[block]!, options, shared)));
      ordered.pass();
      await new Promise((resolve) => setImmediate(resolve)); // Lets in what the other threads have sent.
    }
    await ended;
    ordered.pass();
  } finally {
    await Promise.all(others.map((worker) => worker.terminate()));
  }
}

/** Starts up to so many threads. There may be fewer: what is left for them, this one reads. */
function startThreads(count: number, workerData: BlockThreadData): Worker[] {
  const threads: Worker[] = [];
  try {
    while (threads.length < count)
      threads.push(new Worker(new URL("./block-worker.js", import.meta.url), { workerData }));
  } catch {
    // Out of threads, or not permitted.
  }
  return threads;
}

/** Resolves when a thread has ended. Rejects with its fault. */
function endOf(worker: Worker, onResult: (result: BlockResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", onResult);
    worker.on("error", reject);
    worker.on("exit", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`a thread that reads logs ended with status ${status}`));
    });
  });
}
