import { setFlagsFromString } from "node:v8";

/** Past so many bytes of logs. Before, a young generation that may grow is a little faster. */
const LARGE_BYTES = 1 << 21;

/**
 * The young generation would grow with what survives, to three times 16 MB, and that buys nothing here: what a log leaves
 * behind lives to the end. Source: V8, src/heap/new-spaces.cc, `SemiSpaceNewSpace::Grow`.
 */
const SMALL_YOUNG = "--semi-space-growth-factor=1";
/**
 * The old generation would grow by no less than 8 MB at a time. Where much of it is garbage soon, as for a plain report,
 * collecting it earlier costs next to nothing; where most lives on, a quarter of the time.
 * Source: V8, src/heap/heap.cc, `Heap::ShouldOptimizeForMemoryUsage`.
 */
const SMALL_OLD = "--optimize-for-size";

/**
 * Has V8 keep its heap small once logs turn out to be large. The flags are of the whole process. To be told of the bytes that
 * were read so far, again and again.
 */
export class Thrift {
  readonly #flags: readonly string[];
  #isOn = false;

  /** `isPlain`: nothing but functions and stacks is wanted of the logs. */
  constructor({ isPlain }: { readonly isPlain: boolean }) {
    this.#flags = isPlain ? [SMALL_YOUNG, SMALL_OLD] : [SMALL_YOUNG];
  }

  note(bytes: number): void {
    if (this.#isOn || bytes < LARGE_BYTES) return;
    this.#isOn = true;
    this.#setFlags();
    // The heap of a new thread sets them back. Source: V8, src/heap/heap.cc, `Heap::ConfigureHeap`.
    process.on("worker", (worker) => worker.once("online", () => this.#setFlags()));
  }

  #setFlags(): void {
    for (const flag of this.#flags) setFlagsFromString(flag);
  }
}
