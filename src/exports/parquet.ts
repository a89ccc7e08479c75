import type { ColumnChunk, Encoding } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { columnOf, marksOf } from "../base/columns.js";
import { Numbers, valueAt } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { VERSION } from "../base/version.js";
import type { FunctionTable, ProfiledFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import { type StableKey, type StableKeys, stableKeys } from "../facts/stable-key.js";
import { tierNameOf } from "../facts/tier-names.js";
import { ROOT, visitDepthFirst } from "../profile/call-tree.js";
import { type Frame, isInferred, isInlined } from "../profile/frame.js";
import { splitScriptName } from "../profile/logged-name.js";
import { inMicroseconds } from "../profile/merge.js";
import { soundTicksOf } from "../profile/packed-timeline.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { gapLimit, tickInterval } from "../profile/sampling.js";
import { soundInterval, soundTime } from "../profile/sound-numbers.js";
import { nodeMajor, versionText } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { type ExportOptions, exportClock, labelsOf, profileId, USUAL_LABELS } from "./export-options.js";
import { Bytes } from "./growing-bytes.js";
import { timelineOf } from "./ticks-over-time.js";

/**
 * The rows held in memory at a time, which a reader can skip or process as a group. Each group has its dictionaries
 * anew: with fewer rows they are a large part of the file and of the time to write it.
 */
const GROUP_ROWS = 250_000;

/** The type of a column. Strings are UTF-8. */
type ColumnType = "STRING" | "INT32" | "INT64" | "BOOLEAN";

/** A value of a column; null for none. */
type Value = string | number | null;

interface ColumnHead {
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

/** A column with one value in the whole file. */
interface FileColumn extends ColumnHead {
  readonly by: "file";
  readonly value: Value;
}

/** A column with few values: those of a frame, a thread or a VM state. */
interface ValueColumn extends ColumnHead {
  readonly by: "thread" | "state" | "frame";
  /**
   * By thread, VM state or frame of the profile: an index into `values`; -1 for null. Columns can share it, and then
   * what is stored of it.
   */
  readonly numbers: Int32Array;
  /** Some can be equal. */
  readonly values: readonly (string | number)[];
}

/** A column that counts or measures. */
interface RowColumn extends ColumnHead {
  readonly by: "stack" | "time" | "depth" | "ticks" | "self";
}

/** A column of 0 and 1. */
interface FlagColumn extends ColumnHead {
  readonly by: "node flag" | "frame flag";
  /** By node or by frame of the profile. */
  readonly flags: Uint8Array;
}

/** A column of the table. */
type Column = FileColumn | ValueColumn | RowColumn | FlagColumn;

/** Returns the columns of a profile's table. docs/parquet.md has their meaning. */
function parquetColumns(profile: Profile, options: ExportOptions = {}): Column[] {
  const { info } = profile;
  const { sampling } = info;
  const { starts } = exportClock(profile, options);
  const { table, keys } = stableKeys(profile);
  const interval = info.tickTime ?? (soundInterval(sampling.asked) && tickInterval(sampling));
  const v8 = info.v8.length === 1 ? info.v8[0]! : undefined;
  const node = v8 && nodeMajor(v8);
  const labels = new Map(labelsOf(options.labels));
  const usual = USUAL_LABELS.map((key) => constant(key, "STRING", shown(labels.get(key)), true));
  const others = Array.from(labels)
    .filter(([key]) => !USUAL_LABELS.some((known) => known === key))
    .map(([key, value]) => constant(key, "STRING", shown(value), true));
  const ofThread = (name: string, type: ColumnType, read: (thread: ThreadInfo, number: number) => Value) => {
    const { values, numbers } = distinct(info.threads.map(read));
    if (numbers.every((number) => number === numbers[0])) {
      return { name, type, by: "file" as const, value: values[0] ?? null };
    }
    return { name, type, by: "thread" as const, values, numbers };
  };
  return [
    constant("profile", "STRING", profileId(profile)),
    { ...ofThread("log", "STRING", ({ log }) => printable(log)), isNullable: false },
    { ...ofThread("pid", "INT32", ({ pid }) => int32(pid)), isNullable: true },
    { ...ofThread("isolate", "STRING", ({ isolate }) => isolate ?? null), isNullable: true },
    { ...ofThread("thread", "STRING", ({ name }) => printable(name)), isNullable: false },
    { ...ofThread("thread_kind", "STRING", ({ kind }) => kind ?? null), isNullable: true },
    ...usual,
    ...others,
    { ...ofThread("start_us", "INT64", (_, i) => micros(starts[i])), isNullable: true },
    constant("v8", "STRING", v8 === undefined ? null : printable(versionText(v8)), true),
    constant("node", "INT32", node ?? null, true),
    { name: "sample", type: "INT32", isNullable: false, by: "stack" },
    profile.timeline === undefined
      ? constant("time_us", "INT64", null, true)
      : { name: "time_us", type: "INT64", isNullable: true, by: "time" },
    constant("interval_us", "INT32", int32(interval), true),
    constant("interval_asked_us", "INT32", int32(soundInterval(sampling.asked)), true),
    constant("interval_got_us", "INT32", int32(soundInterval(sampling.got)), true),
    {
      ...{ name: "state", type: "STRING", isNullable: false, by: "state", values: VM_STATES },
      numbers: Int32Array.from(VM_STATES.keys()),
    },
    { name: "depth", type: "INT32", isNullable: false, by: "depth" },
    ...frameColumns(profile, { table, keys }),
    { name: "self", type: "BOOLEAN", isNullable: false, by: "self" },
    flagColumn("total", "node flag", outermost(profile, table)),
    { name: "ticks", type: "INT64", isNullable: false, by: "ticks" },
  ];
}

/** Returns the name of a script. The number of one without a name means another script in each log. */
function sharedName(file: string, { file: stable }: StableKey): string {
  return splitScriptName(file).base === undefined ? (stable ?? file) : file;
}

function frameColumns({ frames, info }: Profile, { table, keys }: StableKeys): Column[] {
  const { functions, ofFrame } = table;
  const buildIds = new Map(info.libraries.map(({ path, buildId }) => [path, buildId]));
  const byFrame = (numbers: Int32Array) => ofFrame.map((of) => numbers[of]!);
  const ofFrames = (name: string, type: ColumnType, read: (frame: Frame) => Value): ValueColumn => {
    return { name, type, isNullable: true, by: "frame", ...distinct(frames.map(read)) };
  };
  /** By which functions have a value: their numbers by frame. */
  const shared = new Map<string, Int32Array>();
  const ofFunctions = (
    name: string,
    type: ColumnType,
    isNullable: boolean,
    read: (of: ProfiledFunction, key: StableKey) => Value,
  ): ValueColumn => {
    const all = functions.map((of, i) => read(of, keys[i]!));
    const values = all.filter((value) => value !== null);
    let count = 0;
    const numbers = columnOf(Int32Array, all, (value) => (value === null ? -1 : count++));
    const flags = marksOf(numbers, (number) => number >= 0);
    const pattern = `${isNullable} ${Buffer.from(flags).toString("latin1")}`;
    const known = valueAt(shared, pattern, () => byFrame(numbers));
    return { name, type, isNullable, by: "frame", values, numbers: known };
  };
  const packages = distinct(functions.map(({ origin }) => `${origin.kind} ${printable(origin.name)}`));
  const ofPackages = (name: string, read: (words: string) => string): ValueColumn => ({
    ...{ name, type: "STRING", isNullable: false, by: "frame", numbers: packageNumbers },
    values: packages.values.map((words) => read(String(words))),
  });
  const packageNumbers = byFrame(packages.numbers);
  const library = (of: ProfiledFunction) => (of.frame.kind === "native" ? of.frame.library : undefined);
  return [
    ofFunctions("key", "STRING", false, (_, { key }) => printable(key)),
    ofFunctions("source_hash", "STRING", true, (_, { sourceHash }) => sourceHash ?? null),
    ofFunctions("function", "STRING", false, ({ title }) => printable(title)),
    ofFunctions("file", "STRING", true, ({ frame, file }, key) =>
      frame.kind === "native" || file === undefined ? null : printable(sharedName(file, key)),
    ),
    ofFrames("line", "INT32", (frame) => (frame.kind === "js" && frame.line > 0 ? int32(frame.line) : null)),
    ofFunctions("function_line", "INT32", true, ({ line }) => int32(line)),
    ofFunctions("function_column", "INT32", true, ({ column }) => int32(column)),
    ofFrames("tier", "STRING", tierNameOf),
    ofFunctions("library", "STRING", true, (of, { file }) =>
      library(of) === undefined ? null : shown(file),
    ),
    ofFunctions("library_path", "STRING", true, (of) => shown(library(of))),
    ofFunctions("build_id", "STRING", true, (of) => shown(buildIds.get(library(of) ?? ""))),
    ofPackages("origin", (words) => words.slice(0, words.indexOf(" "))),
    ofPackages("package", (words) => words.slice(words.indexOf(" ") + 1)),
    flagColumn("inlined", "frame flag", marksOf(frames, isInlined)),
    flagColumn("inferred", "frame flag", marksOf(frames, isInferred)),
  ];
}

function constant(name: string, type: ColumnType, value: Value, isNullable = false): FileColumn {
  return { name, type, isNullable, by: "file", value };
}

/** Numbers values; null is -1. */
function distinct(all: readonly Value[]): { values: (string | number)[]; numbers: Int32Array } {
  const known = new Numbers<string | number>();
  const numbers = columnOf(Int32Array, all, (value) => (value === null ? -1 : known.of(value)));
  return { values: known.keys, numbers };
}

function shown(text: string | undefined): string | null {
  return text === undefined ? null : printable(text);
}

/** Returns a number for a column of 32 bits; null if it does not fit. */
function int32(number: number | undefined): number | null {
  return number !== undefined && Math.abs(number) < 2 ** 31 ? Math.round(number) : null;
}

/** Returns a date in microseconds since 1970. */
function micros(date: number | undefined): number | null {
  return date === undefined || date * 1000 > Number.MAX_SAFE_INTEGER ? null : Math.round(date * 1000);
}

function flagColumn(name: string, by: FlagColumn["by"], flags: Uint8Array): FlagColumn {
  return { name, type: "BOOLEAN", isNullable: false, by, flags };
}

/** Returns 1 for each node without a caller of the same function, so that recursion counts once per stack. */
function outermost({ tree }: Profile, { functions, ofFrame }: FunctionTable): Uint8Array {
  const onPath = new Int32Array(functions.length);
  const isOutermost = new Uint8Array(tree.length);
  visitDepthFirst(tree, (node, isEntering) => {
    const id = ofFrame[tree.frame[node]!]!;
    if (!isEntering) onPath[id]!--;
    else if (onPath[id]!++ === 0) isOutermost[node] = 1;
  });
  return isOutermost;
}

/** What a reader can know of a column chunk without reading it. */
interface Range {
  readonly least: string | number | undefined;
  readonly largest: string | number | undefined;
}

function statistic(value: string | number, type: ColumnType): string | number | bigint {
  return type === "INT64" ? BigInt(value) : value;
}

/**
 * Frames of stacks in columns, up to the number of rows of a Parquet row group: what differs from frame to frame by row,
 * the rest by stack. A stack can begin in one group and end in the next.
 */
class RowGroup {
  /** The number of rows. */
  length = 0;
  /** By row: the node of the frame, and the frame itself. */
  readonly node = new Int32Array(GROUP_ROWS);
  readonly frame = new Int32Array(GROUP_ROWS);
  readonly depth = new Int32Array(GROUP_ROWS);
  /** The number of stacks. */
  stacks = 0;
  /** By stack: a row of the profile's samples. */
  readonly source = new Int32Array(GROUP_ROWS);
  /** By stack: its number, unique in the file. */
  readonly number = new Int32Array(GROUP_ROWS);
  /** By stack: the time of its first tick, in microseconds. Not used if stacks stand for all their ticks. */
  readonly time = new Float64Array(GROUP_ROWS);
  readonly ticks = new Float64Array(GROUP_ROWS);
  /** By stack: the row behind its last one. */
  readonly end = new Int32Array(GROUP_ROWS);
}

/** A stack of the table: all ticks of a sample, or some ticks in a row. */
interface TableStack {
  /** A row of the profile's samples. */
  readonly source: number;
  /** The time of its first tick. */
  readonly time: Micros;
  ticks: Ticks;
}

/**
 * Yields the rows of a profile's table group by group, reusing one object. `offsets` are added to the times of
 * each thread.
 */
function* rowGroups(profile: Profile, offsets: readonly Micros[]): Iterable<RowGroup> {
  const { node: leaf } = profile.samples;
  const { parent, frame } = profile.tree;
  const rows = new RowGroup();
  let number = 0;
  for (const stack of profile.timeline ? ticksInRow(profile, offsets) : stacksOf(profile)) {
    let depth = 0;
    let node = leaf[stack.source]!;
    while (node !== ROOT) {
      if (rows.length === GROUP_ROWS) {
        yield rows;
        rows.length = 0;
        rows.stacks = 0;
      }
      let row = rows.length;
      for (; node !== ROOT && row < GROUP_ROWS; node = parent[node]!, row++) {
        rows.node[row] = node;
        rows.frame[row] = frame[node]!;
        rows.depth[row] = depth++;
      }
      rows.length = row;
      const at = rows.stacks++;
      rows.number[at] = number;
      rows.source[at] = stack.source;
      rows.time[at] = stack.time;
      rows.ticks[at] = stack.ticks;
      rows.end[at] = row;
    }
    number++;
  }
  if (rows.length > 0) yield rows;
}

function* stacksOf({ samples }: Profile): Iterable<TableStack> {
  for (let source = 0; source < samples.length; source++)
    yield { source, time: 0, ticks: samples.ticks[source]! };
}

/** Yields the ticks in the order of the log. Ticks in a row with the same stack are one. */
function* ticksInRow(profile: Profile, offsets: readonly Micros[]): Iterable<TableStack> {
  const { samples, info } = profile;
  const limits = info.threads.map((thread) => gapLimit(thread.sampling ?? info.sampling));
  let last: TableStack | undefined;
  let limit = 0;
  let before = 0;
  for (const { length, sample, timestamp, ticks } of soundTicksOf(profile.timeline!)) {
    for (let i = 0; i < length; i++) {
      const source = sample[i]!;
      const time = timestamp[i]!;
      const step = time - before;
      before = time;
      if (source === last?.source && step >= 0 && step <= limit) {
        last.ticks += ticks?.[i] ?? 1;
        continue;
      }
      if (last !== undefined) yield last;
      const thread = samples.thread[source]!;
      limit = limits[thread]!;
      last = { source, time: time + (offsets[thread] ?? 0), ticks: ticks?.[i] ?? 1 };
    }
  }
  if (last !== undefined) yield last;
}

/** The values of a column in a row group, as they are stored: several columns can share them. */
interface StoredValues {
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
interface ChunkFacts {
  readonly name: string;
  readonly type: ColumnType;
  readonly range: Range | undefined;
}

/** Encodes the columns of row groups, in columns of its own that its user fills, reusing its memory. */
class ColumnEncoder {
  /** By row. */
  readonly ids = new Int32Array(GROUP_ROWS);
  /** By stack. */
  readonly few = new Int32Array(GROUP_ROWS);
  /** By stack: the row behind its last one, and an integer of up to 53 bits. */
  readonly ends = new Int32Array(GROUP_ROWS);
  readonly wide = new Float64Array(GROUP_ROWS);
  /** The values that are not null, and by row: 1 if it has one. */
  readonly #kept = new Int32Array(GROUP_ROWS);
  readonly #isKept = new Int32Array(GROUP_ROWS);
  readonly #values = new Bytes();
  readonly #page = new Bytes();
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
      const packedPlain = snappyCompress(plain.written);
      writePageHeader(writer, {
        type: "DICTIONARY_PAGE",
        uncompressed_page_size: plain.length,
        compressed_page_size: packedPlain.length,
        dictionary_page_header: { num_values: dictionary.length, encoding: "PLAIN" },
      });
      unpacked += writer.offset - start + plain.length;
      writer.appendBytes(packedPlain);
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
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: type === "STRING" ? "BYTE_ARRAY" : type,
        encodings: dictionary === undefined ? [encoding] : ["PLAIN", encoding],
        path_in_schema: [name],
        codec: "SNAPPY",
        num_values: BigInt(rows),
        total_compressed_size: BigInt(writer.offset - start),
        total_uncompressed_size: BigInt(unpacked),
        data_page_offset: BigInt(dataAt),
        ...(dictionary !== undefined && { dictionary_page_offset: BigInt(start) }),
        ...(range && {
          statistics: {
            null_count: BigInt(nulls),
            ...(range.least !== undefined && { min_value: statistic(range.least, type) }),
            ...(range.largest !== undefined && { max_value: statistic(range.largest, type) }),
          },
        }),
      },
    };
  }

  /** Sets `ids` to `few` of the stacks. */
  spread(stacks: number): void {
    const { ids, few, ends } = this;
    for (let stack = 0, row = 0; stack < stacks; stack++) {
      for (; row < ends[stack]!; row++) ids[row] = few[stack]!;
    }
  }

  /** Encodes `ids`, which are indices into a dictionary of `count` values; with `hasNull`, -1 is null. */
  numbered(
    rows: number,
    { isNullable, hasNull, count }: { isNullable: boolean; hasNull: boolean; count: number },
  ): StoredValues {
    const width = bitWidth(Math.max(0, count - 1));
    const present = hasNull ? this.#keep(rows) : rows;
    this.#values.clear();
    this.#values.byte(width);
    writeHybrid(this.#values, hasNull ? this.#kept : this.ids, present, width);
    const nulls = rows - present;
    if (!hasNull)
      return this.#stored("RLE_DICTIONARY", rows, { levels: isNullable && this.#full(rows), nulls });
    const levels = new Bytes(1 << 10);
    writeHybrid(levels, this.#isKept, rows, 1);
    return this.#stored("RLE_DICTIONARY", rows, { levels: levels.written, nulls });
  }

  /** Encodes the only value of a dictionary for all rows, or null for all. */
  constant(hasValue: boolean, rows: number, isNullable: boolean): StoredValues {
    this.#values.clear();
    this.#values.byte(0);
    if (hasValue) this.#values.varint(rows * 2);
    const levels = isNullable && this.#full(rows, hasValue);
    return this.#stored("RLE_DICTIONARY", rows, { levels, nulls: hasValue ? 0 : rows });
  }

  /** Encodes `wide` of the stacks, integers that mostly differ little from the one before, for all rows of a stack. */
  deltas({ stacks, length }: RowGroup, isNullable: boolean): StoredValues {
    this.#values.clear();
    writeDeltas(this.#values, this.wide, this.ends, stacks);
    return this.#stored("DELTA_BINARY_PACKED", length, {
      levels: isNullable && this.#full(length),
      nulls: 0,
    });
  }

  /** Encodes `ids`, 0 and 1, as booleans. */
  flags(rows: number): StoredValues {
    const page = this.#page;
    page.clear();
    writeHybrid(page, this.ids, rows, 1);
    this.#values.clear();
    this.#values.int32(page.length);
    this.#values.bytes(page.written);
    return this.#stored("RLE", rows, { levels: false, nulls: 0 });
  }

  #stored(
    encoding: Encoding,
    rows: number,
    { levels, nulls }: { levels: Uint8Array | false; nulls: number },
  ): StoredValues {
    const { written } = this.#values;
    const unpackedLength = written.length;
    return {
      encoding,
      levels: levels || undefined,
      nulls,
      rows,
      unpackedLength,
      packed: snappyCompress(written),
    };
  }

  /** Takes the rows that are not null, notes which they are, and returns how many there are. */
  #keep(rows: number): number {
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const id = this.ids[row]!;
      this.#isKept[row] = id < 0 ? 0 : 1;
      if (id >= 0) this.#kept[count++] = id;
    }
    return count;
  }

  /** Returns the levels of a column whose rows all have a value, or none has. */
  #full(rows: number, hasValue = true): Uint8Array {
    const levels = new Bytes(8);
    levels.varint(rows * 2);
    levels.byte(hasValue ? 1 : 0);
    return levels.written;
  }
}

