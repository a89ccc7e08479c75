import { availableParallelism } from "node:os";
import { logSize } from "../../io/input.js";
import type { GivenLog } from "../log-paths.js";

/** Fewer bytes of logs are read as fast by one thread. */
const LARGE_BYTES = 12e6;
/** More threads take more memory than they save time. */
const MOST_THREADS = 8;
/** The bytes of a block: so little that all threads are busy to the end. */
const BLOCK_BYTES = 2e6;

/** The logs of a command, cut into blocks. */
export interface BlockPlan {
  /** Logs that follow each other; one thread reads all of a block. */
  readonly blocks: readonly (readonly GivenLog[])[];
  readonly threads: number;
  /** The bytes of all logs; undefined if the size of one is not known before it is read. */
  readonly bytes: number | undefined;
}

/** Returns one block for one thread if several would not be faster. */
export function planBlocks(logs: readonly GivenLog[], processors = availableParallelism()): BlockPlan {
  const sizes = logs.map(({ path }) => logSize(path));
  const bytes = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  const alone = { blocks: [logs], threads: 1, bytes };
  if (bytes === undefined || bytes < LARGE_BYTES || processors < 2) return alone;
  const most = Math.min(processors, MOST_THREADS);
  // The others would wait for the thread with the long log, and its reader has a second thread of its own.
  if (sizes.some((size) => size! > bytes / 2)) return alone;
  const blocks: GivenLog[][] = [];
  let left = 0;
  for (const [i, log] of logs.entries()) {
    if (left <= 0) {
      blocks.push([]);
      left = BLOCK_BYTES;
    }
    blocks.at(-1)!.push(log);
    left -= sizes[i]!;
  }
  const threads = Math.min(most, blocks.length);
  return threads < 2 ? alone : { blocks, threads, bytes };
}
