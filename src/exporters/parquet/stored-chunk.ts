import type { ColumnChunk, ColumnMetaData, Encoding } from "hyparquet";
import type { ColumnType } from "./parquet-columns.js";

/** What a reader can know of a column chunk without reading it. */
export interface Range {
  readonly least: string | number | undefined;
  readonly largest: string | number | undefined;
}

/** What the footer says of a column chunk. Sizes and places in the file are in bytes. */
export interface StoredFacts {
  readonly name: string;
  readonly type: ColumnType;
  readonly range: Range | undefined;
  readonly encoding: Encoding;
  readonly rows: number;
  readonly nulls: number;
  readonly hasDictionary: boolean;
  readonly start: number;
  /** Where the page with the data is. */
  readonly dataAt: number;
  readonly packed: number;
  readonly unpacked: number;
}

/**
 * The entry of a column chunk in the footer. A long file has ten thousands of them, all in memory until its end: the objects of
 * the footer are made when they are asked for.
 */
export class StoredChunk implements ColumnChunk {
  readonly #facts: StoredFacts;

  constructor(facts: StoredFacts) {
    this.#facts = facts;
  }

  get file_offset(): bigint {
    return BigInt(this.#facts.start);
  }

  get meta_data(): ColumnMetaData {
    const { name, type, range, encoding, rows, nulls, hasDictionary, start } = this.#facts;
    return {
      type: type === "STRING" ? "BYTE_ARRAY" : type,
      encodings: hasDictionary ? ["PLAIN", encoding] : [encoding],
      path_in_schema: [name],
      codec: "SNAPPY",
      num_values: BigInt(rows),
      total_compressed_size: BigInt(this.#facts.packed),
      total_uncompressed_size: BigInt(this.#facts.unpacked),
      data_page_offset: BigInt(this.#facts.dataAt),
      ...(hasDictionary && { dictionary_page_offset: BigInt(start) }),
      ...(range && {
        statistics: {
          null_count: BigInt(nulls),
          ...(range.least !== undefined && { min_value: statistic(range.least, type) }),
          ...(range.largest !== undefined && { max_value: statistic(range.largest, type) }),
        },
      }),
    };
  }
}

function statistic(value: string | number, type: ColumnType): string | number | bigint {
  return type === "INT64" ? BigInt(value) : value;
}
