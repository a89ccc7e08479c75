import type { ColumnChunk } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import { soundTime } from "../../profile/sound-numbers.js";
import { Bytes } from "../growing-bytes.js";
import { ColumnEncoder, type Range, type StoredValues } from "./column-chunks.js";
import { SHORTEST_RUN } from "./encodings.js";
import type { Column, ColumnType, ValueColumn } from "./parquet-columns.js";
import type { RowGroup } from "./row-groups.js";

/** Local numbers are above those of the groups before, up to here. */
const MOST_NUMBERS = 2 ** 30;

/** Numbers of nodes or samples, from 0 in the order in which they are in a row group. */
class LocalNumbers {
  /** By entry: the local number. */
  readonly ofEntry: Int32Array;
  /** By local number: the node or sample. */
  readonly all: Int32Array;
  count = 0;
  /** By node or sample: its local number in the last group that had it, plus 1 and that group's base. */
  readonly #numbers: Int32Array;
  #base = 0;

  constructor(length: number, entries: number) {
    this.ofEntry = new Int32Array(entries);
    this.all = new Int32Array(entries);
    this.#numbers = new Int32Array(length);
  }

  /** Numbers the entries of a column. */
  set(column: Int32Array, entries: number): void {
    const { ofEntry, all } = this;
    const numbers = this.#numbers;
    this.#base += this.count;
    if (this.#base > MOST_NUMBERS) {
      this.#base = 0;
      numbers.fill(0);
    }
    const base = this.#base;
    let count = 0;
    for (let entry = 0; entry < entries; entry++) {
      const one = column[entry]!;
      let number = numbers[one]! - base - 1;
      if (number < 0) {
        number = count++;
        all[number] = one;
        numbers[one] = number + base + 1;
      }
      ofEntry[entry] = number;
    }
    this.count = count;
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
  /** By row. */
  readonly #ids: Int32Array;
  readonly #wide: Float64Array;
  /** By local number, or by stack. */
  readonly #few: Int32Array;

  constructor(columns: readonly Column[], sizes: { nodes: number; samples: number; rows: number }) {
    this.#columns = columns;
    this.#bytes = columns.map((column) => valuesOf(column).map(storedAs(column.type)));
    this.#nodes = new LocalNumbers(sizes.nodes, sizes.rows);
    this.#sources = new LocalNumbers(sizes.samples, sizes.rows);
    this.#ids = new Int32Array(sizes.rows);
    this.#few = new Int32Array(sizes.rows);
    this.#wide = new Float64Array(sizes.rows);
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#nodes.set(rows.node, rows.length);
    this.#sources.set(rows.source, rows.stacks);
    this.#encoder.clear();
    const streams = new Map<Int32Array, Stream>();
    return this.#columns.map((column, i) => {
      const { name, type } = column;
      const { stored, dictionary, range } = this.#encode(rows, column, { bytes: this.#bytes[i]!, streams });
      return this.#encoder.writeChunk(writer, { name, type, range }, { ...stored, dictionary });
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
        return { stored: this.#deltas(rows, rows.number, false), range: rangeOf(rows.number, rows.stacks) };
      case "time":
        for (let stack = 0; stack < rows.stacks; stack++) rows.time[stack] = Math.round(rows.time[stack]!);
        return {
          stored: this.#deltas(rows, rows.time, column.isNullable),
          range: rangeOf(rows.time, rows.stacks),
        };
      case "self":
        for (let row = 0; row < length; row++) ids[row] = rows.depth[row] === 0 ? 1 : 0;
        return { stored: this.#encoder.flags(ids, length) };
      case "flag": {
        const { flags } = column;
        const { all, ofEntry, count } = this.#nodes;
        const byNode = this.#few;
        let any = 0;
        for (let i = 0; i < count; i++) {
          byNode[i] = flags[all[i]!]!;
          any |= byNode[i]!;
        }
        if (any === 0) ids.fill(0, 0, length);
        else for (let row = 0; row < length; row++) ids[row] = byNode[ofEntry[row]!]!;
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
        const stream = streams.get(numbers) ?? this.#stream(column, rows);
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
  #stream({ by, numbers, values, isNullable }: ValueColumn, rows: RowGroup): Stream {
    const local = by === "node" ? this.#nodes : this.#sources;
    const { all, ofEntry, count } = local;
    const idOf = new Int32Array(values.length).fill(-1);
    const used: number[] = [];
    const byLocal = this.#few;
    let hasNull = false;
    for (let i = 0; i < count; i++) {
      const value = numbers[all[i]!]!;
      if (value >= 0 && idOf[value] === -1) idOf[value] = used.push(value) - 1;
      byLocal[i] = value < 0 ? -1 : idOf[value]!;
      hasNull ||= value < 0;
    }
    const { length } = rows;
    const isConstant = used.length === 0 || (used.length === 1 && !hasNull);
    if (isConstant && length >= SHORTEST_RUN) {
      const stored = this.#encoder.constant(used.length > 0, length, isNullable);
      return { stored, used: Int32Array.from(used) };
    }
    const ids = this.#ids;
    if (by === "node") for (let row = 0; row < length; row++) ids[row] = byLocal[ofEntry[row]!]!;
    else this.#spread(rows, (stack) => byLocal[ofEntry[stack]!]!);
    const stored = this.#encoder.numbered(ids, { rows: length, isNullable, hasNull, count: used.length });
    return { stored, used: Int32Array.from(used) };
  }

  /** Sets the numbers of all rows to those of their stacks. */
  #spread({ stacks, end }: RowGroup, idOf: (stack: number) => number): void {
    const ids = this.#ids;
    for (let stack = 0, row = 0; stack < stacks; stack++) {
      const id = idOf(stack);
      for (; row < end[stack]!; row++) ids[row] = id;
    }
  }

  #deltas({ length, stacks, end }: RowGroup, ofStack: Int32Array | Float64Array, isNullable: boolean) {
    const wide = this.#wide;
    for (let stack = 0, row = 0; stack < stacks; stack++) {
      const value = ofStack[stack]!;
      for (; row < end[stack]!; row++) wide[row] = value;
    }
    return this.#encoder.deltas(wide, length, isNullable);
  }

  #depths({ depth, length }: RowGroup): EncodedColumn {
    const { least = 0, largest = 0 } = rangeOf(depth, length);
    const count = Number(largest) + 1;
    const stored = this.#encoder.numbered(depth, { rows: length, isNullable: false, hasNull: false, count });
    const dictionary = Array.from({ length: count }, (_, i) => storedAs("INT32")(i));
    return { stored, dictionary, range: { least, largest } };
  }

  #ticks(rows: RowGroup): EncodedColumn {
    const { ticks, stacks } = rows;
    const known = new Map<number, number>();
    const byStack = this.#few;
    let last = Number.NaN;
    let id = 0;
    for (let stack = 0; stack < stacks; stack++) {
      if (ticks[stack] !== last) {
        last = ticks[stack]!;
        id = known.get(last) ?? known.size;
        known.set(last, id);
      }
      byStack[stack] = id;
    }
    this.#spread(rows, (stack) => byStack[stack]!);
    const values = Array.from(known.keys(), (number) => soundTime(Math.round(number)));
    const stored = this.#encoder.numbered(this.#ids, {
      ...{ rows: rows.length, isNullable: false, hasNull: false },
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
