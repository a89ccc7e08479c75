import { shareColumnKernel } from "./shared-kernel.js";

/** Writes `numbers` of each entry over a column of indexes. Returns the column. */
export function renumber(column: Int32Array, numbers: Int32Array): Int32Array {
  const { length } = column;
  const kernel = shareColumnKernel(length);
  if (kernel === undefined) {
    for (let i = 0; i < length; i++) column[i] = numbers[column[i]!]!;
    return column;
  }
  const offset = kernel.place(column);
  kernel.exports.renumber(length, offset, kernel.place(numbers));
  column.set(kernel.integers(offset, length));
  return column;
}
