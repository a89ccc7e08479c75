/** Returns the value of a key in a map, which is made if there is none yet. */
export function valueAt<Key, Value>(map: Map<Key, Value>, key: Key, make: () => NoInfer<Value>): Value {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as Value;
  const made = make();
  map.set(key, made);
  return made;
}

/** Numbers keys from 0, each once, in the order in which they come. */
export class Numbers<Key = string> {
  readonly #numbers = new Map<Key, number>();

  /** `keys` have the first numbers. */
  constructor(keys: Iterable<Key> = []) {
    for (const key of keys) this.of(key);
  }

  /** Returns the number of a key, a new one if it was not seen. */
  of(key: Key): number {
    return valueAt(this.#numbers, key, () => this.#numbers.size);
  }

  /** All keys, by their numbers. */
  get keys(): Key[] {
    return Array.from(this.#numbers.keys());
  }
}
