import type { ColumnChunk, Encoding } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { Bytes, bitWidth, writeDeltas, writeHybrid } from "./encodings.js";
import type { ColumnType } from "./parquet-columns.js";

/** The values of a column in a row group, as they are stored. */
interface StoredValues {
  readonly encoding: Encoding;
  /** Distinct values as bytes; undefined if values are not numbered. */
  readonly dictionary?: { readonly count: number; readonly bytes: Uint8Array };
  /** Which rows have a value: lengths of runs of Parquet's hybrid; undefined if all must have one. */
  readonly levels: Uint8Array | undefined;
  readonly nulls: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/** What a reader can know of a column chunk without reading it. */
export interface Range {
  readonly least: string | number | undefined;
  readonly largest: string | number | undefined;
}

/** What a chunk is of. */
export interface ChunkFacts {
  readonly name: string;
  readonly type: ColumnType;
  readonly range: Range | undefined;
}

/** Writes a column of a row group as a dictionary page and a data page, and returns its entry in the footer. */
export function writeChunk(
  writer: ByteWriter,
  { name, type, range }: ChunkFacts,
  { dictionary, encoding, levels, nulls, rows, bytes }: StoredValues,
): ColumnChunk {
  const start = writer.offset;
  let unpacked = 0;
  if (dictionary !== undefined) {
    const packed = snappyCompress(dictionary.bytes);
    const headerAt = writer.offset;
    writePageHeader(writer, {
      type: "DICTIONARY_PAGE",
      uncompressed_page_size: dictionary.bytes.length,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: dictionary.count, encoding: "PLAIN" },
    });
    unpacked += writer.offset - headerAt + dictionary.bytes.length;
    writer.appendBytes(packed);
  }
  const dataAt = writer.offset;
  const packed = snappyCompress(bytes);
  const levelBytes = levels?.length ?? 0;
  writePageHeader(writer, {
    type: "DATA_PAGE_V2",
    uncompressed_page_size: levelBytes + bytes.length,
    compressed_page_size: levelBytes + packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding,
      definition_levels_byte_length: levelBytes,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  unpacked += writer.offset - dataAt + levelBytes + bytes.length;
  if (levels !== undefined) writer.appendBytes(levels);
  writer.appendBytes(packed);
  return {
    meta_data: {
      type: type === "STRING" ? "BYTE_ARRAY" : type,
      encodings: dictionary === undefined ? [encoding] : ["PLAIN", encoding],
      path_in_schema: [name],
      codec: "SNAPPY",
      num_values: BigInt(rows),
      total_compressed_size: BigInt(writer.offset - start),
      total_uncompressed_size: BigInt(unpacked),
      data_page_offset: BigInt(dataAt),
      ...(dictionary && { dictionary_page_offset: BigInt(start) }),
      ...(range && {
        statistics: {
          null_count: BigInt(nulls),
          ...(range.least !== undefined && { min_value: statistic(range.least, type) }),
          ...(range.largest !== undefined && { max_value: statistic(range.largest, type) }),
        },
      }),
    },
    file_offset: BigInt(start),
  };
}

function statistic(value: string | number, type: ColumnType): string | number | bigint {
  return type === "INT64" ? BigInt(value) : value;
}

/** Encodes the columns of row groups, reusing its memory. What it returns is valid until the next call. */
export class ColumnEncoder {
  readonly #values = new Bytes();
  readonly #levels = new Bytes();
  readonly #dictionary = new Bytes();
  #ids = new Int32Array(0);
  #flags = new Int32Array(0);

  /** Encodes values as numbers into a dictionary, in which the value of each row has a number; -1 for null. */
  numbered(
    numbers: Int32Array,
    {
      rows,
      isNullable,
      dictionary,
    }: { rows: number; isNullable: boolean; dictionary: readonly Uint8Array[] },
  ): StoredValues {
    this.#dictionary.clear();
    for (const value of dictionary) this.#dictionary.bytes(value);
    const { present, levels } = isNullable
      ? this.#present(numbers, rows)
      : { present: numbers, levels: undefined };
    const count = isNullable ? this.#count : rows;
    const width = bitWidth(Math.max(0, dictionary.length - 1));
    this.#values.clear();
    this.#values.byte(width);
    writeHybrid(this.#values, present, count, width);
    return {
      encoding: "RLE_DICTIONARY",
      dictionary: { count: dictionary.length, bytes: this.#dictionary.written },
      levels,
      nulls: rows - count,
      rows,
      bytes: this.#values.written,
    };
  }

  /** Encodes integers that mostly differ little from the one before. */
  deltas(values: Int32Array | Float64Array, rows: number, isNullable = false): StoredValues {
    this.#values.clear();
    writeDeltas(this.#values, values, rows);
    this.#levels.clear();
    this.#levels.varint(rows * 2); // All rows have a value.
    this.#levels.byte(1);
    const levels = isNullable ? this.#levels.written : undefined;
    return { encoding: "DELTA_BINARY_PACKED", levels, nulls: 0, rows, bytes: this.#values.written };
  }

  /** Encodes 0 and 1 as booleans. */
  flags(values: Int32Array, rows: number): StoredValues {
    this.#levels.clear();
    writeHybrid(this.#levels, values, rows, 1);
    this.#values.clear();
    this.#values.int32(this.#levels.length);
    this.#values.bytes(this.#levels.written);
    return { encoding: "RLE", levels: undefined, nulls: 0, rows, bytes: this.#values.written };
  }

  #count = 0;

  /** Takes out the nulls, and writes which rows have a value. */
  #present(numbers: Int32Array, rows: number): { present: Int32Array; levels: Uint8Array } {
    if (this.#ids.length < rows) {
      this.#ids = new Int32Array(rows);
      this.#flags = new Int32Array(rows);
    }
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const number = numbers[row]!;
      this.#flags[row] = number < 0 ? 0 : 1;
      if (number >= 0) this.#ids[count++] = number;
    }
    this.#count = count;
    this.#levels.clear();
    writeHybrid(this.#levels, this.#flags, rows, 1);
    return { present: this.#ids, levels: this.#levels.written };
  }
}
