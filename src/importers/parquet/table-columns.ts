import type { ColumnChunk, PageHeader } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { snappyUncompress } from "hyparquet/src/snappy.js";
import { DamagedTable } from "./damaged-table.js";
import { ByteReader, readDeltas, readHybrid } from "./decodings.js";
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
