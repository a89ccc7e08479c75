/** Entries of a list are passed on in pieces of about this length. */
const PIECE_LENGTH = 1 << 12;

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

/** Writes the first `length` entries of a column as a JSON list. */
export function jsonColumn(
  length: number,
  entryAt: (index: number) => string | number | null,
): Iterable<string> {
  const entries = function* () {
    for (let i = 0; i < length; i++) yield entryAt(i) ?? "null";
  };
  return jsonList(entries());
}
