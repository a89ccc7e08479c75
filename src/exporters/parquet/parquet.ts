import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { ROOT } from "../../profile/call-tree.js";
import type { Profile } from "../../profile/profile.js";
import { slowSampling } from "../../profile/sampling.js";
import { soundTimeline } from "../../profile/sound-numbers.js";
import { type Column, parquetColumns, RowGroup, type Value } from "./parquet-columns.js";

/** The rows held in memory at a time, which a reader can skip or process as a group. */
const GROUP_ROWS = 100_000;

/** Increases when a column changes its meaning or is removed; new columns may come at any time. */
const SCHEMA_VERSION = "1";

/**
 * Writes a profile as a table for DuckDB, Spark, Trino, ClickHouse: a row for each frame of each stack, with
 * the ticks of the stack. The ticks of the rows with `self` sum to the profile's. docs/parquet.md has the
 * columns.
 */
export function parquet(profile: Profile): Iterable<Uint8Array> {
  return tableOf({ ...profile, timeline: undefined });
}

/** Like {@link parquet}, but with a stack for every tick and its time. */
export function parquetTimeline(profile: Profile): Iterable<Uint8Array> {
  if (profile.timeline === undefined) throw new Error("the profile has no timeline");
  return tableOf(profile);
}

/** Writes the table in groups of rows: memory does not grow with the table. */
function* tableOf(profile: Profile): Iterable<Uint8Array> {
  const columns = parquetColumns(profile);
  const slow = slowSampling(profile.info.sampling);
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: "ticks", num_children: columns.length }, ...columns.map(schemaElement)],
    kvMetadata: [
      { key: "ticks.schema", value: SCHEMA_VERSION },
      ...(slow === undefined ? [] : [{ key: "ticks.interval_asked_us", value: String(slow.asked) }]),
    ],
    createdBy: "ticks",
  });
  for (const rows of groupsOf(profile)) {
    writeGroup(writer, columns, rows);
    yield taken(bytes);
  }
  writer.finish();
  yield taken(bytes);
}

function schemaElement({ name, type, isNullable }: Column) {
  const repetition_type = isNullable ? ("OPTIONAL" as const) : ("REQUIRED" as const);
  return type === "STRING"
    ? { name, type: "BYTE_ARRAY" as const, converted_type: "UTF8" as const, repetition_type }
    : { name, type, repetition_type };
}

function writeGroup(writer: ParquetWriter, columns: readonly Column[], rows: RowGroup): void {
  const columnData = columns.map(({ name, type, read, encoding }) => {
    const data = new Array<Value>(rows.length);
    for (let row = 0; row < rows.length; row++) data[row] = read(rows, row);
    // The first and last name of 100,000 rows let no reader skip any group.
    return { name, data, statistics: type !== "STRING", ...(encoding && { encoding }) };
  });
  writer.write({ columnData, rowGroupSize: rows.length });
}

/** Returns what was written since the last call. */
function taken(bytes: ByteWriter): Uint8Array {
  const part = bytes.getBytes().slice();
  bytes.index = 0; // The writer's own offset in the file is kept.
  return part;
}

/** Yields the rows of the table group by group, reusing one object. */
function* groupsOf({ tree, samples, ...profile }: Profile): Iterable<RowGroup> {
  const timeline = profile.timeline && soundTimeline(profile.timeline);
  const rows = new RowGroup(GROUP_ROWS);
  const stacks = timeline?.length ?? samples.length;
  for (let stack = 0; stack < stacks; stack++) {
    const source = timeline === undefined ? stack : timeline.sample[stack]!;
    const time = timeline?.timestamp[stack] ?? Number.NaN;
    const ticks = timeline === undefined ? samples.ticks[stack]! : 1;
    let depth = 0;
    for (let node = samples.node[source]!; node !== ROOT; node = tree.parent[node]!) {
      if (rows.length === GROUP_ROWS) {
        yield rows;
        rows.length = 0;
      }
      const row = rows.length++;
      rows.source[row] = source;
      rows.stack[row] = stack;
      rows.node[row] = node;
      rows.depth[row] = depth++;
      rows.time[row] = time;
      rows.ticks[row] = ticks;
    }
  }
  if (rows.length > 0) yield rows;
}
