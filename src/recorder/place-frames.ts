import { reaching } from "../profile/columns.js";
import { PairNumbers } from "../profile/pair-numbers.js";

/** A set of places in one piece of code: see {@link PlaceFrames}. */
export type PlaceSet = number;

/**
 * The frame numbers of places, which are integers, in sets of them. A set is never emptied: its user begins another
 * one. There can be a set for each piece of code, and most have few places, so all are in one table.
 */
export class PlaceFrames {
  #sets: PlaceSet = 0;
  readonly #places = new PairNumbers();
  /** By number of {@link #places}: 1 + the frame number; 0 if it has none yet. */
  #frames = new Int32Array(64);
  /** By set and place: the frame numbers of places that take more than 32 bits, in code as large as memory. */
  readonly #far = new Map<string, number>();

  /** Returns a new set. */
  open(): PlaceSet {
    return this.#sets++;
  }

  /** Returns the frame number of a place; -1 if it has none. */
  find(set: PlaceSet, place: number): number {
    if ((place | 0) !== place) return this.#far.get(farKey(set, place)) ?? -1;
    const number = this.#places.of(set, place);
    return (this.#frames[number] ?? 0) - 1;
  }

  /** Sets the frame number of a place. */
  add(set: PlaceSet, place: number, frame: number): void {
    if ((place | 0) !== place) {
      this.#far.set(farKey(set, place), frame);
      return;
    }
    const number = this.#places.of(set, place);
    this.#frames = reaching(this.#frames, number);
    this.#frames[number] = frame + 1;
  }
}

function farKey(set: PlaceSet, place: number): string {
  return `${set} ${place}`;
}
