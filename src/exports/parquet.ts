import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { columnOf, marksOf } from "../base/columns.js";
import { Numbers } from "../base/maps.js";
import type { Micros, Ticks } from "../base/units.js";
import { VERSION } from "../base/version.js";
import type { FunctionTable, ProfiledFunction } from "../facts/function-table.js";
import { printable } from "../facts/label.js";
import { type StableKey, type StableKeys, stableKeys } from "../facts/stable-key.js";
import { tierNameOf } from "../facts/tier-names.js";
import { depthFirst, ROOT, visitOutermost } from "../profile/call-tree.js";
import { clampedTime, clampedTimeline, validInterval } from "../profile/clamped-numbers.js";
import { type Frame, isInferred, isInlined } from "../profile/frame.js";
import { splitScriptName } from "../profile/logged-name.js";
import { inWholeUnits } from "../profile/merge.js";
import type { Profile, ThreadInfo } from "../profile/profile.js";
import type { SampleTable } from "../profile/sample-table.js";
import { gapLimit, tickInterval } from "../profile/sampling.js";
import { nodeMajor, versionText } from "../profile/v8-version.js";
import { VM_STATES } from "../profile/vm-state.js";
import { type ExportOptions, exportClock, labelsOf, profileId, USUAL_LABELS } from "./export-options.js";
import { timelineOf } from "./ticks-over-time.js";

/**
 * The rows held in memory at a time, which a reader can skip or process as a group. Each group has its dictionaries
 * anew: with fewer rows they are a large part of the file and of the time to write it.
 */
const GROUP_ROWS = 100_000;

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
  /** By thread, VM state or frame of the profile: an index into `values`; -1 for null. */
  readonly numbers: ArrayLike<number>;
  /** Some can be equal. */
  readonly values: readonly Value[];
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
  const interval = info.tickTime ?? (validInterval(sampling.asked) && tickInterval(sampling));
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
    constant("interval_asked_us", "INT32", int32(validInterval(sampling.asked)), true),
    constant("interval_got_us", "INT32", int32(validInterval(sampling.got)), true),
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
  const ofFrames = (name: string, type: ColumnType, read: (frame: Frame) => Value): ValueColumn => {
    return { name, type, isNullable: true, by: "frame", ...distinct(frames.map(read)) };
  };
  const ofFunctions = (
    name: string,
    type: ColumnType,
    isNullable: boolean,
    read: (of: ProfiledFunction, key: StableKey) => Value,
  ): ValueColumn => {
    const values = functions.map((of, i) => read(of, keys[i]!));
    return { name, type, isNullable, by: "frame", values, numbers: ofFrame };
  };
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
    ofFunctions("origin", "STRING", false, ({ origin }) => origin.kind),
    ofFunctions("package", "STRING", false, ({ origin }) => printable(origin.name)),
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
  const isOutermost = new Uint8Array(tree.length);
  const groups = { count: functions.length, of: (node: number) => ofFrame[tree.frame[node]!]! };
  visitOutermost(depthFirst(tree), groups, (node) => {
    isOutermost[node] = 1;
  });
  return isOutermost;
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
  const { length, sample, timestamp, ticks } = clampedTimeline(profile.timeline!);
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
  if (last !== undefined) yield last;
}

/** A value as the library takes it: 64 bits are a bigint. */
type Written = string | number | bigint | boolean | null;

function written(value: Value, type: ColumnType): Written {
  return type === "INT64" && value !== null ? BigInt(value) : value;
}

function valuesOf(column: Column, rows: RowGroup, samples: SampleTable): Written[] {
  const { node, frame, depth } = rows;
  switch (column.by) {
    case "file":
      return new Array<Written>(rows.length).fill(written(column.value, column.type));
    case "thread":
    case "state": {
      const { numbers, values, type } = column;
      const ofSample = column.by === "state" ? samples.vmState : samples.thread;
      return ofStacks(rows, (stack) => {
        return written(values[numbers[ofSample[rows.source[stack]!]!] ?? -1] ?? null, type);
      });
    }
    case "frame": {
      const { numbers, values } = column;
      return ofRows(rows, (row) => values[numbers[frame[row]!]!] ?? null);
    }
    case "stack":
      return ofStacks(rows, (stack) => rows.number[stack]!);
    case "time":
      return ofStacks(rows, (stack) => BigInt(Math.round(rows.time[stack]!)));
    case "ticks":
      return ofStacks(rows, (stack) => BigInt(clampedTime(Math.round(rows.ticks[stack]!))));
    case "depth":
      return ofRows(rows, (row) => depth[row]!);
    case "self":
      return ofRows(rows, (row) => depth[row] === 0);
    case "node flag":
      return ofRows(rows, (row) => column.flags[node[row]!] === 1);
    case "frame flag":
      return ofRows(rows, (row) => column.flags[frame[row]!] === 1);
  }
}

function ofRows({ length }: RowGroup, read: (row: number) => Written): Written[] {
  const values = new Array<Written>(length);
  for (let row = 0; row < length; row++) values[row] = read(row);
  return values;
}

/** Returns what each row has from its stack. */
function ofStacks({ stacks, end, length }: RowGroup, read: (stack: number) => Written): Written[] {
  const values = new Array<Written>(length);
  for (let stack = 0, row = 0; stack < stacks; stack++) {
    const value = read(stack);
    for (; row < end[stack]!; row++) values[row] = value;
  }
  return values;
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
  const profile = inWholeUnits(given);
  const { input, memory } = profile.info;
  const columns = parquetColumns(profile, options);
  const asked = validInterval(profile.info.sampling.asked);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "ticks", num_children: columns.length }, ...columns.map(schemaElement)],
    kvMetadata: [
      { key: "ticks.schema", value: SCHEMA_VERSION },
      { key: "ticks.version", value: VERSION },
      ...(asked === undefined ? [] : [{ key: "ticks.interval_asked_us", value: String(asked) }]),
      ...(input === undefined ? [] : [{ key: "ticks.input", value: input }]),
      ...(memory === undefined ? [] : [{ key: `ticks.${memory.of}PerTick`, value: String(memory.tick) }]),
    ],
    createdBy: `ticks version ${VERSION}`,
  });
  for (const rows of rowGroups(profile, exportClock(profile, options).offsets)) {
    const columnData = columns.map((column) => ({
      name: column.name,
      // The writer asks for it when it comes to the column: no more than one is in memory.
      get data() {
        return valuesOf(column, rows, profile.samples);
      },
      statistics: letsSkip(column),
    }));
    // A column of a group is one page.
    writer.write({ columnData, rowGroupSize: rows.length, pageSize: 0 });
    yield taken(bytes);
  }
  writer.finish();
  yield taken(bytes);
}

/** Returns whether the least and the largest value of a group may let its readers skip it. They take time. */
function letsSkip(column: Column): boolean {
  if (column.by === "file") return column.value !== null;
  return column.by === "stack" || column.by === "time" || column.by === "ticks";
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
