import type { ColumnChunk } from "hyparquet";
import type { ByteWriter } from "hyparquet-writer";
import type { Profile } from "../../profile/profile.js";
import type { SampleTable } from "../../profile/sample-table.js";
import { soundTime } from "../../profile/sound-numbers.js";
import { Bytes } from "../growing-bytes.js";
import { ColumnEncoder, type StoredValues } from "./column-chunks.js";
import { SHORTEST_RUN } from "./encodings.js";
import { Pages } from "./pages.js";
import type { Column, ColumnType, ValueColumn } from "./parquet-columns.js";
import type { RowGroup } from "./row-groups.js";
import type { Range } from "./stored-chunk.js";

/** Local numbers are above those of the groups before, up to here. */
const MOST_NUMBERS = 2 ** 30;

/** Numbers of frames, from 0 in the order in which they are in a row group. */
class LocalFrames {
  /** By row: the local number. */
  readonly #ofRow: Int32Array;
  /** By local number: the frame. */
  readonly all: Int32Array;
  count = 0;
  /** By frame: its local number in the last group that had it, plus 1 and that group's base. */
  readonly #numbers: Int32Array;
  #base = 0;

  /** Sets `ofRow`. */
  constructor(frames: number, ofRow: Int32Array) {
    this.#ofRow = ofRow;
    this.all = new Int32Array(Math.min(frames, ofRow.length));
    this.#numbers = new Int32Array(frames);
  }

  set({ frame, length }: RowGroup): void {
    const { all } = this;
    const ofRow = this.#ofRow;
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
  readonly #encoder: ColumnEncoder;
  readonly #pages: Pages;
  readonly #samples: SampleTable;
  readonly #frames: LocalFrames;

  constructor(columns: readonly Column[], { frames, samples }: Pick<Profile, "frames" | "samples">) {
    const pages = new Pages();
    this.#encoder = new ColumnEncoder(pages);
    this.#pages = pages;
    this.#columns = columns;
    this.#bytes = columns.map((column) => valuesOf(column).map(storedAs(column.type)));
    this.#samples = samples;
    this.#frames = new LocalFrames(frames.length, pages.ofRow);
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#frames.set(rows);
    this.#encoder.clear();
    this.#pages.ends.set(rows.end.subarray(0, rows.stacks));
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
    const { ids, few, wide } = this.#pages;
    switch (column.by) {
      case "stack":
      case "time": {
        const { stacks } = rows;
        if (column.by === "stack") wide.set(rows.number.subarray(0, stacks));
        else for (let stack = 0; stack < stacks; stack++) wide[stack] = Math.round(rows.time[stack]!);
        return { stored: this.#encoder.deltas(rows, column.isNullable), range: rangeOf(wide, stacks) };
      }
      case "self":
        for (let row = 0; row < length; row++) ids[row] = rows.depth[row] === 0 ? 1 : 0;
        return { stored: this.#encoder.flags(length) };
      case "node flag":
        for (let row = 0; row < length; row++) ids[row] = column.flags[rows.node[row]!]!;
        return { stored: this.#encoder.flags(length) };
      case "frame flag": {
        const { all, count } = this.#frames;
        let any = 0;
        for (let i = 0; i < count; i++) {
          few[i] = column.flags[all[i]!]!;
          any |= few[i]!;
        }
        if (any === 0 && length >= SHORTEST_RUN) return { stored: this.#encoder.noFlags(length) };
        this.#pages.gather(length);
        return { stored: this.#encoder.flags(length) };
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
    const { all, count } = this.#frames;
    const local = this.#pages.few;
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
    if (by === "frame") this.#pages.gather(length);
    else this.#pages.spread(rows.stacks);
    const { hasNull } = used;
    const stored = this.#encoder.numbered(length, { isNullable, hasNull, count: used.all.length });
    return { stored, used: used.all };
  }

  #depths({ depth, length, end, stacks }: RowGroup): EncodedColumn {
    // Depths ascend within a stack.
    let [least, largest] = [depth[0]!, 0];
    for (let stack = 0; stack < stacks; stack++) {
      if (stack > 0) least = Math.min(least, depth[end[stack - 1]!]!);
      largest = Math.max(largest, depth[end[stack]! - 1]!);
    }
    const count = largest + 1;
    this.#pages.ids.set(depth.subarray(0, length));
    const stored = this.#encoder.numbered(length, { isNullable: false, hasNull: false, count });
    const dictionary = Array.from({ length: count }, (_, i) => storedAs("INT32")(i));
    return { stored, dictionary, range: { least, largest } };
  }

  #ticks(rows: RowGroup): EncodedColumn {
    const { ticks, stacks } = rows;
    const known = new Map<number, number>();
    const byStack = this.#pages.few;
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
    this.#pages.spread(stacks);
    const values = Array.from(known.keys(), (number) => soundTime(Math.round(number)));
    const stored = this.#encoder.numbered(rows.length, {
      isNullable: false,
      hasNull: false,
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
