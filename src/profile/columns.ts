/** A column of a profile's tables. */
export type Column = Int32Array | Uint8Array | Uint16Array | Float64Array;

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
