/** A number of a message: one that a double cannot hold is a big one. */
export type Varint = number | bigint;

/** Takes the fields of a protobuf message: numbers, and the bytes of everything else. */
interface FieldTaker {
  readonly number?: (field: number, value: Varint) => void;
  readonly bytes?: (field: number, bytes: Uint8Array) => void;
}

/** A message ends inside a field, or has one of a wire type that is none. */
export class DamagedMessage extends Error {}

/** From here on, adding 7 bits is not exact in a double. */
const EXACT = 2 ** 46;
const MOST_BYTES = 10;

/** Reads numbers and fields one after the other. Bytes are not copied. */
class MessageReader {
  readonly #bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** Returns the next number, as a signed one of 64 bits. */
  varint(): Varint {
    const start = this.at;
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
      if (factor > EXACT) return this.#large(start);
    }
  }

  #large(start: number): Varint {
    this.at = start;
    let value = 0n;
    for (let i = 0n; i < MOST_BYTES; i++) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << (7n * i);
      if (byte >= 0x80) continue;
      const signed = BigInt.asIntN(64, value);
      const number = Number(signed);
      return Number.isSafeInteger(number) ? number : signed;
    }
    throw new DamagedMessage("a number is too long");
  }

  #byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new DamagedMessage("it ends inside a number");
    return byte;
  }

  take(length: number): Uint8Array {
    const end = this.at + length;
    if (!(end <= this.#bytes.length)) throw new DamagedMessage("it ends inside a field");
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }
}

function skip(): void {}

/** Reads the fields of a message in their order. Throws a {@link DamagedMessage} for something else. */
export function readMessage(bytes: Uint8Array, { number = skip, bytes: take = skip }: FieldTaker): void {
  const reader = new MessageReader(bytes);
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const field = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        number(field, reader.varint());
        break;
      case 1:
        reader.take(8);
        break;
      case 2:
        take(field, reader.take(Number(reader.varint())));
        break;
      case 5:
        reader.take(4);
        break;
      default:
        throw new DamagedMessage("a field has no known type");
    }
  }
}

/** Returns the last number that a message has in each of some fields; 0 for none. */
export function numbersIn<const Fields extends readonly number[]>(
  bytes: Uint8Array,
  ...fields: Fields
): { -readonly [Key in keyof Fields]: Varint } {
  const found: Varint[] = fields.map(() => 0);
  readMessage(bytes, {
    number: (field, value) => {
      const at = fields.indexOf(field);
      if (at >= 0) found[at] = value;
    },
  });
  return found as { -readonly [Key in keyof Fields]: Varint };
}

/** Calls `take` with each of the numbers that follow each other in a field. */
export function readNumbers(bytes: Uint8Array, take: (value: Varint) => void): void {
  const reader = new MessageReader(bytes);
  while (!reader.isAtEnd) take(reader.varint());
}
