import type { ColumnChunk, FileMetaData, RowGroup } from "hyparquet";
import { parquetMetadata } from "hyparquet/src/metadata.js";
import { TABLE_GROUP_ROWS } from "../../limits.js";
import { DamagedTable } from "./damaged-table.js";
import { type ColumnFacts, readTableColumn, type TableColumn } from "./table-columns.js";
import { structEnd } from "./thrift-bounds.js";

/** The bytes of a file. */
export interface FileBytes {
  readonly length: number;
  /** Reads some of them; fewer at the end of the file. */
  read(start: number, length: number): Promise<Uint8Array>;
}

/** The version of the table that this reads: the one that the exporter writes. */
const SCHEMA_VERSION = "2";
/** `PAR1`, at both ends of a file. */
const MAGIC = 0x31524150;
/** The length of the footer and the magic at the end. */
const TAIL_BYTES = 8;
/** A footer has some 5 KB for 250,000 rows. */
const FOOTER_LIMIT = 1 << 26;
/** A column of 250,000 rows takes much less, however long its names are. */
const COLUMN_LIMIT = 1 << 28;

/** A table that ticks wrote. */
export interface TableFile {
  /** What the exporter says of the whole file, by key. */
  readonly facts: ReadonlyMap<string, string>;
  /** Yields the columns of each row group by name; of which one is missing there is none. */
  groups(columns: readonly string[]): AsyncIterable<TableGroup>;
}

/** Some rows of a table. */
export interface TableGroup {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, TableColumn>;
}

/**
 * Opens a Parquet file that `ticks export` wrote. Throws a {@link DamagedTable} for any other, before it takes
 * more memory than a column has.
 */
export async function openTable(file: FileBytes): Promise<TableFile> {
  const { metadata, end } = await readFooter(file);
  const facts = new Map((metadata.key_value_metadata ?? []).map(({ key, value = "" }) => [key, value]));
  const version = facts.get("ticks.schema");
  if (version === undefined) throw new DamagedTable("ticks did not write it");
  if (version !== SCHEMA_VERSION)
    throw new DamagedTable(
      `its table has version ${version}, and this is ticks for version ${SCHEMA_VERSION}`,
    );
  return { facts, groups: (columns) => groupsOf(file, metadata, { columns, end }) };
}

async function readFooter(
  file: FileBytes,
): Promise<{ readonly metadata: FileMetaData; readonly end: number }> {
  const tailStart = file.length - TAIL_BYTES;
  if (tailStart < TAIL_BYTES) throw new DamagedTable("it is too short");
  const [head, tail] = [await file.read(0, 4), await file.read(tailStart, TAIL_BYTES)];
  const magicOf = (bytes: Uint8Array, at: number) => viewOf(bytes).getUint32(at, true);
  if (magicOf(head, 0) !== MAGIC || magicOf(tail, 4) !== MAGIC)
    throw new DamagedTable("it is no Parquet file, or was not written to its end");
  const length = magicOf(tail, 0);
  const end = tailStart - length;
  if (length > FOOTER_LIMIT || end < 4) throw new DamagedTable("its footer is longer than it can be");
  const footer = await file.read(end, length + TAIL_BYTES);
  structEnd(footer.subarray(0, length));
  let metadata: FileMetaData;
  try {
    metadata = parquetMetadata(footer, { geoparquet: false });
  } catch {
    throw new DamagedTable("its footer lacks what Parquet asks for");
  }
  if (!isSound(metadata)) throw new DamagedTable("its footer has other things than Parquet asks for");
  return { metadata, end };
}

/** Whether the lists of a footer are lists: the types of its reader promise more than it checks. */
function isSound({ schema, row_groups, key_value_metadata = [] }: FileMetaData): boolean {
  const isText = (value: unknown) => typeof value === "string";
  return (
    [schema, row_groups, key_value_metadata].every(Array.isArray) &&
    schema.every(({ name }) => name === undefined || isText(name)) &&
    key_value_metadata.every(({ key, value }) => isText(key) && (value === undefined || isText(value))) &&
    row_groups.every(({ columns }) => Array.isArray(columns))
  );
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function* groupsOf(
  file: FileBytes,
  { schema, row_groups }: FileMetaData,
  { columns, end }: { readonly columns: readonly string[]; readonly end: number },
): AsyncIterable<TableGroup> {
  const facts = new Map(
    schema.slice(1).map(({ name, type, repetition_type }) => [name, { type, repetition_type }]),
  );
  // Groups do not share bytes: what is read is not longer than the file.
  let from = 4;
  for (const { columns: chunks, num_rows } of row_groups as RowGroup[]) {
    const rows = integer(num_rows);
    if (!(rows > 0 && rows <= TABLE_GROUP_ROWS)) throw new DamagedTable(`it has ${num_rows} rows in a group`);
    const found = new Map<string, TableColumn>();
    for (const chunk of chunks) {
      const range = rangeOf(chunk, from, end);
      from = range.end;
      const name = chunk.meta_data?.path_in_schema[0] ?? "";
      const fact = facts.get(name);
      if (!columns.includes(name) || fact === undefined) continue;
      if (found.has(name)) throw new DamagedTable(`it has the column ${name} twice`);
      const bytes = await file.read(range.start, range.end - range.start);
      const isNullable = fact.repetition_type !== "REQUIRED";
      found.set(name, readTableColumn(bytes, chunk, { name, type: typeOf(fact.type), isNullable, rows }));
    }
    yield { rows, columns: found };
  }
}

/** Returns where a column is, which is behind the one before it. */
function rangeOf({ meta_data }: ColumnChunk, from: number, end: number) {
  if (meta_data === undefined || !Array.isArray(meta_data.path_in_schema))
    throw new DamagedTable("a column has no place");
  const start = integer(meta_data.dictionary_page_offset ?? meta_data.data_page_offset);
  const length = integer(meta_data.total_compressed_size);
  if (!(start >= from && length > 0 && start + length <= end && length <= COLUMN_LIMIT))
    throw new DamagedTable("a column is not where it can be");
  return { start, end: start + length };
}

/** Returns an integer of a footer; NaN for what is none. */
function integer(value: unknown): number {
  return typeof value === "bigint" || typeof value === "number" ? Number(value) : Number.NaN;
}

function typeOf(type: string | undefined): ColumnFacts["type"] {
  switch (type) {
    case "BYTE_ARRAY":
    case "INT32":
    case "INT64":
    case "BOOLEAN":
      return type;
    default:
      throw new DamagedTable(`a column has the type ${type}`);
  }
}
