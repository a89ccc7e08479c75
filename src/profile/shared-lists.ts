/** Maps lists, each one once: of a large log, hundreds of recorded frames share a list. */
export class SharedLists<From extends object, To> {
  readonly #map: (one: From) => To;
  readonly #lists = new Map<readonly From[], readonly To[]>();
  readonly #single = new Map<From, readonly To[]>();

  constructor(map: (one: From) => To) {
    this.#map = map;
  }

  /** Returns the mapped list, the same for the same list. */
  of(list: readonly From[]): readonly To[] {
    let known = this.#lists.get(list);
    if (known === undefined) {
      known = list.map(this.#map);
      this.#lists.set(list, known);
    }
    return known;
  }

  /** Returns a list of one that is mapped, the same for the same one. */
  ofOne(one: From): readonly To[] {
    let known = this.#single.get(one);
    if (known === undefined) {
      known = [this.#map(one)];
      this.#single.set(one, known);
    }
    return known;
  }
}
