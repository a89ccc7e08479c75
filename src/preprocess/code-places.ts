import type { Address } from "../profile/units.js";

/** The code of a place that lies in no code of the log. */
export const NO_CODE = -1;

/**
 * Numbers the places that stacks lead to: a code of the log and an offset in it, or an address that no code of
 * the log covers. Equal places get one number; numbers count up from 0.
 */
export class PlaceTable {
  length = 0;
  /** The number of the code; {@link NO_CODE} outside all code. Only the first `length` entries count. */
  code = new Int32Array(256);
  /** The offset in the code, in bytes; the {@link Address} itself where there is no code. */
  value = new Float64Array(256);
  readonly #byAddress = new Map<Address, number>();
  /** By code: the places in it by offset. */
  readonly #byOffset: (Map<number, number> | undefined)[] = [];

  /** The place at an offset in a code. */
  inCode(code: number, offset: number): number {
    let places = this.#byOffset[code];
    if (places === undefined) {
      places = new Map();
      this.#byOffset[code] = places;
    }
    return this.#intern(places, code, offset);
  }

  /** The place at an address that no code covers. */
  outside(address: Address): number {
    return this.#intern(this.#byAddress, NO_CODE, address);
  }

  #intern(places: Map<number, number>, code: number, value: number): number {
    const known = places.get(value);
    if (known !== undefined) return known;
    if (this.length === this.code.length) this.#grow();
    const place = this.length++;
    this.code[place] = code;
    this.value[place] = value;
    places.set(value, place);
    return place;
  }

  #grow(): void {
    const code = new Int32Array(this.length * 2);
    code.set(this.code);
    this.code = code;
    const value = new Float64Array(this.length * 2);
    value.set(this.value);
    this.value = value;
  }
}
