import type { ColumnChunk } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { soundTime } from "../../profile/sound-numbers.js";
import { Bytes } from "../bytes.js";
import { ColumnEncoder, type Range, type StoredValues, writeChunk } from "./column-chunks.js";
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

/** What is stored of a column's numbers in a row group, and which of its values are in it, in this order. */
interface Stream {
  readonly stored: StoredValues;
  readonly used: Int32Array;
}

/** Writes row groups column by column, reusing its memory. */
export class GroupEncoder {
  readonly #columns: readonly Column[];
  /** By column: the bytes of its values. */
  readonly #bytes: readonly (readonly Uint8Array[])[];
  readonly #encoder = new ColumnEncoder();
  readonly #nodes: LocalNumbers;
  readonly #sources: LocalNumbers;
  readonly #ids: Int32Array;
  readonly #byLocal: Int32Array;

  constructor(columns: readonly Column[], sizes: { nodes: number; samples: number; rows: number }) {
    this.#columns = columns;
    this.#bytes = columns.map((column) => valuesOf(column).map(storedAs(column.type)));
    this.#nodes = new LocalNumbers(sizes.nodes, sizes.rows);
    this.#sources = new LocalNumbers(sizes.samples, sizes.rows);
    this.#ids = new Int32Array(sizes.rows);
    this.#byLocal = new Int32Array(sizes.rows);
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#nodes.set(rows.node, rows.length);
    this.#sources.set(rows.source, rows.length);
    const streams = new Map<Int32Array, Stream>();
    return this.#columns.map((column, i) => {
      const { name, type } = column;
      const { stored, dictionary, range } = this.#encode(rows, column, { bytes: this.#bytes[i]!, streams });
      return writeChunk(writer, { name, type, range }, { ...stored, dictionary });
    });
  }

  #encode(
    rows: RowGroup,
    column: Column,
    { bytes, streams }: { bytes: readonly Uint8Array[]; streams: Map<Int32Array, Stream> },
  ): EncodedColumn {
    const { length } = rows;
    const ids = this.#ids;
    switch (column.by) {
      case "stack":
        return { stored: this.#encoder.deltas(rows.stack, length), range: rangeOf(rows.stack, length) };
      case "time":
        for (let row = 0; row < length; row++) rows.time[row] = Math.round(rows.time[row]!);
        return {
          stored: this.#encoder.deltas(rows.time, length, column.isNullable),
          range: rangeOf(rows.time, length),
        };
      case "self":
        for (let row = 0; row < length; row++) ids[row] = rows.depth[row] === 0 ? 1 : 0;
        return { stored: this.#encoder.flags(ids, length) };
      case "flag": {
        const { flags } = column;
        const { node } = rows;
        for (let row = 0; row < length; row++) ids[row] = flags[node[row]!]!;
        return { stored: this.#encoder.flags(ids, length) };
      }
      case "depth":
        return this.#depths(rows);
      case "ticks":
        return this.#ticks(rows);
      case "file":
        return {
          stored: this.#encoder.constant(bytes.length > 0, length, column.isNullable),
          dictionary: bytes,
          range: rangeOfValues(column, valuesOf(column)),
        };
      case "source":
      case "node": {
        const { numbers, values } = column;
        const local = column.by === "node" ? this.#nodes : this.#sources;
        const stream = streams.get(numbers) ?? this.#stream(column, local, length);
        streams.set(numbers, stream);
        const used = Array.from(stream.used);
        return {
          stored: stream.stored,
          dictionary: used.map((value) => bytes[value]!),
          range: rangeOfValues(
            column,
            used.map((value) => values[value]!),
          ),
        };
      }
    }
  }

  /** Encodes the numbers that the rows have by their nodes or samples. */
  #stream({ numbers, values, isNullable }: ValueColumn, local: LocalNumbers, rows: number): Stream {
    const idOf = new Int32Array(values.length).fill(-1);
    const used: number[] = [];
    const byLocal = this.#byLocal;
    let hasNull = false;
    for (let i = 0; i < local.count; i++) {
      const value = numbers[local.all[i]!]!;
      if (value >= 0 && idOf[value] === -1) idOf[value] = used.push(value) - 1;
      byLocal[i] = value < 0 ? -1 : idOf[value]!;
      hasNull ||= value < 0;
    }
    const { ofRow } = local;
    const ids = this.#ids;
    for (let row = 0; row < rows; row++) ids[row] = byLocal[ofRow[row]!]!;
    const stored = this.#encoder.numbered(ids, { rows, isNullable, hasNull, count: used.length });
    return { stored, used: Int32Array.from(used) };
  }

  #depths({ depth, length }: RowGroup): EncodedColumn {
    const { least = 0, largest = 0 } = rangeOf(depth, length);
    const count = Number(largest) + 1;
    const stored = this.#encoder.numbered(depth, { rows: length, isNullable: false, hasNull: false, count });
    const dictionary = Array.from({ length: count }, (_, i) => storedAs("INT32")(i));
    return { stored, dictionary, range: { least, largest } };
  }

  #ticks({ ticks, length: rows }: RowGroup): EncodedColumn {
    const known = new Map<number, number>();
    let last = Number.NaN;
    let id = 0;
    for (let row = 0; row < rows; row++) {
      if (ticks[row] !== last) {
        last = ticks[row]!;
        id = known.get(last) ?? known.size;
        known.set(last, id);
      }
      this.#ids[row] = id;
    }
    const values = Array.from(known.keys(), (number) => soundTime(Math.round(number)));
    const stored = this.#encoder.numbered(this.#ids, {
      ...{ rows, isNullable: false, hasNull: false },
      count: values.length,
    });
    return { stored, dictionary: values.map(storedAs("INT64")), range: rangeOf(values, values.length) };
  }
}

interface EncodedColumn {
  readonly stored: StoredValues;
  readonly dictionary?: readonly Uint8Array[];
  readonly range?: Range | undefined;
}

function valuesOf(column: Column): readonly (string | number)[] {
  if ("values" in column) return column.values;
  return column.by === "file" && column.value !== null ? [column.value] : [];
}

/** The first and last name of many rows let no reader skip any group; a number or the only name can. */
function rangeOfValues({ type }: Column, values: readonly (string | number)[]): Range | undefined {
  const [first] = values;
  if (first === undefined) return { least: undefined, largest: undefined };
  if (type !== "STRING") return rangeOf(values.map(Number), values.length);
  return values.every((value) => value === first) ? { least: first, largest: first } : undefined;
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