/** What is stored of a column's numbers in a row group, and which of its values are in it, in this order. */
interface Stream {
  readonly stored: StoredValues;
  readonly used: readonly number[];
}

/** Writes row groups column by column, reusing its memory. */
class GroupEncoder {
  readonly #columns: readonly Column[];
  /** By column: the bytes of its values. */
  readonly #bytes: readonly (readonly Uint8Array[])[];
  readonly #encoder = new ColumnEncoder();
  readonly #samples: SampleTable;

  constructor(columns: readonly Column[], { samples }: Pick<Profile, "samples">) {
    this.#columns = columns;
    this.#bytes = columns.map((column) => valuesOf(column).map(storedAs(column.type)));
    this.#samples = samples;
  }

  /** Writes a row group and returns the entries of its columns in the footer. */
  write(writer: ByteWriter, rows: RowGroup): ColumnChunk[] {
    this.#encoder.ends.set(rows.end.subarray(0, rows.stacks));
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
    const { ids, wide } = this.#encoder;
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
      case "frame flag":
        for (let row = 0; row < length; row++) ids[row] = column.flags[rows.frame[row]!]!;
        return { stored: this.#encoder.flags(length) };
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
        const { stored, used } = valueAt(streams, numbers, () => this.#stream(column, rows));
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
    const { ids, few } = this.#encoder;
    const { length, stacks } = rows;
    let used: ReturnType<typeof numberValues>;
    if (by === "frame") {
      for (let row = 0; row < length; row++) ids[row] = numbers[rows.frame[row]!]!;
      used = numberValues(ids, length, values.length);
    } else {
      const ofSample = by === "state" ? vmState : thread;
      for (let stack = 0; stack < stacks; stack++) few[stack] = numbers[ofSample[rows.source[stack]!]!] ?? -1;
      used = numberValues(few, stacks, values.length);
      this.#encoder.spread(stacks);
    }
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
    this.#encoder.ids.set(depth.subarray(0, length));
    const stored = this.#encoder.numbered(length, { isNullable: false, hasNull: false, count });
    const dictionary = Array.from({ length: count }, (_, i) => storedAs("INT32")(i));
    return { stored, dictionary, range: { least, largest } };
  }

  #ticks(rows: RowGroup): EncodedColumn {
    const { ticks, stacks } = rows;
    const known = new Numbers<number>();
    const byStack = this.#encoder.few;
    let last = Number.NaN;
    let id = 0;
    for (let stack = 0; stack < stacks; stack++) {
      if (ticks[stack] !== last) {
        last = ticks[stack]!;
        id = known.of(last);
      }
      byStack[stack] = id;
    }
    this.#encoder.spread(stacks);
    const values = known.keys.map((number) => soundTime(Math.round(number)));
    const stored = this.#encoder.numbered(rows.length, {
      isNullable: false,
      hasNull: false,
      count: values.length,
    });
    return { stored, dictionary: values.map(storedAs("INT64")), range: rangeOf(values, values.length) };
  }
}

