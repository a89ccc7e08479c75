/** What the tables of a profile are made of. */
export type Column = Int32Array | Uint8Array | Uint16Array | Float64Array;

/** A longer copy of a column, zero past its old end. */
export function widened<C extends Column>(column: C, capacity: number): C {
  const wide = new (column.constructor as new (length: number) => C)(capacity);
  wide.set(column);
  return wide;
}

/** The column itself, or a longer copy that has an entry at `index`: twice as long, again and again. */
export function reaching<C extends Column>(column: C, index: number): C {
  let capacity = column.length;
  while (capacity <= index) capacity *= 2;
  return capacity === column.length ? column : widened(column, capacity);
}
