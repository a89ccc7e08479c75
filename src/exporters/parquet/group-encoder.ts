import type { ColumnChunk } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { soundTime } from "../../profile/sound-numbers.js";
import { ColumnEncoder, type Range, writeChunk } from "./column-chunks.js";
import { Bytes } from "./encodings.js";
import type { Column, ColumnType, ValueColumn } from "./parquet-columns.js";
import type { RowGroup } from "./row-groups.js";

/** Numbers of nodes or samples, from 0 in the order in which they are in a row group. */
class LocalNumbers {
  /** By row: the local number. */
  readonly ofRow: Int32Array;
  /** By local number: the node or sample. */
  readonly all: Int32Array;
  count = 0;
  readonly #numbers: Int32Array;
  readonly #groups: Int32Array;
  #group = 0;

  constructor(length: number, rows: number) {
    this.ofRow = new Int32Array(rows);
    this.all = new Int32Array(rows);
    this.#numbers = new Int32Array(length);
    this.#groups = new Int32Array(length);
  }

  /** Numbers the entries of a column. */
  set(column: Int32Array, rows: number): void {
    this.#group++;
    this.count = 0;
    for (let row = 0; row < rows; row++) {
      const one = column[row]!;
      if (this.#groups[one] !== this.#group) {
        this.#groups[one] = this.#group;
        this.all[this.count] = one;
        this.#numbers[one] = this.count++;
      }
      this.ofRow[row] = this.#numbers[one]!;
    }
  }
}

/** Writes row groups column by column, reusing its memory. */
export class GroupEncoder {
  readonly #columns: readonly Column[];
  readonly #stored: readonly (readonly Uint8Array[])[];
  readonly #encoder = new ColumnEncoder();
  readonly #nodes: LocalNumbers;
  readonly #sources: LocalNumbers;
  readonly #ids: Int32Array;
  readonly #byLocal: Int32Array;
  /** By column: by value, its number in the dictionary of the row group; and the group that it was set in. */
  readonly #dictionaries: readonly { numbers: Int32Array; groups: Int32Array }[];
  #group = 0;

