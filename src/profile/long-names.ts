import { Numbers, valueAt } from "../base/maps.js";

/** Names up to this length are cheap to parse and to join for every frame that has them. */
const SHORT = 256;

/** Returns whether a name is so long that it should be processed only once. */
export function isLong(name: string): boolean {
  return name.length > SHORT;
}

/**
 * Makes keys of names: short names stand for themselves, long names get a number. A log can have a name of
 * megabytes once and a thousand frames with it: their keys then cost no more than others.
 */
export class NameKeys {
  readonly #numbers = new Numbers();

  /** Returns the key of a name. Two names have the same key exactly if they are equal. */
  of(name: string): string {
    return isLong(name) ? `#${this.#numbers.of(name)}` : `=${name}`;
  }
}

/** Returns the function with its results for long names cached. */
export function oncePerLongName<Result>(resultOf: (name: string) => Result): (name: string) => Result {
  const results = new Map<string, Result>();
  return (name) => {
    if (!isLong(name)) return resultOf(name);
    return valueAt(results, name, () => resultOf(name));
  };
}
