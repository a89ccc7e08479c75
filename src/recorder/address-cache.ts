import type { Address } from "../profile/units.js";

/** A power of two; 16,384 slots are 256 KiB and hold the working set of any program tried. */
const SLOTS = 1 << 14;
/** Bits of an address inside a region. Code of V8 is some hundred bytes to some ten thousand. */
const REGION_BITS = 12;
/** A power of two. Regions whose addresses differ in higher bits only share a stamp. */
const REGIONS = 1 << 12;
/** Larger ranges void all answers: at once it costs no more, and nothing until there are others. */
const LARGE_RANGE = 2 ** 20;

/**
 * Remembers what frame addresses were found to be, until that changes: {@link forget} voids the answers in a range, and
 * some others. One slot an address, a newer takes the slot of an older.
 *
 * Each answer carries the stamp that its region of the address space had. Voiding a region is giving it another stamp.
 */
export class AddressCache {
  readonly #regions = new Int32Array(REGIONS);
  /** An address, then as two integers its frame and its stamp: one line of the processor's cache. */
  readonly #slots = new Float64Array(2 * SLOTS).fill(-1);
  readonly #integers = new Int32Array(this.#slots.buffer);
  /** Whether any answer may stand. */
  #hasAnswers = false;

  /**
   * The frame that was set for `addresses[index]`; -1 when there is none. Taking the address out of its column
   * here keeps it in a register: handed over as an argument it would be an object on the heap.
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
