/** Up to so many symbols at one address are put in order by insertion; a sort costs more to set up. */
const FEW = 12;
/** From so many values on the 65,536 counters of a radix sort pay. */
const MANY = 4096;
/**
 * Bytes of names that may be compared for one table. The names at one address of a large library come to some
 * megabytes; a file made to cost time can have millions that differ only at their far ends.
 */
const COMPARISON_LIMIT = 2 ** 29;

/**
 * The order in which `nm -n` prints symbols under `LC_ALL=C`: by value, then by the bytes of the name, then as in
 * the table. `nameOffset` is where the name of a symbol starts in `strings`, up to its NUL.
 *
 * Source: binutils, binutils/nm.c, `numeric_forward`.
 */
export function symbolOrder(
  values: Float64Array,
  nameOffset: (symbol: number) => number,
  strings: Buffer,
): Uint32Array {
  const order = orderByValue(values);
  let room = COMPARISON_LIMIT;
  const compare = (a: number, b: number): number => {
    let x = nameOffset(a);
    let y = nameOffset(b);
    while (x !== y && room-- > 0) {
      const difference = (strings[x++] ?? 0) - (strings[y++] ?? 0);
      if (difference !== 0) return difference;
      if ((strings[x - 1] ?? 0) === 0) break;
    }
    return a - b;
  };
  for (let from = 0; from < order.length; from++) {
    const value = values[order[from]!]!;
    if (values[order[from + 1]!] !== value) continue;
    let to = from + 2;
    while (values[order[to]!] === value) to++;
    if (to - from > FEW) order.subarray(from, to).sort(compare);
    else insertInOrder(order, from, to, compare);
    from = to - 1;
  }
  return order;
}

/** The indices of `values` by ascending value; of equal values the first comes first. */
export function orderByValue(values: Float64Array): Uint32Array {
  const { length } = values;
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (let i = 0; i < length; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  let order = new Uint32Array(length);
  for (let i = 0; i < length; i++) order[i] = i;
  if (length < MANY || high - low >= 2 ** 32) {
    return order.sort((a, b) => values[a]! - values[b]! || a - b);
  }
  // The code of one file spans less than 4 GB: two rounds of a radix sort, ten times faster than a callback.
  const keys = new Uint32Array(length);
  for (let i = 0; i < length; i++) keys[i] = values[i]! - low;
  let target = new Uint32Array(length);
  for (const shift of [0, 16]) {
    sortByDigit(keys, shift, order, target);
    [order, target] = [target, order];
  }
  return order;
}

/** Copies `order` to `target`, ascending by 16 bits of each key and otherwise as it was. */
function sortByDigit(keys: Uint32Array, shift: number, order: Uint32Array, target: Uint32Array): void {
  const ends = new Uint32Array(0x10001);
  for (let i = 0; i < keys.length; i++) ends[((keys[i]! >>> shift) & 0xffff) + 1]!++;
  for (let digit = 1; digit < ends.length; digit++) ends[digit]! += ends[digit - 1]!;
  for (let i = 0; i < order.length; i++) target[ends[(keys[order[i]!]! >>> shift) & 0xffff]!++] = order[i]!;
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
