import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { Profile } from "../../profile/profile.js";
import { soundInterval } from "../../profile/sound-numbers.js";
import { VERSION } from "../../version.js";
import { exportClock } from "../export-clock.js";
import type { ExportOptions } from "../exporter.js";
import { GroupEncoder } from "./group-encoder.js";
import { type Column, parquetColumns } from "./parquet-columns.js";
import { rowGroups } from "./row-groups.js";

/** Increases when a column changes its meaning or is removed; new columns may come at any time. */
const SCHEMA_VERSION = "2";

/**
 * Writes a profile as a table for DuckDB, Spark, Trino, ClickHouse: a row for each frame of each stack, with
 * the ticks of the stack. The ticks of the rows with `self` sum to the profile's. docs/parquet.md has the
 * columns.
 */
export function parquet(profile: Profile, options?: ExportOptions): Iterable<Uint8Array> {
  return tableOf({ ...profile, timeline: undefined }, options);
}

/** Like {@link parquet}, but with the stacks in the order of time; ticks in a row with one stack are one stack. */
export function parquetTimeline(profile: Profile, options?: ExportOptions): Iterable<Uint8Array> {
  if (profile.timeline === undefined) throw new Error("the profile has no timeline");
  return tableOf(profile, options);
}

/** Writes the table in groups of rows: memory does not grow with the table. */
function* tableOf(profile: Profile, options: ExportOptions = {}): Iterable<Uint8Array> {
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
      ...(profile.info.sampling.hasTimes ? [] : [{ key: "ticks.has_times", value: "false" }]),
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
