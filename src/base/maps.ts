/** Returns the value of a key in a map, which is made if there is none yet. */
export function valueAt<Key, Value>(map: Map<Key, Value>, key: Key, make: () => NoInfer<Value>): Value {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as Value;
  const made = make();
  map.set(key, made);
  return made;
}

/** Adds to the number of a key; of a new one it is 0. */
export function addTo<Key>(sums: Map<Key, number>, key: Key, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount);
}

/** Adds an item to the list of a key; of a new one it is empty. */
export function pushTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [item]);
  else known.push(item);
}

/** Returns items by a key of each, in the order of the first of each. */
export function groupBy<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) pushTo(groups, keyOf(item), item);
  return groups;
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
