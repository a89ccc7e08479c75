/** Returns the index of the first of ascending numbers that is at least `limit`, of those in `[from, to)`; `to` if none is. */
export function lowerBound(
  numbers: ArrayLike<number>,
  limit: number,
  from = 0,
  to: number = numbers.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the index of the first of ascending numbers that is above `limit`, of those in `[from, to)`; `to` if none is. */
export function upperBound(
  numbers: ArrayLike<number>,
  limit: number,
  from = 0,
  to: number = numbers.length,
): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the first index below `length` for which `isBefore` is false; `length` if none is. It is true for the ones before. */
export function partitionPoint(length: number, isBefore: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares by UTF-16 units, independent of the locale. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
