/** Names up to this length are cheap to read and to put together again for every frame that has them. */
const SHORT = 256;

/** Whether a name is so long that it is better read once than again and again. */
export function isLong(name: string): boolean {
  return name.length > SHORT;
}

/**
 * What stands for names in keys: short ones for themselves, long ones for a number. A log can have a name of megabytes
 * once and a thousand frames of it: their keys then cost no more than others.
 */
export class NameKeys {
  readonly #numbers = new Map<string, number>();

  /** Two names have one key exactly when they are equal. */
  of(name: string): string {
    if (!isLong(name)) return `=${name}`;
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(name, number);
    }
    return `#${number}`;
  }
}

/** The same function, which is asked only once about each long name. */
export function oncePerLongName<Result>(resultOf: (name: string) => Result): (name: string) => Result {
  const results = new Map<string, Result>();
  return (name) => {
    if (!isLong(name)) return resultOf(name);
    let result = results.get(name);
    if (result === undefined) {
      result = resultOf(name);
      results.set(name, result);
    }
    return result;
  };
}
