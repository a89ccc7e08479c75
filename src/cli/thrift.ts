import { setFlagsFromString } from "node:v8";

/** Past so many bytes of logs. Before, a young generation that may grow is a little faster. */
const LARGE_BYTES = 1 << 21;

/**
 * `semi-space-growth-factor`: the young generation would grow with what survives, to three times 16 MB, and that buys
 * nothing here, since what a log leaves behind lives to the end. `optimize-for-size`: the old one would grow by no less than
 * 8 MB at a time. Both are of the whole process. Source: V8, src/heap/new-spaces.cc, `SemiSpaceNewSpace::Grow`;
 * src/heap/heap.cc, `Heap::ShouldOptimizeForMemoryUsage`.
 */
const FLAGS = ["--semi-space-growth-factor=1", "--optimize-for-size"];

/** Has V8 keep its heap small once logs turn out to be large. To be told of the bytes that were read so far, again and again. */
export class Thrift {
  #isOn = false;

  note(bytes: number): void {
    if (this.#isOn || bytes < LARGE_BYTES) return;
    this.#isOn = true;
    setFlags();
    // The heap of a new thread sets them back. Source: V8, src/heap/heap.cc, `Heap::ConfigureHeap`.
    process.on("worker", (worker) => worker.once("online", setFlags));
  }
}

function setFlags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
