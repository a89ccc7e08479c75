import type { Address } from "../profile/units.js";

/** A power of two. 16,384 slots take 256 KiB and hold the working set of every program tried. */
const SLOTS = 1 << 14;
/** The bits of an address within a region. V8's code objects have some hundred to some ten thousand bytes. */
const REGION_BITS = 12;
/** A power of two. Regions whose addresses differ only in higher bits share a stamp. */
const REGIONS = 1 << 12;
/**
 * A larger range voids all answers. That costs no more, and further ranges cost nothing until there are
 * answers again.
 */
const LARGE_RANGE = 2 ** 20;

/**
 * Caches the frame of each address until that changes: {@link forget} voids the answers in a range, and some
 * others. Each address has one slot; a newer address takes the slot of an older one.
 *
 * Each answer carries the stamp that its region of the address space had. A region is voided by giving it
 * another stamp.
 */
export class AddressCache {
  readonly #regions = new Int32Array(REGIONS);
  /** Each slot has an address, then its frame and stamp as two integers: all in one cache line. */
  readonly #slots = new Float64Array(2 * SLOTS).fill(-1);
  readonly #integers = new Int32Array(this.#slots.buffer);
  /** Whether any answer may be valid. */
  #hasAnswers = false;

  /**
   * Returns the frame set for `addresses[index]`; -1 if there is none. Reading the address from its column
   * here keeps it in a register; passed as an argument it would be an object on the heap.
   */
  get(addresses: Float64Array, index: number): number {
    const address = addresses[index]!;
    const low = address | 0;
    const slot = slotOf(low);
    const isKnown =
      this.#slots[2 * slot] === address && this.#integers[4 * slot + 3] === this.#regions[regionOf(low)];
    return isKnown ? this.#integers[4 * slot + 2]! : -1;
  }

  /** Sets the frame of an address. */
  set(address: Address, frame: number): void {
    const low = address | 0;
    const slot = slotOf(low);
    this.#hasAnswers = true;
    this.#slots[2 * slot] = address;
    this.#integers[4 * slot + 2] = frame;
    this.#integers[4 * slot + 3] = this.#regions[regionOf(low)]!;
  }

  /** Voids the answers about `[start, end)`. */
  forget(start: Address, end: Address): void {
    if (!this.#hasAnswers) return;
    this.#hasAnswers = end - start <= LARGE_RANGE;
    const count = this.#hasAnswers ? Math.ceil((end - start) / 2 ** REGION_BITS) + 1 : REGIONS;
    const first = regionOf(start | 0);
    for (let i = 0; i < count; i++) this.#regions[(first + i) & (REGIONS - 1)]!++;
  }
}

/** `low`: the address modulo 2^32. */
function slotOf(low: number): number {
  return (low ^ (low >>> 14)) & (SLOTS - 1);
}

/** `low`: the address modulo 2^32. */
function regionOf(low: number): number {
  return (low >>> REGION_BITS) & (REGIONS - 1);
}
