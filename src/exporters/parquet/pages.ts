/** The values of a column in a row group, encoded. All of it is valid until the next page. */
export interface Page {
  /** Which rows have a value, in Parquet's hybrid; undefined if all have one. */
  readonly levels: Uint8Array | undefined;
  /** The number of values. */
  readonly present: number;
  /** The length before it was compressed. */
  readonly unpackedLength: number;
  /** Compressed by Snappy. */
  readonly packed: Uint8Array;
}

/** Encodes the columns of row groups, in columns of its own that their user fills. */
export interface Pages {
  /** By row. */
  readonly ids: Int32Array;
  /** By frame of the group, or by stack. */
  readonly few: Int32Array;
  /** By row: its frame in the group. */
  readonly ofRow: Int32Array;
  /** By stack: the row behind its last one, and an integer of up to 53 bits. */
  readonly ends: Int32Array;
  readonly wide: Float64Array;
  /** Sets `ids` of so many rows to `few` of their frames. */
  gather(rows: number): void;
  /** Sets `ids` to `few` of the stacks. */
  spread(stacks: number): void;
  /** Encodes `ids`, indices of `width` bits into a dictionary; with `hasNull`, those below 0 are null. */
  numbered(rows: number, width: number, hasNull: boolean): Page;
  /** Encodes `ids`, 0 and 1, as booleans. */
  flags(rows: number): Page;
  /** Encodes `wide` of the stacks as differences, for all rows up to the end of each. */
  differences(stacks: number): Page;
}