/**
 * Replaces the first `count` of some values by their numbers, from 0 in the order in which they come, and returns the values in
 * this order; -1 stays, for null. `most` is the number of values that there are.
 */
function numberValues(values: Int32Array, count: number, most: number) {
  const idOf = new Int32Array(most).fill(-1);
  const all: number[] = [];
  let hasNull = false;
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    if (value < 0) hasNull = true;
    else {
      if (idOf[value] === -1) idOf[value] = all.push(value) - 1;
      values[i] = idOf[value]!;
    }
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

/** Increases when a column changes its meaning or is removed; new columns may come at any time. */
const SCHEMA_VERSION = "2";

/**
 * Writes a profile as a table for DuckDB, Spark, Trino, ClickHouse: a row for each frame of each stack, with
 * the ticks of the stack; where samples weigh their time, they are microseconds. The ticks of the rows with `self` sum to the profile's. docs/parquet.md has the
 * columns.
 */
export function parquet(profile: Profile, options?: ExportOptions): Iterable<Uint8Array> {
  return tableOf({ ...profile, timeline: undefined }, options);
}

/** Like {@link parquet}, but with the stacks in the order of time; ticks in a row with one stack are one stack. */
export function parquetTimeline(profile: Profile, options?: ExportOptions): Iterable<Uint8Array> {
  return tableOf({ ...profile, timeline: timelineOf(profile) }, options);
}

/** Writes the table in groups of rows: memory does not grow with the table. */
function* tableOf(given: Profile, options: ExportOptions = {}): Iterable<Uint8Array> {
  const profile = inMicroseconds(given);
  const { input } = profile.info;
  const columns = parquetColumns(profile, options);
  const asked = soundInterval(profile.info.sampling.asked);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "ticks", num_children: columns.length }, ...columns.map(schemaElement)],
    kvMetadata: [
      { key: "ticks.schema", value: SCHEMA_VERSION },
      { key: "ticks.version", value: VERSION },
      ...(asked === undefined ? [] : [{ key: "ticks.interval_asked_us", value: String(asked) }]),
      ...(input === undefined ? [] : [{ key: "ticks.input", value: input }]),
    ],
    createdBy: `ticks version ${VERSION}`,
  });
  yield* rowGroupParts(profile, options, { columns, writer, bytes });
  // By now, what encodes them can be collected: the footer of a long file needs much memory too.
  writer.finish();
  yield taken(bytes);
}

