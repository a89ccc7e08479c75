import { Bytes } from "../growing-bytes.js";
import { writeDeltas, writeHybrid } from "./encodings.js";
import { compress } from "./snappy.js";

/**
 * The rows held in memory at a time, which a reader can skip or process as a group. Each group has its dictionaries
 * anew: with fewer rows they are a large part of the file and of the time to write it.
 */
export const GROUP_ROWS = 250_000;

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
export class Pages {
  /** By row. */
  readonly ids: Int32Array;
  /** By frame of the group, or by stack. */
  readonly few: Int32Array;
  /** By row: its frame in the group. */
  readonly ofRow: Int32Array;
  /** By stack: the row behind its last one, and an integer of up to 53 bits. */
  readonly ends: Int32Array;
  readonly wide: Float64Array;
  readonly #values = new Bytes();
  readonly #packed = new Bytes();
  readonly #levels = new Bytes(1 << 10);
  readonly #kept: Int32Array;
  readonly #isKept: Int32Array;

  /** `rows` is the most rows of a group. */
  constructor(rows = GROUP_ROWS) {
    this.ids = new Int32Array(rows);
    this.few = new Int32Array(rows);
    this.ofRow = new Int32Array(rows);
    this.ends = new Int32Array(rows);
    this.wide = new Float64Array(rows);
    this.#kept = new Int32Array(rows);
    this.#isKept = new Int32Array(rows);
  }

  /** Sets `ids` of so many rows to `few` of their frames. */
  gather(rows: number): void {
    const { ids, few, ofRow } = this;
    for (let row = 0; row < rows; row++) ids[row] = few[ofRow[row]!]!;
  }

  /** Sets `ids` to `few` of the stacks. */
  spread(stacks: number): void {
    const { ids, few, ends } = this;
    for (let stack = 0, row = 0; stack < stacks; stack++) {
      for (; row < ends[stack]!; row++) ids[row] = few[stack]!;
    }
  }

  /** Encodes `ids`, indices of `width` bits into a dictionary; with `hasNull`, those below 0 are null. */
  numbered(rows: number, width: number, hasNull: boolean): Page {
    const present = hasNull ? this.#keep(rows) : rows;
    this.#levels.clear();
    if (hasNull) writeHybrid(this.#levels, this.#isKept, rows, 1);
    this.#values.clear();
    this.#values.byte(width);
    writeHybrid(this.#values, hasNull ? this.#kept : this.ids, present, width);
    return this.#page(present, hasNull ? this.#levels.written : undefined);
  }

  /** Encodes `ids`, 0 and 1, as booleans. */
  flags(rows: number): Page {
    const packed = this.#packed;
    packed.clear();
    writeHybrid(packed, this.ids, rows, 1);
    this.#values.clear();
    this.#values.int32(packed.length);
    this.#values.bytes(packed.written);
    return this.#page(rows);
  }

  /** Encodes `wide` of the stacks as differences, for all rows up to the end of each. */
  differences(stacks: number): Page {
    this.#values.clear();
    writeDeltas(this.#values, this.wide, this.ends, stacks);
    return this.#page(stacks === 0 ? 0 : this.ends[stacks - 1]!);
  }

  #page(present: number, levels?: Uint8Array): Page {
    const { written } = this.#values;
    this.#packed.clear();
    compress(this.#packed, written);
    return { levels, present, unpackedLength: written.length, packed: this.#packed.written };
  }

  /** Takes the rows that are not null, notes which they are, and returns how many there are. */
  #keep(rows: number): number {
    const { ids } = this;
    const kept = this.#kept;
    const isKept = this.#isKept;
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const id = ids[row]!;
      const flag = (id >>> 31) ^ 1;
      isKept[row] = flag;
      kept[count] = id;
      count += flag;
    }
    return count;
  }
}
