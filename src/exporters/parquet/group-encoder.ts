import type { ColumnChunk } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import type { Profile } from "../../profile/profile.js";
import type { SampleTable } from "../../profile/sample-table.js";
import { soundTime } from "../../profile/sound-numbers.js";
import { Bytes } from "../growing-bytes.js";
import { ColumnEncoder, type Range, type StoredValues } from "./column-chunks.js";
import { SHORTEST_RUN } from "./encodings.js";
import type { Column, ColumnType, ValueColumn } from "./parquet-columns.js";
import type { RowGroup } from "./row-groups.js";

/** Local numbers are above those of the groups before, up to here. */
const MOST_NUMBERS = 2 ** 30;

/** Numbers of frames, from 0 in the order in which they are in a row group. */
class LocalFrames {
  /** By row: the local number. */
  readonly ofRow: Int32Array;
  /** By local number: the frame. */
  readonly all: Int32Array;
  count = 0;
  /** By frame: its local number in the last group that had it, plus 1 and that group's base. */
  readonly #numbers: Int32Array;
  #base = 0;

  constructor(frames: number, rows: number) {
    this.ofRow = new Int32Array(rows);
    this.all = new Int32Array(Math.min(frames, rows));
    this.#numbers = new Int32Array(frames);
  }

  set({ frame, length }: RowGroup): void {
    const { ofRow, all } = this;
    const numbers = this.#numbers;
    this.#base += this.count;
    if (this.#base > MOST_NUMBERS) {
      this.#base = 0;
      numbers.fill(0);
    }
    const base = this.#base;
    let count = 0;
    for (let row = 0; row < length; row++) {
      const one = frame[row]!;
      let number = numbers[one]! - base - 1;
      if (number < 0) {
        number = count++;
        all[number] = one;
        numbers[one] = number + base + 1;
      }
      ofRow[row] = number;
    }
    this.count = count;
  }
}

/** What is stored of a column's numbers in a row group, and which of its values are in it, in this order. */
interface Stream {
  readonly stored: StoredValues;
  readonly used: readonly number[];
}

/** Writes row groups column by column, reusing its memory. */
export class GroupEncoder {
  readonly #columns: readonly Column[];
  /** By column: the bytes of its values. */
  readonly #bytes: readonly (readonly Uint8Array[])[];
  readonly #encoder = new ColumnEncoder();
  readonly #samples: SampleTable;
  readonly #frames: LocalFrames;
  /** By row. */
  readonly #ids: Int32Array;
  /** By local frame, or by stack. */
  readonly #few: Int32Array;

  /** `rows` is the most rows of a group. */
  constructor(
    columns: readonly Column[],
    { frames, samples }: Pick<Profile, "frames" | "samples">,
    rows: number,
  ) {
    this.#columns = columns;
    this.#bytes = columns.map((column) => valuesOf(column).map(storedAs(column.type)));
    this.#samples = samples;
    this.#frames = new LocalFrames(frames.length, rows);
    this.#ids = new Int32Array(rows);
    this.#few = new Int32Array(rows);
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#frames.set(rows);
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
        return {
          stored: this.#encoder.deltas(rows.number, rows, column.isNullable),
          range: rangeOf(rows.number, rows.stacks),
        };
      case "time":
        for (let stack = 0; stack < rows.stacks; stack++) rows.time[stack] = Math.round(rows.time[stack]!);
        return {
          stored: this.#encoder.deltas(rows.time, rows, column.isNullable),
          range: rangeOf(rows.time, rows.stacks),
        };
      case "self":
        for (let row = 0; row < length; row++) ids[row] = rows.depth[row] === 0 ? 1 : 0;
        return { stored: this.#encoder.flags(ids, length) };
      case "node flag":
        for (let row = 0; row < length; row++) ids[row] = column.flags[rows.node[row]!]!;
        return { stored: this.#encoder.flags(ids, length) };
      case "frame flag":
        for (let row = 0; row < length; row++) ids[row] = column.flags[rows.frame[row]!]!;
        return { stored: this.#encoder.flags(ids, length) };
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
      case "thread":
      case "state":
      case "frame": {
        const { numbers, values } = column;
        const stream = streams.get(numbers) ?? this.#stream(column, rows);
        streams.set(numbers, stream);
        const { stored, used } = stream;
        const range = rangeOfValues(
          column,
          used.map((value) => values[value]!),
        );
        return { stored, dictionary: used.map((value) => bytes[value]!), range };
      }
    }
  }

  /** Encodes the numbers that the rows have by their frames, threads or states. */
  #stream({ by, numbers, values, isNullable }: ValueColumn, rows: RowGroup): Stream {
    const { vmState, thread } = this.#samples;
    const { all, ofRow, count } = this.#frames;
    const local = this.#few;
    const used =
      by === "frame"
        ? numberValues(local, { count, valueAt: (i) => numbers[all[i]!]!, values: values.length })
        : numberValues(local, {
            count: rows.stacks,
            valueAt: (stack) => numbers[(by === "state" ? vmState : thread)[rows.source[stack]!]!] ?? -1,
            values: values.length,
          });
    const { length } = rows;
    const isConstant = used.all.length === 0 || (used.all.length === 1 && !used.hasNull);
    if (isConstant && length >= SHORTEST_RUN) {
      const stored = this.#encoder.constant(used.all.length > 0, length, isNullable);
      return { stored, used: used.all };
    }
    const ids = this.#ids;
    if (by === "frame") for (let row = 0; row < length; row++) ids[row] = local[ofRow[row]!]!;
    else this.#spread(rows, local);
    const { hasNull } = used;
    const stored = this.#encoder.numbered(ids, { rows: length, isNullable, hasNull, count: used.all.length });
    return { stored, used: used.all };
  }

  /** Sets the numbers of all rows to those of their stacks. */
  #spread({ stacks, end }: RowGroup, byStack: Int32Array): void {
    const ids = this.#ids;
    for (let stack = 0, row = 0; stack < stacks; stack++) {
      const id = byStack[stack]!;
      for (; row < end[stack]!; row++) ids[row] = id;
    }
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
    this.#spread(rows, byStack);
    const values = Array.from(known.keys(), (number) => soundTime(Math.round(number)));
    const stored = this.#encoder.numbered(this.#ids, {
      ...{ rows: rows.length, isNullable: false, hasNull: false },
      count: values.length,
    });
    return { stored, dictionary: values.map(storedAs("INT64")), range: rangeOf(values, values.length) };
  }
}

/** Where the values of a row group come from. */
interface ValueSource {
  readonly count: number;
  /** Returns the value of an entry; -1 for null. */
  readonly valueAt: (entry: number) => number;
  /** The number of values that there are. */
  readonly values: number;
}

/** Numbers values from 0 in the order in which they come, into `numbers`, and returns them in this order. */
function numberValues(numbers: Int32Array, { count, valueAt, values }: ValueSource) {
  const idOf = new Int32Array(values).fill(-1);
  const all: number[] = [];
  let hasNull = false;
  for (let i = 0; i < count; i++) {
    const value = valueAt(i);
    if (value >= 0 && idOf[value] === -1) idOf[value] = all.push(value) - 1;
    numbers[i] = value < 0 ? -1 : idOf[value]!;
    hasNull ||= value < 0;
  }
  return { all, hasNull };
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
