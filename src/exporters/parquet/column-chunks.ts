import type { ColumnChunk, Encoding } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { Bytes } from "../growing-bytes.js";
import { bitWidth } from "./encodings.js";
import type { Page, Pages } from "./pages.js";
import type { RowGroup } from "./row-groups.js";
import { compress } from "./snappy.js";
import { StoredChunk, type StoredFacts } from "./stored-chunk.js";

/** The values of a column in a row group, as they are stored: several columns can share them. */
export interface StoredValues {
  readonly encoding: Encoding;
  /** Which rows have a value, in Parquet's hybrid; undefined if all must have one. */
  readonly levels: Uint8Array | undefined;
  readonly nulls: number;
  readonly rows: number;
  /** The length of the values before they were compressed. */
  readonly unpackedLength: number;
  readonly packed: Uint8Array;
}

/** What a chunk is of. */
export type ChunkFacts = Pick<StoredFacts, "name" | "type" | "range">;

/** Encodes the columns of row groups, reusing its memory. */
export class ColumnEncoder {
  readonly pages: Pages;
  readonly #values = new Bytes();
  readonly #page = new Bytes();
  /** What the streams of a row group are stored in, until the next one. */
  readonly #stores: Bytes[] = [];
  #usedStores = 0;

  /** `pages` has the columns that its methods encode. */
  constructor(pages: Pages) {
    this.pages = pages;
  }

  /** Begins a row group: what was encoded before is no longer valid. */
  clear(): void {
    this.#usedStores = 0;
  }

  /** Writes a column of a row group as a dictionary page, if it has one, and a data page. Returns its entry in the footer. */
  writeChunk(
    writer: ByteWriter,
    { name, type, range }: ChunkFacts,
    {
      dictionary,
      encoding,
      levels,
      nulls,
      rows,
      unpackedLength,
      packed,
    }: StoredValues & { readonly dictionary?: readonly Uint8Array[] | undefined },
  ): ColumnChunk {
    const start = writer.offset;
    let unpacked = 0;
    if (dictionary !== undefined) {
      const plain = this.#values;
      plain.clear();
      for (const value of dictionary) plain.bytes(value);
      const packedPlain = this.#page;
      packedPlain.clear();
      compress(packedPlain, plain.written);
      writePageHeader(writer, {
        type: "DICTIONARY_PAGE",
        uncompressed_page_size: plain.length,
        compressed_page_size: packedPlain.length,
        dictionary_page_header: { num_values: dictionary.length, encoding: "PLAIN" },
      });
      unpacked += writer.offset - start + plain.length;
      writer.appendBytes(packedPlain.written);
    }
    const dataAt = writer.offset;
    const levelBytes = levels?.length ?? 0;
    writePageHeader(writer, {
      type: "DATA_PAGE_V2",
      uncompressed_page_size: levelBytes + unpackedLength,
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
    unpacked += writer.offset - dataAt + levelBytes + unpackedLength;
    if (levels !== undefined) writer.appendBytes(levels);
    writer.appendBytes(packed);
    return new StoredChunk({
      ...{ name, type, range, encoding, nulls, rows, start, dataAt, unpacked },
      hasDictionary: dictionary !== undefined,
      packed: writer.offset - start,
    });
  }

  /** Encodes the numbers of the rows into a dictionary of `count` values; with `hasNull`, -1 is null. */
  numbered(
    rows: number,
    { isNullable, hasNull, count }: { isNullable: boolean; hasNull: boolean; count: number },
  ): StoredValues {
    const page = this.pages.numbered(rows, bitWidth(Math.max(0, count - 1)), hasNull);
    return this.#stored("RLE_DICTIONARY", page, rows, isNullable);
  }

  /** Encodes the only value of a dictionary for all rows, or null for all. */
  constant(hasValue: boolean, rows: number, isNullable: boolean): StoredValues {
    this.#values.clear();
    this.#values.byte(0);
    if (hasValue) this.#values.varint(rows * 2);
    const levels = isNullable ? this.#full(rows, hasValue) : undefined;
    return { ...this.#small("RLE_DICTIONARY"), levels, nulls: hasValue ? 0 : rows, rows };
  }

  /** Encodes 0 for all rows as booleans; there must be enough rows for a run. */
  noFlags(rows: number): StoredValues {
    this.#page.clear();
    this.#page.varint(rows * 2);
    this.#page.byte(0);
    this.#values.clear();
    this.#values.int32(this.#page.length);
    this.#values.bytes(this.#page.written);
    return { ...this.#small("RLE"), levels: undefined, nulls: 0, rows };
  }

  #small(encoding: Encoding): Pick<StoredValues, "encoding" | "unpackedLength" | "packed"> {
    const { written } = this.#values;
    const store = this.#nextStore();
    compress(store, written);
    return { encoding, unpackedLength: written.length, packed: store.written };
  }

  /** Encodes the integers of the stacks, which mostly differ little from the one before, for all rows of a stack. */
  deltas({ stacks, length }: RowGroup, isNullable: boolean): StoredValues {
    return this.#stored("DELTA_BINARY_PACKED", this.pages.differences(stacks), length, isNullable);
  }

  /** Encodes the numbers of the rows, 0 and 1, as booleans. */
  flags(rows: number): StoredValues {
    return this.#stored("RLE", this.pages.flags(rows), rows, false);
  }

  #stored(encoding: Encoding, page: Page, rows: number, isNullable: boolean): StoredValues {
    const store = this.#nextStore();
    store.bytes(page.packed);
    const { levels, present, unpackedLength } = page;
    const known = levels === undefined ? undefined : this.#nextStore();
    if (levels !== undefined) known?.bytes(levels);
    return {
      encoding,
      levels: known?.written ?? (isNullable ? this.#full(rows) : undefined),
      nulls: rows - present,
      rows,
      unpackedLength,
      packed: store.written,
    };
  }

  #nextStore(): Bytes {
    const at = this.#usedStores++;
    const store = this.#stores[at] ?? new Bytes(1 << 10);
    this.#stores[at] = store;
    store.clear();
    return store;
  }

  /** Returns the levels of a column whose rows all have a value, or none has. */
  #full(rows: number, hasValue = true): Uint8Array {
    const levels = this.#nextStore();
    levels.varint(rows * 2);
    levels.byte(hasValue ? 1 : 0);
    return levels.written;
  }
}
