import { Worker } from "node:worker_threads";
import { TicksError } from "../../errors.js";
import type { ReadProgress } from "../../log-feeder.js";
import type { ProfileMerger } from "../../profile/merge.js";
import type { SharedInput } from "../log-input.js";
import type { GivenLog } from "../log-paths.js";
import { BlockClaims } from "./block-claims.js";
import type { BlockPlan } from "./block-plan.js";
import type { BlockOptions } from "./read-block.js";
import { type Piece, type ReadPiece, readPiece } from "./read-piece.js";

/** A thread needs little memory for what is only of one log; V8's own limit is 48 MB. */
const YOUNG_MB = 12;

/** What a thread receives at its start. */
export interface BlockThreadData {
  readonly blocks: readonly (readonly GivenLog[])[];
  readonly options: BlockOptions;
  /** That of {@link BlockClaims}. */
  readonly memory: SharedArrayBuffer;
}

/** What a thread sends: what each block adds to the progress, and the pieces. */
export type BlockThreadMessage = { readonly progress: ReadProgress } | { readonly piece: Piece };

/** What {@link readBlocks} works with. */
interface BlocksTools {
  /** That of this thread. */
  readonly shared: SharedInput;
  /** Takes the profiles of the first piece, so that most of what this thread reads is merged once. */
  readonly merger: ProfileMerger;
  /** Takes the pieces, in their order; without a profile if `merger` has it. `first` is the number of the first block. */
  readonly take: (piece: ReadPiece, first: number) => void;
  /** Called with what each block adds to the progress, in any order. */
  readonly onRead: (progress: ReadProgress) => void;
}

/** Reads blocks in several threads, of which this is one. Throws the error of the first block that has one. */
export async function readBlocks(
  { blocks, threads }: BlockPlan,
  { options: wanted, ...rest }: BlockOptions,
  { shared, merger, take, onRead }: BlocksTools,
): Promise<void> {
  const options = { ...rest, options: { ...wanted, inOneThread: true } };
  const claims = new BlockClaims(blocks.length);
  const pieces: Piece[] = [];
  const onMessage = (message: BlockThreadMessage) => {
    if ("progress" in message) onRead(message.progress);
    else pieces.push(message.piece);
  };
  claims.take(0);
  const others = startThreads(threads - 1, { blocks, options, memory: claims.memory });
  const ended = Promise.all(others.map((worker) => endOf(worker, onMessage)));
  ended.catch(() => claims.leaveFrom(0)); // It is awaited below.
  try {
    for (let first: number | undefined = 0; first !== undefined; first = claims.takeAnother()) {
      const tools = { claims, shared, merger: first === 0 ? merger : undefined, onRead };
      pieces.push(await readPiece(blocks, first, options, tools));
    }
    await ended;
  } finally {
    await Promise.all(others.map((worker) => worker.terminate()));
  }
  takeInOrder(pieces, take);
}

/** Passes on pieces, and forgets them one after the other. Throws the {@link TicksError} of the first that has one. */
function takeInOrder(pieces: Piece[], take: BlocksTools["take"]): void {
  pieces.sort((a, b) => b.first - a.first);
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    const { first, outcome } = piece;
    if ("code" in outcome) throw new TicksError(outcome.code, outcome.message, outcome.hint);
    take(outcome, first);
  }
}

/** Starts up to so many threads. There may be fewer: what is left for them, this one reads. */
function startThreads(count: number, workerData: BlockThreadData): Worker[] {
  const threads: Worker[] = [];
  try {
    const options = { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
    while (threads.length < count)
      threads.push(new Worker(new URL("./block-worker.js", import.meta.url), options));
  } catch {
    // Out of threads, or not permitted.
  }
  return threads;
}

/** Resolves when a thread has ended. Rejects with its fault. */
function endOf(worker: Worker, onMessage: (message: BlockThreadMessage) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on("message", onMessage);
    worker.on("error", reject);
    worker.on("exit", (status) => {
      if (status === 0) resolve();
      else reject(new Error(`a thread that reads logs ended with status ${status}`));
    });
  });
}
