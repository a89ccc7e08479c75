import { getHeapStatistics, setFlagsFromString } from "node:v8";

/** Past so many bytes of logs. Before, a young generation that may grow is a little faster. */
const LARGE_BYTES = 1 << 21;
/** Bytes on the heap up to which it costs next to nothing to collect them early. */
const SMALL_HEAP = 16 * 2 ** 20;
/**
 * The young generation would grow with what survives, to three times 16 MB, and that buys nothing here: what a log leaves
 * behind lives to the end. Source: V8, src/heap/new-spaces.cc, `SemiSpaceNewSpace::Grow`.
 */
const SMALL_YOUNG = "--semi-space-growth-factor=1";
/**
 * The old generation would grow by no less than 8 MB at a time. Source: V8, src/heap/heap.cc,
 * `Heap::ShouldOptimizeForMemoryUsage`.
 */
const SMALL_OLD = "--optimize-for-size";

/** Has V8 keep its heap small where logs are large and what they leave on it is not. The flags are of the whole process. */
export class HeapLimits {
  #isOn = false;
  #isOldSmall = false;

  /** Takes the bytes of logs that were read so far: to be called again and again, at last when all are read. */
  note(bytes: number): void {
    if (bytes < LARGE_BYTES) return;
    if (!this.#isOn) keepYoungSmall();
    this.#isOn = true;
    const isSmall = getHeapStatistics().used_heap_size < SMALL_HEAP;
    if (isSmall === this.#isOldSmall) return;
    this.#isOldSmall = isSmall;
    setFlagsFromString(isSmall ? SMALL_OLD : `--no-${SMALL_OLD.slice(2)}`);
  }
}

function keepYoungSmall(): void {
  setFlagsFromString(SMALL_YOUNG);
  // The heap of a new thread sets it back. Source: V8, src/heap/heap.cc, `Heap::ConfigureHeap`.
  process.on("worker", (worker) => worker.once("online", () => setFlagsFromString(SMALL_YOUNG)));
}
