import { AsciiText } from "./ascii-text.js";

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

const [OPEN, CLOSE, COMMA] = [0x5b, 0x5d, 0x2c];

/**
 * Writes entries of batches as a JSON list: `write` writes that of an index of a batch, in ASCII. An entry is followed
 * by a comma and `separator`.
 */
export function* jsonNumbers<Batch extends { readonly length: number }>(
  batches: Iterable<Batch>,
  write: (text: AsciiText, batch: Batch, index: number) => void,
  separator = "",
): Iterable<string> {
  const text = new AsciiText();
  text.character(OPEN);
  let isFirst = true;
  for (const batch of batches) {
    for (let i = 0; i < batch.length; i++) {
      if (!isFirst) {
        text.character(COMMA);
        if (separator !== "") text.text(separator);
      }
      isFirst = false;
      write(text, batch, i);
      if (text.isFull) yield text.take();
    }
  }
  text.character(CLOSE);
  yield text.take();
}

/** Writes the first `length` entries of a column as a JSON list. Texts are JSON in ASCII. */
export function jsonColumn(
  length: number,
  entryAt: (index: number) => string | number | null,
): Iterable<string> {
  return jsonNumbers([{ length }], (text, _, i) => {
    const entry = entryAt(i);
    if (typeof entry === "number") text.number(entry);
    else text.text(entry ?? "null");
  });
}
