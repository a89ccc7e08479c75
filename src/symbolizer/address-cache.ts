import type { Address } from "../profile/units.js";

/** A power of two; 16,384 slots are 256 KiB and hold the working set of any program tried. */
const SLOTS = 1 << 14;

/**
 * Remembers what frame an address was found to be, for as long as the code map stands: each answer carries
 * the generation that it was found in. One slot an address; a newer address takes the slot of an older.
 */
export class AddressCache {
  readonly #addresses = new Float64Array(SLOTS).fill(-1);
  readonly #frames = new Int32Array(SLOTS);
  readonly #generations = new Int32Array(SLOTS);

  /** The frame that was set for an address in this generation; -1 when there is none. */
  get(address: Address, generation: number): number {
    const slot = slotOf(address);
    return this.#addresses[slot] === address && this.#generations[slot] === generation
      ? this.#frames[slot]!
      : -1;
  }

  set(address: Address, generation: number, frame: number): void {
    const slot = slotOf(address);
    this.#addresses[slot] = address;
    this.#generations[slot] = generation;
    this.#frames[slot] = frame;
  }
}

function slotOf(address: Address): number {
  const low = address | 0;
  return (low ^ (low >>> 14)) & (SLOTS - 1);
}
