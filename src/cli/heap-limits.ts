import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Chunks } from "../io/output.js";
import { watchColumns } from "../profile/long-column.js";
import type { Profile } from "../profile/profile.js";
import { compileAll } from "./log-blocks/compile-less.js";

/** Bytes of an output after which the heap is looked at again. */
const OUTPUT_BYTES = 1 << 21;
/**
 * Bytes of logs from which the old generation is kept small too. Below, it saves 5 to 13 MB, but views take a tenth longer: the
 * garbage of a large program's code is collected again and again, each time by threads that the others need.
 */
const LONG_BYTES = 1 << 26;
/** Bytes of logs whose leftovers are worth freeing at once. */
const LEFTOVER_BYTES = 1 << 25;
/** Bytes of new columns that are worth freeing older ones for. */
const COLUMN_BYTES = 12 * 2 ** 20;
/** Stacks whose leftovers are worth freeing at once. */
const MANY_STACKS = 1 << 18;
/** Bytes on the heap up to which early collection costs next to nothing. */
const SMALL_HEAP = 16 * 2 ** 20;
/** Bytes on the heap from which a small young generation costs time: its survivors are copied again and again. */
const LARGE_HEAP = 64 * 2 ** 20;
/** Bytes of garbage on a heap that is kept small. */
const GARBAGE = 16 * 2 ** 20;
/**
 * Keeps the young generation from growing with the survivors, to three times 16 MB. Growing would gain
 * nothing, since the data of a log lives to the end. Source: V8, src/heap/new-spaces.cc,
 * `SemiSpaceNewSpace::Grow`.
 */
const SMALL_YOUNG = "--semi-space-growth-factor=1";
/** The default. Source: V8, src/flags/flag-definitions.h. */
const GROWING_YOUNG = "--semi-space-growth-factor=2";
/**
 * Lets the old generation grow by less than 8 MB at a time. Source: V8, src/heap/heap.cc,
 * `Heap::ShouldOptimizeForMemoryUsage`.
 */
const SMALL_OLD = "--optimize-for-size";
const LARGE_OLD = "--no-optimize-for-size";

/**
 * Keeps the heap small while logs are read: the young generation, and the old one if logs are large and their data on the heap is
 * not. Its flags apply to the whole process, and make V8 reject code as those of `compileLess` do.
 */
export class HeapLimits {
  #isOldSmall = false;
  #isYoungSmall = true;

  /** Keeps the young generation small from now on. */
  begin(): void {
    keepYoungSmall();
  }

  /** Takes the bytes of logs read so far. Call it repeatedly, and once more when all logs are read. */
  note(bytes: number): void {
    const used = getHeapStatistics().used_heap_size;
    if (this.#isYoungSmall && used > LARGE_HEAP) {
      this.#isYoungSmall = false;
      setFlagsFromString(GROWING_YOUNG);
    }
    if (bytes < LONG_BYTES) return;
    const isSmall = used < SMALL_HEAP;
    if (isSmall === this.#isOldSmall) return;
    this.#isOldSmall = isSmall;
    setOldSmall(isSmall);
  }

  /**
   * Lets the old generation grow again, until {@link note} is called: what is done once a log is read takes less time than
   * collecting its garbage at once.
   */
  relax(): void {
    if (!this.#isOldSmall) return;
    this.#isOldSmall = false;
    setOldSmall(false);
  }
}

/**
 * Passes on the parts of a large output of a profile, and keeps the heap small while they are made, unless much of it is in
 * use.
 */
export async function* keepingHeapSmall(
  chunks: Chunks,
  profile: Pick<Profile, "tree">,
): AsyncIterable<string | Uint8Array> {
  let unchecked = 0;
  let isSmall: boolean | undefined;
  for await (const chunk of chunks) {
    yield chunk;
    unchecked += chunk.length;
    if (unchecked < OUTPUT_BYTES) continue;
    unchecked = 0;
    compileAll();
    if (isSmall === undefined) freeAfter(profile); // What was needed only to begin.
    const wasSmall = isSmall;
    isSmall = getHeapStatistics().used_heap_size < SMALL_HEAP + GARBAGE;
    if (isSmall !== wasSmall) setOldSmall(isSmall);
  }
}

/** Frees what nobody needs any more once logs of so many bytes are read, if they are large. */
export function freeLeftovers(bytes: number): void {
  if (bytes < LEFTOVER_BYTES) return;
  collectGarbage();
  watchColumns(COLUMN_BYTES, () => {
    if (getHeapStatistics().used_heap_size < SMALL_HEAP + GARBAGE) collectGarbage();
  });
}

/**
 * Frees what was left over when the stacks of a profile were changed, if there are many, and keeps the heap small from
 * then on, as long as {@link keepingHeapSmall} finds that to pay off.
 */
export function freeAfter({ tree }: Pick<Profile, "tree">): void {
  if (tree.length < MANY_STACKS) return;
  setOldSmall(true); // Before: each collection sets the limit for the next one.
  collectGarbage();
}

/**
 * Collects all garbage. V8 waits for 64 MB of arrays before it looks for those that are no longer used. Source: V8,
 * src/heap/heap.h, `kExternalAllocationSoftLimit`.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Keeps the heap small from now on, for a command that runs long and does little. Returns what undoes it. */
export function keepHeapSmall(): () => void {
  setFlagsFromString(SMALL_YOUNG);
  setOldSmall(true);
  return () => setOldSmall(false);
}

function setOldSmall(isSmall: boolean): void {
  setFlagsFromString(isSmall ? SMALL_OLD : LARGE_OLD);
}

let isWatching = false;

function keepYoungSmall(): void {
  setFlagsFromString(SMALL_YOUNG);
  // A command can read many runs one after the other.
  if (isWatching) return;
  isWatching = true;
  // A new thread resets the flag. Source: V8, src/heap/heap.cc, `Heap::ConfigureHeap`.
  process.on("worker", (worker) => worker.once("online", () => setFlagsFromString(SMALL_YOUNG)));
}
