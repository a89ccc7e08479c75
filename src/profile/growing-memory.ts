/** The unit in which WebAssembly's memory grows, and the most it may have. */
const PAGE_BYTES = 1 << 16;
const MOST_PAGES = 1 << 16;
/** Memory grows by this share, so that it is made longer few times. */
const GROWTH = 1 / 8;

/** WebAssembly's memory. The types of Node 20 do not include it. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
type MemoryClass = new (limits: { readonly initial: number; readonly maximum: number }) => Memory;

/**
 * Memory that grows in place: nothing is copied, so a long column is never in memory twice. Ordinary arrays
 * cannot grow.
 */
export class GrowingMemory {
  readonly #memory: Memory;

  private constructor(memory: Memory) {
    this.#memory = memory;
  }

  /** Returns undefined where there is no WebAssembly, or too little address space for it. */
  static open(): GrowingMemory | undefined {
    const { WebAssembly } = globalThis as { WebAssembly?: { readonly Memory: MemoryClass } };
    if (WebAssembly === undefined) return undefined;
    try {
      return new GrowingMemory(new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES }));
    } catch {
      return undefined;
    }
  }

  /** Returns memory of at least some bytes; what was returned before is no longer valid. Throws if there is no more. */
  reaching(bytes: number): ArrayBuffer {
    const has = this.#memory.buffer.byteLength;
    if (bytes > has) {
      const pages = Math.ceil((bytes - has) / PAGE_BYTES);
      const wanted = Math.max(pages, Math.floor((has / PAGE_BYTES) * GROWTH));
      this.#memory.grow(Math.max(pages, Math.min(wanted, MOST_PAGES - has / PAGE_BYTES)));
    }
    return this.#memory.buffer;
  }
}
