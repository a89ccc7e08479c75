import type { ColumnChunk, PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { DamagedTable } from "./damaged-table.js";
import { structEnd } from "./thrift-bounds.js";

/** A column of a row group. */
export interface TableColumn {
  /** By row: an index into `values`, -1 for null; or the number itself, if there are no values. */
  readonly numbers: Int32Array | Float64Array;
  readonly values: readonly (string | number)[] | undefined;
}

/** What is known of a column before its bytes are read. */
export interface ColumnFacts {
  readonly name: string;
  readonly type: "BYTE_ARRAY" | "INT32" | "INT64" | "BOOLEAN";
  readonly isNullable: boolean;
  readonly rows: number;
}

/** Snappy makes at most 64 bytes of 3. */
const MOST_UNPACKED = 22;

/** Reads the chunk of a column: a dictionary page, if it has one, and one data page. */
export function readTableColumn(
  bytes: Uint8Array,
  { meta_data }: Pick<ColumnChunk, "meta_data">,
  facts: ColumnFacts,
): TableColumn {
  if (meta_data?.codec !== "SNAPPY") throw new DamagedTable("a column is not compressed as ticks does");
  const first = readPage(bytes, 0);
  if (first.header.type !== "DICTIONARY_PAGE") return readDataPage(first, undefined, facts);
  const { header, body, end } = first;
  const plain = unpacked(body, header.uncompressed_page_size);
  const values = plainValues(plain, header.dictionary_page_header?.num_values ?? 0, facts);
  return readDataPage(readPage(bytes, end), values, facts);
}

interface Page {
  readonly header: PageHeader;
  readonly body: Uint8Array;
  readonly end: number;
}

function readPage(bytes: Uint8Array, start: number): Page {
  const headEnd = structEnd(bytes, start);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = parquetHeader({ view, offset: start });
  const length = header.compressed_page_size;
  if (!(Number.isInteger(length) && length >= 0 && length <= bytes.length - headEnd))
    throw new DamagedTable("a page is cut short");
  const end = headEnd + length;
  return { header, body: bytes.subarray(headEnd, end), end };
}

function unpacked(packed: Uint8Array, length: number): Uint8Array {
  if (!(Number.isInteger(length) && length >= 0 && length <= MOST_UNPACKED * packed.length))
    throw new DamagedTable("a page claims to be longer than it can be");
  const bytes = new Uint8Array(length);
  if (length === 0) return bytes;
  try {
    snappyUncompress(packed, bytes);
  } catch {
    throw new DamagedTable("a page cannot be decompressed");
  }
  return bytes;
}

function plainValues(bytes: Uint8Array, count: number, { type }: ColumnFacts): readonly (string | number)[] {
  if (!(Number.isInteger(count) && count >= 0 && count <= bytes.length / 4))
    throw new DamagedTable("a dictionary is cut short");
  const reader = new ByteReader(bytes);
  return Array.from({ length: count }, () => plainValue(reader, type));
}

function plainValue(reader: ByteReader, type: ColumnFacts["type"]): string | number {
  switch (type) {
    case "BYTE_ARRAY":
      return Buffer.from(reader.bytes(reader.int32())).toString();
    case "INT32":
      return reader.int32() | 0;
    case "INT64":
      return reader.int64();
    case "BOOLEAN":
      throw new DamagedTable("a column of booleans has a dictionary");
  }
}

function readDataPage(
  { header, body }: Page,
  values: readonly (string | number)[] | undefined,
  { rows, isNullable, type }: ColumnFacts,
): TableColumn {
  const page = header.data_page_header_v2;
  if (header.type !== "DATA_PAGE_V2" || page === undefined || page.num_values !== rows)
    throw new DamagedTable("a column has pages that ticks does not write");
  const reader = new ByteReader(body);
  const levels = new ByteReader(reader.bytes(page.definition_levels_byte_length));
  const isPresent = isNullable ? readHybrid(levels, rows, 1) : undefined;
  const present = isPresent === undefined ? rows : isPresent.reduce((sum, level) => sum + level, 0);
  const packed = reader.bytes(reader.left);
  const length = header.uncompressed_page_size - page.definition_levels_byte_length;
  const numbers = readNumbers(new ByteReader(unpacked(packed, length)), present, {
    encoding: page.encoding,
    type,
    size: values?.length,
  });
  return { numbers: spread(numbers, isPresent), values };
}

interface NumbersFacts {
  readonly encoding: string;
  readonly type: ColumnFacts["type"];
  /** That of the dictionary; undefined if there is none. */
  readonly size: number | undefined;
}

function readNumbers(
  reader: ByteReader,
  count: number,
  { encoding, type, size }: NumbersFacts,
): Int32Array | Float64Array {
  if (encoding === "RLE_DICTIONARY" && size !== undefined) {
    const width = reader.byte();
    const numbers = readHybrid(reader, count, width);
    if (numbers.some((number) => number >= size))
      throw new DamagedTable("a column has a value that is missing");
    return numbers;
  }
  if (encoding === "DELTA_BINARY_PACKED" && size === undefined && type !== "BYTE_ARRAY")
    return readDeltas(reader, count);
  if (encoding === "RLE" && type === "BOOLEAN") {
    reader.int32(); // Its length, which is that of the page.
    return readHybrid(reader, count, 1);
  }
  throw new DamagedTable("a column is not encoded as ticks does");
}

/** Returns numbers by row; -1 for null. */
function spread(
  numbers: Int32Array | Float64Array,
  isPresent: Int32Array | undefined,
): Int32Array | Float64Array {
  if (isPresent === undefined || numbers.length === isPresent.length) return numbers;
  let next = 0;
  return Int32Array.from(isPresent, (level) => (level === 1 ? numbers[next++]! : -1));
}

/** The most bits of a packed number: those that the exporter writes. */
const WIDEST = 24;
/** The most bits of a packed difference. */
const WIDEST_DELTA = 53;
/** The sizes of blocks that the exporter writes. */
const BLOCK = 128;
const MINIBLOCKS = 4;
const MINIBLOCK = BLOCK / MINIBLOCKS;

/** Bytes that are read from their start to their end. */
class ByteReader {
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
function readHybrid(reader: ByteReader, length: number, width: number): Int32Array {
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
function readDeltas(reader: ByteReader, length: number): Float64Array {
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