/** What {@link rowGroupParts} writes, and where. */
interface TableTarget {
  readonly columns: readonly Column[];
  readonly writer: ParquetWriter;
  /** What `writer` writes to. */
  readonly bytes: ByteWriter;
}

/** Writes the row groups of a table. */
function* rowGroupParts(
  profile: Profile,
  options: ExportOptions,
  { columns, writer, bytes }: TableTarget,
): Iterable<Uint8Array> {
  const encoder = new GroupEncoder(columns, profile);
  for (const rows of rowGroups(profile, exportClock(profile, options).offsets)) {
    const start = bytes.offset;
    const chunks = encoder.write(bytes, rows);
    const unpacked = chunks.reduce(
      (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
      0n,
    );
    writer.num_rows += BigInt(rows.length);
    writer.row_groups.push({
      columns: chunks,
      total_byte_size: unpacked,
      num_rows: BigInt(rows.length),
      total_compressed_size: BigInt(bytes.offset - start),
    });
    yield taken(bytes);
  }
}

function schemaElement({ name, type, isNullable }: Column) {
  const repetition_type = isNullable ? ("OPTIONAL" as const) : ("REQUIRED" as const);
  return type === "STRING"
    ? { name, type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const, repetition_type }
    : { name, type, repetition_type };
}

/** Returns what was written since the last call. */
function taken(bytes: ByteWriter): Uint8Array {
  const part = bytes.getBytes().slice();
  bytes.index = 0; // The writer's own offset in the file is kept.
  return part;
}

/** Values that a run-length run pays off for; bit-packed values come in groups of as many. */
const SHORTEST_RUN = 8;
/** Groups in one bit-packed run, whose count then fits one byte. */
const PACKED_GROUPS = 63;
/** Differences in a block, and the miniblocks in it, each with a width of its own. */
const BLOCK = 128;
const MINIBLOCKS = 4;

const MINIBLOCK = BLOCK / MINIBLOCKS;
const WORD = 2 ** 32;
/** Returns the bits of the largest of some numbers from 0 to 2^31. */
export function bitWidth(largest: number): number {
  return 32 - Math.clz32(largest);
}

/**
 * Writes numbers of up to 24 bits in Parquet's hybrid of run lengths and packed bits.
 *
 * Source: Apache Parquet, Encodings.md, "Run Length Encoding / Bit-Packing Hybrid".
 */
export function writeHybrid(out: Bytes, values: Int32Array, length: number, width: number): void {
  let packedFrom = 0;
  let i = 0;
  while (i < length) {
    const first = values[i]!;
    let end = i + 1;
    while (end < length && values[end] === first) end++;
    if (end - i < SHORTEST_RUN) {
      i += SHORTEST_RUN;
      continue;
    }
    if (packedFrom < i) writePacked(out, values, packedFrom, i, width);
    out.varint((end - i) * 2);
    for (let shift = 0; shift < width; shift += 8) out.byte((first >>> shift) & 0xff);
    i = end;
    packedFrom = end;
  }
  if (packedFrom < length) writePacked(out, values, packedFrom, length, width);
}

/** Writes a range of numbers with packed bits; it is filled up with zeros to whole groups. */
function writePacked(out: Bytes, values: Int32Array, from: number, to: number, width: number): void {
  for (let start = from; start < to; start += SHORTEST_RUN * PACKED_GROUPS) {
    const groups = Math.min(PACKED_GROUPS, Math.ceil((to - start) / SHORTEST_RUN));
    out.byte((groups << 1) | 1);
    packBits(out, values, {
      start,
      end: Math.min(to, start + groups * SHORTEST_RUN),
      count: groups * SHORTEST_RUN,
      width,
    });
  }
}

interface PackedRange {
  readonly start: number;
  readonly end: number;
  /** The number of values to write: those behind `end` are zeros. */
  readonly count: number;
  /** Up to 24. */
  readonly width: number;
}

function packBits(out: Bytes, values: Int32Array, { start, end, count, width }: PackedRange): void {
  const bytes = out.room((count * width) / 8 + 4);
  let at = out.length;
  const total = at + (count * width) / 8;
  let bits = 0;
  let pending = 0;
  for (let i = start; i < end; i++) {
    pending |= values[i]! << bits;
    bits += width;
    while (bits >= 8) {
      bytes[at++] = pending;
      pending >>>= 8;
      bits -= 8;
    }
  }
  while (at < total) {
    bytes[at++] = pending;
    pending >>>= 8;
  }
  out.length = total;
}

/**
 * Writes integers of up to 53 bits as differences with packed bits. Each of the first `count` values is there for all
 * entries up to its `end`.
 *
 * Source: Apache Parquet, Encodings.md, "Delta Encoding (DELTA_BINARY_PACKED)".
 */
export function writeDeltas(
  out: Bytes,
  values: Int32Array | Float64Array,
  end: Int32Array,
  count: number,
): void {
  const length = count === 0 ? 0 : end[count - 1]!;
  out.varint(BLOCK);
  out.varint(MINIBLOCKS);
  out.varint(length);
  out.zigzag(length === 0 ? 0 : values[0]!);
  const deltas = new Float64Array(BLOCK);
  let at = 0;
  for (let start = 1; start < length; start += BLOCK) {
    const stop = Math.min(length, start + BLOCK);
    deltas.fill(0);
    let least = Number.POSITIVE_INFINITY;
    let changes = 0;
    for (; end[at]! < stop; at++) {
      const delta = values[at + 1]! - values[at]!;
      deltas[end[at]! - start] = delta;
      if (delta < least) least = delta;
      changes++;
    }
    if (changes < stop - start && least > 0) least = 0;
    if (least !== 0) subtract(deltas, stop - start, least);
    out.zigzag(least);
    writeBlock(out, deltas, stop - start);
  }
}

/** Subtracts a number from the first ones of a block. */
function subtract(deltas: Float64Array, count: number, least: number): void {
  for (let i = 0; i < count; i++) deltas[i]! -= least;
}

/** Writes the widths of a block's miniblocks, and the numbers in them. */
function writeBlock(out: Bytes, deltas: Float64Array, count: number): void {
  const head = out.length;
  for (let start = 0; start < BLOCK; start += MINIBLOCK) out.byte(widthOf(deltas, start));
  for (let i = 0; i < MINIBLOCKS; i++) {
    const width = out.at(head + i);
    const start = i * MINIBLOCK;
    // A miniblock without values has no bytes.
    if (width === 0 || start >= count) continue;
    packDeltas(out, deltas, start, width);
  }
}

/** Returns the bits of the largest number of a miniblock. */
function widthOf(deltas: Float64Array, start: number): number {
  let largest = 0;
  for (let i = start; i < start + MINIBLOCK; i++) if (deltas[i]! > largest) largest = deltas[i]!;
  return largest < WORD ? bitWidth(largest) : 32 + bitWidth(Math.floor(largest / WORD));
}

/** Packs the numbers of a miniblock, of up to 53 bits, most of them 0. */
function packDeltas(out: Bytes, deltas: Float64Array, start: number, width: number): void {
  const size = (MINIBLOCK * width) / 8;
  const bytes = out.room(size);
  const from = out.length;
  bytes.fill(0, from, from + size);
  for (let i = 0; i < MINIBLOCK; i++) {
    let value = deltas[start + i]!;
    for (let bit = i * width; value > 0; ) {
      const room = 8 - (bit & 7);
      bytes[from + (bit >>> 3)]! |= (value % 2 ** room) << (bit & 7);
      value = Math.floor(value / 2 ** room);
      bit += room;
    }
  }
  out.length = from + size;
}
