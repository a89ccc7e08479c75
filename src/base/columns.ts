/** A column of a profile's tables. */
export type Column = Int32Array | Uint32Array | Uint8Array | Uint16Array | Float64Array;

/**
 * Returns a column with a number for each item of a list, as `Uint8Array.from` and the like do. These make an object for each
 * item and take two to three times as long.
 */
export function columnOf<C extends Column, T>(
  type: new (length: number) => C,
  list: ArrayLike<T>,
  numberOf: (item: T, index: number) => number,
): C {
  const column = new type(list.length);
  for (let i = 0; i < list.length; i++) column[i] = numberOf(list[i]!, i);
  return column;
}

/** Returns a column with 1 for each item of a list that `isMarked`, and 0 for the others. */
export function marksOf<T>(list: ArrayLike<T>, isMarked: (item: T, index: number) => boolean): Uint8Array {
  return columnOf(Uint8Array, list, (item, i) => (isMarked(item, i) ? 1 : 0));
}

/** Returns a longer copy of a column; the new entries are 0. */
export function widened<C extends Column>(column: C, capacity: number): C {
  const wide = new (column.constructor as new (length: number) => C)(capacity);
  wide.set(column);
  return wide;
}

/** Returns the column if it has an entry at `index`, else a copy whose length is doubled until it has. */
export function reaching<C extends Column>(column: C, index: number): C {
  let capacity = column.length;
  while (capacity <= index) capacity *= 2;
  return capacity === column.length ? column : widened(column, capacity);
}

/** Returns the first entries of a column: in memory of their own if most of the column is not needed any more. */
export function firstOf<C extends Column>(column: C, length: number): C {
  return (length * 2 < column.length ? column.slice(0, length) : column.subarray(0, length)) as C;
}
