/** Up to this many symbols at one address are sorted by insertion, which is cheaper to set up. */
const FEW = 12;
/** From this many values on, a radix sort pays off. */
const MANY = 4096;
/** Few enough digits for the counters to stay in the processor's cache. 64 MB of code take two digits. */
const DIGIT_BITS = 13;
/** Up to this many sorted tables, one after the other, are merged. */
const FEW_RUNS = 4;
/**
 * Bytes of names that may be compared for one table. The names at one address of a large library add up to
 * some megabytes, but a crafted file can have millions that differ only at the end.
 */
const COMPARISON_LIMIT = 2 ** 29;

/** Sorts symbols with the same address as `nm -n` does under `LC_ALL=C`: by the bytes of their names. */
export class NameOrder {
  readonly #nameOffset: (symbol: number) => number;
  readonly #strings: Buffer;
  #room = COMPARISON_LIMIT;

  /** `nameOffset` returns the offset of a symbol's name in `strings`, where it ends at a NUL. */
  constructor(nameOffset: (symbol: number) => number, strings: Buffer) {
    this.#nameOffset = nameOffset;
    this.#strings = strings;
  }

  /** Sorts `[from, to)` of `symbols` by name; symbols with the same name by number. */
  sort(symbols: Uint32Array, from: number, to: number): void {
    const compare = (a: number, b: number) => this.#compare(a, b);
    if (to - from > FEW) symbols.subarray(from, to).sort(compare);
    else insertInOrder(symbols, from, to, compare);
  }

  #compare(a: number, b: number): number {
    const strings = this.#strings;
    let x = this.#nameOffset(a);
    let y = this.#nameOffset(b);
    while (x !== y && this.#room-- > 0) {
      const difference = (strings[x++] ?? 0) - (strings[y++] ?? 0);
      if (difference !== 0) return difference;
      if ((strings[x - 1] ?? 0) === 0) break;
    }
    return a - b;
  }
}

/**
 * Returns the indices of `values` in the order in which `nm -n` prints symbols: by value, then as `names`
 * sorts them.
 *
 * Source: binutils, binutils/nm.c, `numeric_forward`.
 */
export function symbolOrder(values: Float64Array, names: NameOrder): Uint32Array {
  const order = orderByValue(values);
  for (let from = 0; from < order.length; from++) {
    const value = values[order[from]!]!;
    if (values[order[from + 1]!] !== value) continue;
    let to = from + 2;
    while (values[order[to]!] === value) to++;
    names.sort(order, from, to);
    from = to - 1;
  }
  return order;
}

/** Returns the indices of `values` by ascending value. The sort is stable. */
export function orderByValue(values: Float64Array): Uint32Array {
  const { length } = values;
  const { low, high, runs } = surveyOf(values);
  if (length < MANY || high - low >= 2 ** 32 || runs !== undefined) {
    const order = new Uint32Array(length);
    for (let i = 0; i < length; i++) order[i] = i;
    if (runs !== undefined) return mergeRuns(order, values, runs);
    return order.sort((a, b) => values[a]! - values[b]! || a - b);
  }
  // The code of one file spans less than 4 GB, so a radix sort works. It is ten times faster than a callback.
  let source = { keys: new Uint32Array(length), order: new Uint32Array(length) };
  let target = { keys: new Uint32Array(length), order: new Uint32Array(length) };
  for (let i = 0; i < length; i++) {
    source.keys[i] = values[i]! - low;
    source.order[i] = i;
  }
  const bits = Math.ceil(Math.log2(high - low + 1));
  for (let shift = 0; shift < bits; shift += DIGIT_BITS) {
    sortByDigit(source, target, shift);
    [source, target] = [target, source];
  }
  return source.order;
}

/** Numbers with their keys. */
interface Keyed {
  readonly keys: Uint32Array;
  readonly order: Uint32Array;
}

/** Copies `source` to `target`, sorted by one digit of each key. The sort is stable. */
function sortByDigit(source: Keyed, target: Keyed, shift: number): void {
  const { keys, order } = source;
  const { keys: sortedKeys, order: sorted } = target;
  const ends = new Uint32Array(2 ** DIGIT_BITS + 1);
  const mask = 2 ** DIGIT_BITS - 1;
  for (let i = 0; i < keys.length; i++) ends[((keys[i]! >>> shift) & mask) + 1]!++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit]! += ends[digit - 1]!;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const at = ends[(key >>> shift) & mask]!++;
    sortedKeys[at] = key;
    sorted[at] = order[i]!;
  }
}

interface Survey {
  readonly low: number;
  readonly high: number;
  /** Start of each ascending run, and the end of the last one; undefined if there are too many. */
  readonly runs: number[] | undefined;
}

function surveyOf(values: Float64Array): Survey {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let before = 0;
  const runs = [0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value < before && runs.length <= FEW_RUNS) runs.push(i);
    if (value < low) low = value;
    if (value > high) high = value;
    before = value;
  }
  return { low, high, runs: runs.length <= FEW_RUNS ? [...runs, values.length] : undefined };
}

/** Merges the runs of `order`. The sort is stable. */
function mergeRuns(order: Uint32Array, values: Float64Array, runs: readonly number[]): Uint32Array {
  const left = new Uint32Array(order.length);
  for (let run = 1; run + 1 < runs.length; run++) {
    const [start, end] = [runs[run]!, runs[run + 1]!];
    left.set(order.subarray(0, start));
    let [a, b, at] = [0, start, 0];
    while (a < start && b < end) {
      order[at++] = values[order[b]!]! < values[left[a]!]! ? order[b++]! : left[a++]!;
    }
    while (a < start) order[at++] = left[a++]!;
  }
  return order;
}

function insertInOrder(
  order: Uint32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
  for (let i = from + 1; i < to; i++) {
    const symbol = order[i]!;
    let at = i;
    for (; at > from && compare(order[at - 1]!, symbol) > 0; at--) order[at] = order[at - 1]!;
    order[at] = symbol;
  }
}
