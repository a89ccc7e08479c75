/**
 * Which blocks are taken by some thread. A thread takes blocks that follow each other as long as it can, since it
 * merges them: such blocks are a piece. Then it takes over half of what another thread still has before it.
 */
export class BlockClaims {
  readonly #taken: Int32Array<SharedArrayBuffer>;

  /** `memory` is that of the claims in another thread. */
  constructor(blocks: number, memory = new SharedArrayBuffer(blocks * Int32Array.BYTES_PER_ELEMENT)) {
    this.#taken = new Int32Array(memory);
  }

  /** What the threads share. */
  get memory(): SharedArrayBuffer {
    return this.#taken.buffer;
  }

  /** Takes a block for this thread only. Returns whether it is there and no thread had taken it. */
  take(block: number): boolean {
    return block < this.#taken.length && Atomics.compareExchange(this.#taken, block, 0, 1) === 0;
  }

  /** Takes the first block of another piece, in the middle of the longest run that is left. Returns undefined if none is. */
  takeAnother(): number | undefined {
    for (;;) {
      const { start, end } = this.#longestRun();
      if (start === end) return undefined;
      const middle = (start + end) >> 1;
      if (this.take(middle)) return middle;
    }
  }

  /** Leaves all blocks from one on that are not taken yet. */
  leaveFrom(first: number): void {
    for (let block = first; block < this.#taken.length; block++) this.take(block);
  }

  /** Returns the most blocks that follow each other and are not taken. */
  #longestRun(): { readonly start: number; readonly end: number } {
    let longest = { start: 0, end: 0 };
    let start = 0;
    for (let block = 0; block <= this.#taken.length; block++) {
      if (block < this.#taken.length && Atomics.load(this.#taken, block) === 0) continue;
      if (block - start > longest.end - longest.start) longest = { start, end: block };
      start = block + 1;
    }
    return longest;
  }
}
