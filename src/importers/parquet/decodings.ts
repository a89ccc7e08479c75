import { DamagedTable } from "./damaged-table.js";

/** The most bits of a packed number: those that the exporter writes. */
const WIDEST = 24;
/** The most bits of a packed difference. */
const WIDEST_DELTA = 53;
/** The sizes of blocks that the exporter writes. */
const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Bytes that are read from their start to their end. */
export class ByteReader {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  byte(): number {
    const value = this.#bytes[this.at++];
    if (value === undefined) throw new DamagedTable("a column is cut short");
    return value;
  }

  bytes(count: number): Uint8Array {
    if (!(Number.isInteger(count) && count >= 0 && count <= this.left))
      throw new DamagedTable("a column is cut short");
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** Reads an integer of 32 bits without a sign. */
  int32(): number {
    const [a, b, c, d] = [this.byte(), this.byte(), this.byte(), this.byte()];
    return ((a | (b << 8) | (c << 16)) >>> 0) + d * 2 ** 24;
  }

  /** Reads an integer of 64 bits with a sign. Throws if it has more than 53. */
  int64(): number {
    const [low, high] = [this.int32(), this.int32() | 0];
    return exact(high * 2 ** 32 + low);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const part = this.byte();
      value = exact(value + (part & 0x7f) * factor);
      if (part < 0x80) return value;
    }
  }

  /** Reads a varint of twice a number, with its sign in the last bit. */
  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new DamagedTable("a column has a number of more than 53 bits");
  return value;
}

/**
 * Reads numbers of up to 24 bits from Parquet's hybrid of run lengths and packed bits.
 *
 * Source: Apache Parquet, Encodings.md, "Run Length Encoding / Bit-Packing Hybrid".
 */
export function readHybrid(reader: ByteReader, length: number, width: number): Int32Array {
  if (width > WIDEST) throw new DamagedTable(`a column has numbers of ${width} bits`);
  const values = new Int32Array(length);
  for (let i = 0; i < length; ) {
    const head = reader.varint();
    const count = Math.floor(head / 2);
    if (count === 0) throw new DamagedTable("a column has an empty run");
    if (head % 2 === 1) {
      const packed = reader.bytes(count * width);
      const end = Math.min(length, i + count * 8);
      unpackBits(packed, width, values.subarray(i, end));
      i = end;
      continue;
    }
    if (count > length - i) throw new DamagedTable("a column has more values than rows");
    let value = 0;
    for (let shift = 0; shift < width; shift += 8) value |= reader.byte() << shift;
    values.fill(value, i, i + count);
    i += count;
  }
  return values;
}

function unpackBits(packed: Uint8Array, width: number, values: Int32Array): void {
  const mask = (1 << width) - 1;
  let [at, bits, pending] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    while (bits < width) {
      pending |= packed[at++]! << bits;
      bits += 8;
    }
    values[i] = pending & mask;
    pending >>>= width;
    bits -= width;
  }
}

/**
 * Reads integers of up to 53 bits from differences with packed bits.
 *
 * Source: Apache Parquet, Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED)".
 */
export function readDeltas(reader: ByteReader, length: number): Float64Array {
  const [block, miniblocks, count] = [reader.varint(), reader.varint(), reader.varint()];
  if (block !== BLOCK || miniblocks !== MINIBLOCKS || count !== length)
    throw new DamagedTable("a column has blocks that ticks does not write");
  const values = new Float64Array(length);
  let value = reader.zigzag();
  if (length > 0) values[0] = value;
  for (let start = 1; start < length; start += BLOCK) {
    const least = reader.zigzag();
    const widths = reader.bytes(MINIBLOCKS);
    for (let i = 0; i < MINIBLOCKS; i++) {
      const from = start + i * MINIBLOCK;
      // A miniblock without values has no bytes.
      if (from >= length) break;
      const deltas = unpackWide(reader, widths[i]!);
      const end = Math.min(length, from + MINIBLOCK);
      for (let row = from; row < end; row++) {
        value = exact(value + least + deltas[row - from]!);
        values[row] = value;
      }
    }
  }
  return values;
}

function unpackWide(reader: ByteReader, width: number): Float64Array {
  if (width > WIDEST_DELTA) throw new DamagedTable(`a column has differences of ${width} bits`);
  const packed = reader.bytes((MINIBLOCK * width) / 8);
  const values = new Float64Array(MINIBLOCK);
  let [at, bit] = [0, 0];
  for (let i = 0; i < MINIBLOCK; i++) {
    let factor = 1;
    for (let left = width; left > 0; ) {
      const taken = Math.min(8 - bit, left);
      values[i]! += ((packed[at]! >> bit) & ((1 << taken) - 1)) * factor;
      factor *= 2 ** taken;
      left -= taken;
      bit += taken;
      if (bit === 8) [at, bit] = [at + 1, 0];
    }
  }
  return values;
}
