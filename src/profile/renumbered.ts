/** Writes `numbers` of each entry over a column of indexes. Returns the column. */
export function renumber(column: Int32Array, numbers: Int32Array): Int32Array {
  for (let i = 0; i < column.length; i++) column[i] = numbers[column[i]!]!;
  return column;
}