  constructor(columns: readonly Column[], sizes: { nodes: number; samples: number; rows: number }) {
    this.#columns = columns;
    this.#stored = columns.map((column) =>
      "values" in column ? column.values.map(storedAs(column.type)) : [],
    );
    this.#dictionaries = this.#stored.map(({ length }) => ({
      numbers: new Int32Array(length),
      groups: new Int32Array(length),
    }));
    this.#nodes = new LocalNumbers(sizes.nodes, sizes.rows);
    this.#sources = new LocalNumbers(sizes.samples, sizes.rows);
    this.#ids = new Int32Array(sizes.rows);
    this.#byLocal = new Int32Array(sizes.rows);
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#group++;
    this.#nodes.set(rows.node, rows.length);
    this.#sources.set(rows.source, rows.length);
    return this.#columns.map((column, i) => this.#chunk(writer, rows, i, column));
  }

  #chunk(writer: ByteWriter, rows: RowGroup, index: number, column: Column): ColumnChunk {
    const { length } = rows;
    const { name, type, isNullable } = column;
    const ids = this.#ids;
    switch (column.by) {
      case "stack":
        return writeChunk(
          writer,
          { name, type, range: rangeOf(rows.stack, length) },
          this.#encoder.deltas(rows.stack, length),
        );
      case "time": {
        for (let row = 0; row < length; row++) rows.time[row] = Math.round(rows.time[row]!);
        const range = rangeOf(rows.time, length);
        return writeChunk(writer, { name, type, range }, this.#encoder.deltas(rows.time, length, isNullable));
      }
      case "self":
        for (let row = 0; row < length; row++) ids[row] = rows.depth[row] === 0 ? 1 : 0;
        return writeChunk(writer, { name, type, range: undefined }, this.#encoder.flags(ids, length));
      case "flag":
        for (let row = 0; row < length; row++) ids[row] = column.flags[rows.node[row]!]!;
        return writeChunk(writer, { name, type, range: undefined }, this.#encoder.flags(ids, length));
      case "depth":
        return this.#numbers(writer, column, rows.depth, length);
      case "ticks":
        return this.#numbers(writer, column, rows.ticks, length);
      case "file": {
        const dictionary = this.#stored[index]!;
        ids.fill(column.numbers[0]!, 0, length);
        const range = this.#rangeOf(
          column,
          column.values.map((_, i) => i),
        );
        return writeChunk(
          writer,
          { name, type, range },
          this.#encoder.numbered(ids, { rows: length, isNullable, dictionary }),
        );
      }
      case "source":
        return this.#values(writer, column, index, { local: this.#sources, length });
      case "node":
        return this.#values(writer, column, index, { local: this.#nodes, length });
    }
  }

  /** Writes a column whose rows have the values of their nodes or samples. */
  #values(
    writer: ByteWriter,
    column: ValueColumn,
    index: number,
    { local, length }: { local: LocalNumbers; length: number },
  ): ColumnChunk {
    const { name, type, isNullable, numbers } = column;
    const stored = this.#stored[index]!;
    const known = this.#dictionaries[index]!;
    const dictionary: Uint8Array[] = [];
    const used: number[] = [];
    for (let i = 0; i < local.count; i++) {
      const value = numbers[local.all[i]!]!;
      if (value >= 0 && known.groups[value] !== this.#group) {
        known.groups[value] = this.#group;
        known.numbers[value] = dictionary.push(stored[value]!) - 1;
        used.push(value);
      }
      this.#byLocal[i] = value < 0 ? -1 : known.numbers[value]!;
    }
    for (let row = 0; row < length; row++) this.#ids[row] = this.#byLocal[local.ofRow[row]!]!;
    const range = this.#rangeOf(column, used);
    return writeChunk(
      writer,
      { name, type, range },
      this.#encoder.numbered(this.#ids, { rows: length, isNullable, dictionary }),
    );
  }

  /** Writes a column of numbers of which many are equal. */
  #numbers(
    writer: ByteWriter,
    { name, type, isNullable }: Column,
    column: Int32Array | Float64Array,
    length: number,
  ): ColumnChunk {
    const known = new Map<number, number>();
    let last = Number.NaN;
    let id = 0;
    for (let row = 0; row < length; row++) {
      if (column[row] !== last) {
        last = column[row]!;
        id = known.get(last) ?? known.size;
        known.set(last, id);
      }
      this.#ids[row] = id;
    }
    const values = Array.from(known.keys(), (number) => soundTime(Math.round(number)));
    const dictionary = values.map(storedAs(type));
    const range = rangeOf(values, values.length);
    return writeChunk(
      writer,
      { name, type, range },
      this.#encoder.numbered(this.#ids, { rows: length, isNullable, dictionary }),
    );
  }

  /** The first and last name of many rows let no reader skip any group; a number or the only name can. */
  #rangeOf({ type, values }: ValueColumn, used: readonly number[]): Range | undefined {
    if (used.length === 0) return { least: undefined, largest: undefined };
    if (type === "STRING") {
      return used.length === 1 ? { least: values[used[0]!]!, largest: values[used[0]!]! } : undefined;
    }
    const numbers = used.map((value) => Number(values[value]));
    return rangeOf(numbers, numbers.length);
  }
}

function rangeOf(numbers: ArrayLike<number>, length: number): Range {
  let least = numbers[0]!;
  let largest = least;
  for (let i = 1; i < length; i++) {
    if (numbers[i]! < least) least = numbers[i]!;
    if (numbers[i]! > largest) largest = numbers[i]!;
  }
  return { least, largest };
}

/** Returns what writes a value of a type as Parquet's plain encoding. */
function storedAs(type: ColumnType): (value: string | number) => Uint8Array {
  return (value) => {
    const bytes = new Bytes(type === "STRING" ? 4 + 3 * String(value).length : 8);
    if (type === "STRING") {
      const text = Buffer.from(String(value));
      bytes.int32(text.length);
      bytes.bytes(text);
    } else if (type === "INT64") {
      bytes.int64(Number(value));
    } else {
      bytes.int32(Number(value));
    }
    return bytes.written.slice();
  };
}
