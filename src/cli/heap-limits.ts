import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Profile } from "../profile/profile.js";

/** Bytes of logs from which the limits apply. Below, a young generation that may grow is a little faster. */
const LARGE_BYTES = 1 << 21;
/** Bytes of logs whose leftovers are worth freeing at once. */
const LEFTOVER_BYTES = 1 << 25;
/** Stacks whose leftovers are worth freeing at once. */
const MANY_STACKS = 1 << 18;
/** Bytes on the heap up to which early collection costs next to nothing. */
const SMALL_HEAP = 16 * 2 ** 20;
/**
 * Keeps the young generation from growing with the survivors, to three times 16 MB. Growing would gain
 * nothing, since the data of a log lives to the end. Source: V8, src/heap/new-spaces.cc,
 * `SemiSpaceNewSpace::Grow`.
 */
const SMALL_YOUNG = "--semi-space-growth-factor=1";
/**
 * Lets the old generation grow by less than 8 MB at a time. Source: V8, src/heap/heap.cc,
 * `Heap::ShouldOptimizeForMemoryUsage`.
 */
const SMALL_OLD = "--optimize-for-size";

/**
 * Keeps the heap small if logs are large and their data on the heap is not. Its flags apply to the whole
 * process.
 */
export class HeapLimits {
  #isOn = false;
  #isOldSmall = false;

  /** Takes the bytes of logs read so far. Call it repeatedly, and once more when all logs are read. */
  note(bytes: number): void {
    if (bytes < LARGE_BYTES) return;
    if (!this.#isOn) keepYoungSmall();
    this.#isOn = true;
    const isSmall = getHeapStatistics().used_heap_size < SMALL_HEAP;
    if (isSmall === this.#isOldSmall) return;
    this.#isOldSmall = isSmall;
    setFlagsFromString(isSmall ? SMALL_OLD : `--no-${SMALL_OLD.slice(2)}`);
  }

  /** Sets the limits again that apply by now: a thread that was started before {@link note} has reset them. */
  renew(): void {
    if (this.#isOn) setFlagsFromString(SMALL_YOUNG);
  }
}

/** Frees what nobody needs any more once logs of so many bytes are read, if they are large. */
export function freeLeftovers(bytes: number): void {
  if (bytes >= LEFTOVER_BYTES) collectGarbage();
}

/** Frees what was left over when the stacks of a profile were changed, if there are many. */
export function freeAfter({ tree }: Pick<Profile, "tree">): void {
  if (tree.length >= MANY_STACKS) collectGarbage();
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
  setFlagsFromString(SMALL_OLD);
  return () => setFlagsFromString(`--no-${SMALL_OLD.slice(2)}`);
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
