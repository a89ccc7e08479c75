import type { Address } from "../profile/units.js";

/** The code of a location that is in no code of the log. */
export const NO_CODE = -1;

/**
 * Numbers the locations in stacks: a code of the log and an offset in it, or an address that no code of the
 * log covers. Equal locations get one number; numbers count up from 0.
 */
export class LocationTable {
  length = 0;
  /** The number of the code; {@link NO_CODE} outside all code. Only the first `length` entries count. */
  code = new Int32Array(256);
  /** The offset in the code, in bytes; the {@link Address} itself outside all code. */
  value = new Float64Array(256);
  /** Outside all code: the index of its library, once its run has ended; -1 for none. */
  library = new Int32Array(256).fill(-1);
  readonly #byAddress = new Map<Address, number>();
  /** By code: its locations by offset. */
  readonly #byOffset: (Map<number, number> | undefined)[] = [];

  /** Returns the location at an offset in a code. */
  inCode(code: number, offset: number): number {
    let locations = this.#byOffset[code];
    if (locations === undefined) {
      locations = new Map();
      this.#byOffset[code] = locations;
    }
    return this.#intern(locations, code, offset);
  }

  /** Returns the location at an address that no code covers. */
  outside(address: Address): number {
    return this.#intern(this.#byAddress, NO_CODE, address);
  }

  /** Forgets the addresses outside all code: another run has others there. */
  beginRun(): void {
    this.#byAddress.clear();
  }

  #intern(locations: Map<number, number>, code: number, value: number): number {
    const known = locations.get(value);
    if (known !== undefined) return known;
    if (this.length === this.code.length) this.#grow();
    const location = this.length++;
    this.code[location] = code;
    this.value[location] = value;
    locations.set(value, location);
    return location;
  }

  #grow(): void {
    const code = new Int32Array(this.length * 2);
    code.set(this.code);
    this.code = code;
    const value = new Float64Array(this.length * 2);
    value.set(this.value);
    this.value = value;
    const library = new Int32Array(this.length * 2).fill(-1);
    library.set(this.library);
    this.library = library;
  }
}
