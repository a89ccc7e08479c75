/** Text is passed on in pieces of about this length. */
const PIECE_LENGTH = 1 << 16;

/** Writes a JSON list of values that are JSON already, separated by a comma and `separator`. */
export function* jsonList(values: Iterable<string | number>, separator = ""): Iterable<string> {
  let piece = "[";
  let isFirst = true;
  for (const value of values) {
    piece += isFirst ? value : `,${separator}${value}`;
    isFirst = false;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]`;
}

/** Writes entries of batches, which are JSON already, as a JSON list: `entryAt` returns that of an index of a batch. */
export function* jsonNumbers<Batch extends { readonly length: number }>(
  batches: Iterable<Batch>,
  entryAt: (batch: Batch, index: number) => string | number | null,
): Iterable<string> {
  let piece = "[";
  let comma = "";
  for (const batch of batches) {
    for (let i = 0; i < batch.length; i++) {
      piece += comma;
      piece += entryAt(batch, i);
      comma = ",";
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = "";
    }
  }
  yield `${piece}]`;
}

/** Writes the first `length` entries of a column as a JSON list. Texts are JSON already. */
export function jsonColumn(
  length: number,
  entryAt: (index: number) => string | number | null,
): Iterable<string> {
  return jsonNumbers([{ length }], (_, i) => entryAt(i));
}
