/** Text is taken in pieces of at least this length. */
const PIECE_LENGTH = 1 << 16;
/** The longest number, with room to spare: `-1.7976931348623157e+308`. */
const NUMBER_LENGTH = 32;
const [ZERO, POINT] = [0x30, 0x2e];
const BILLION = 1e9;
/** From this number of thousandths on, the shortest text of a number is not always the exact one. */
const EXACT = 1e15;

/** Builds text that is mostly numbers, as bytes: far faster than by joining strings. All of it must be ASCII. */
export class AsciiText {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #length = 0;

  /** Whether it is time to {@link take} the text. */
  get isFull(): boolean {
    return this.#length >= PIECE_LENGTH;
  }

  /** Returns what was written since the last call. */
  take(): string {
    const text = this.#bytes.toString("latin1", 0, this.#length);
    this.#length = 0;
    return text;
  }

  /** Writes an ASCII character. */
  character(code: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = code;
  }

  text(ascii: string): void {
    this.#reserve(ascii.length);
    for (let i = 0; i < ascii.length; i++) this.#bytes[this.#length++] = ascii.charCodeAt(i);
  }

  /** Writes a number as JavaScript does; integers are fast. */
  number(value: number): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER && Number.isInteger(value)) this.#integer(value);
    else this.text(String(value));
  }

  /** Writes `value / 1000` as JavaScript does; it is fast for integers. */
  thousandths(value: number): void {
    if (!(value >= 0 && value < EXACT && Number.isInteger(value))) {
      this.text(String(value / 1000));
      return;
    }
    const whole = Math.floor(value / 1000);
    this.#integer(whole);
    let rest = value - whole * 1000;
    if (rest === 0) return;
    let digits = 3;
    for (; rest % 10 === 0; rest /= 10) digits--;
    this.#reserve(NUMBER_LENGTH);
    this.#bytes[this.#length++] = POINT;
    this.#digits(rest, digits);
  }

  /** Writes an integer from 0 to 2^53. */
  #integer(value: number): void {
    this.#reserve(NUMBER_LENGTH);
    if (value < BILLION) {
      this.#digits(value, digitsOf(value));
      return;
    }
    const billions = Math.floor(value / BILLION);
    this.#digits(billions, digitsOf(billions));
    this.#digits(value - billions * BILLION, 9);
  }

  /** Writes the last digits of an integer below a billion. */
  #digits(value: number, count: number): void {
    const bytes = this.#bytes;
    let rest = value | 0;
    let at = this.#length + count;
    this.#length = at;
    for (let left = count; left > 0; left--) {
      const next = (rest / 10) | 0;
      bytes[--at] = ZERO + rest - next * 10;
      rest = next;
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const wide = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    wide.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = wide;
  }
}

/** Returns the number of digits of an integer below a billion. */
function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4;
  if (value < 1e6) return value < 1e5 ? 5 : 6;
  return value < 1e8 ? (value < 1e7 ? 7 : 8) : 9;
}

/** Entries of a list are passed on in pieces of about this length. */
const LIST_PIECE = 1 << 12;

/** Writes a JSON list of values that are JSON already, separated by a comma and `separator`. */
export function* jsonList(values: Iterable<string | number>, separator = ""): Iterable<string> {
  let piece = "[";
  let isFirst = true;
  for (const value of values) {
    piece += isFirst ? value : `,${separator}${value}`;
    isFirst = false;
    if (piece.length < LIST_PIECE) continue;
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
