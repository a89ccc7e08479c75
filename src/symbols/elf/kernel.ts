import { READ_LIMIT } from "../../io/regular-file.js";
import { ENTRY_BYTES, RESERVED_SECTIONS } from "../../kernels/layout.js";
import { type Kernel, type KernelNumber, loadKernel } from "../../kernels/load-kernel.js";

/** What src/kernels/assembly/elf-symbols.ts exports. */
interface ElfSymbolsExports extends Kernel {
  readonly kinds: KernelNumber;
  readonly isCode: KernelNumber;
  readonly input: KernelNumber;
  readonly numbers: KernelNumber;
  readonly starts: KernelNumber;
  readonly sizes: KernelNumber;
  readonly nameOffsets: KernelNumber;
  readonly ties: KernelNumber;
  begin(entries: number): number;
  find(entries: number): number;
  sort(functions: number): number;
  gather(functions: number): void;
}

/** Fewer entries than this are read faster than a kernel starts. */
const MANY = 4096;

/** Functions of a symbol table, sorted by address. */
export interface SortedFunctions {
  /** The numbers of their entries. */
  readonly numbers: Uint32Array;
  readonly starts: Float64Array;
  readonly sizes: Float64Array;
  readonly nameOffsets: Uint32Array;
}

/** How to find the functions of a symbol table. */
export interface SortOptions {
  /**
   * Whether a symbol is a function, by the byte of its binding and type: one of the `…FUNCTION…` constants of
   * kernels/layout.ts.
   */
  readonly kinds: Uint8Array;
  /** Whether a section contains code, by section number. */
  readonly isCode: Uint8Array;
  /** Rejects entries that are not functions by their name. Default: none. */
  readonly isFunction: ((entry: number) => boolean) | undefined;
  /** Sorts entries with the same address, `[from, to)` of `numbers`. */
  readonly orderTie: (numbers: Uint32Array, from: number, to: number) => void;
}

/**
 * Sorts the functions of one symbol table of a 64-bit little-endian file. It makes the first report on a 2 MB
 * log, when nothing of the Node binary is cached, a sixth faster: 346 ms instead of 417 with Node 20, 223
 * instead of 285 with Node 26.
 */
export class ElfKernel {
  /** Where to read the entries, to save a copy. */
  readonly room: Buffer;
  readonly #exports: ElfSymbolsExports;
  readonly #count: number;

  /**
   * Opens a kernel for a table of `bytes`. Returns undefined if there are no kernels, if there is no memory,
   * or if the table is too small for it to pay off.
   */
  static open(bytes: number): ElfKernel | undefined {
    const count = Math.floor(bytes / ENTRY_BYTES);
    if (count < MANY || bytes > READ_LIMIT) return undefined;
    const exports = loadKernel<ElfSymbolsExports>("elf-symbols");
    return exports?.begin(count) ? new ElfKernel(exports, count) : undefined;
  }

  private constructor(exports: ElfSymbolsExports, count: number) {
    this.#exports = exports;
    this.#count = count;
    this.room = Buffer.from(exports.memory.buffer, exports.input.value, count * ENTRY_BYTES);
  }

  /**
   * Sorts the functions in `entries`, which are as long as {@link room}. Returns undefined if slower code
   * must do it: for addresses above 4 GB, and for section numbers in other tables.
   */
  sort(
    entries: Uint8Array,
    { kinds, isCode, isFunction, orderTie }: SortOptions,
  ): SortedFunctions | undefined {
    const kernel = this.#exports;
    const { buffer } = kernel.memory;
    new Uint8Array(buffer, kernel.kinds.value).set(kinds);
    new Uint8Array(buffer, kernel.isCode.value).set(isCode.subarray(0, RESERVED_SECTIONS));
    if (entries.buffer !== buffer) this.room.set(entries);
    const found = kernel.find(this.#count);
    if (found < 0) return undefined;
    const length = isFunction === undefined ? found : this.#leaveOut(found, isFunction);
    const tied = kernel.sort(length);
    if (tied < 0) return undefined;
    const ties = this.#integers(kernel.ties, 2 * tied);
    const numbers = this.#integers(kernel.numbers, length);
    for (let i = 0; i < ties.length; i += 2) orderTie(numbers, ties[i]!, ties[i + 1]!);
    kernel.gather(length);
    return {
      numbers: numbers.slice(),
      starts: new Float64Array(buffer, kernel.starts.value, length).slice(),
      sizes: new Float64Array(buffer, kernel.sizes.value, length).slice(),
      nameOffsets: this.#integers(kernel.nameOffsets, length).slice(),
    };
  }

  /** Removes entries that are not functions; returns how many are left. */
  #leaveOut(found: number, isFunction: (entry: number) => boolean): number {
    const numbers = this.#integers(this.#exports.numbers, found);
    const left = numbers.filter(isFunction);
    numbers.set(left);
    return left.length;
  }

  #integers({ value }: KernelNumber, length: number): Uint32Array {
    return new Uint32Array(this.#exports.memory.buffer, value, length);
  }
}
