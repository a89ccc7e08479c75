import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { npmPeer, pythonPeer } from "./peer.ts";

/** The views that docs/ has for fleets. */
export const SQL = fileURLToPath(new URL("../../docs/fleet.sql", import.meta.url));
const SPARK = fileURLToPath(new URL("fleet-spark.py", import.meta.url));

export type Row = Record<string, string | number | null>;

const duckdb = npmPeer("@duckdb/node-api@1.5.6-r.1").require("@duckdb/node-api");
/** A Python with PySpark, and what its workers need to make tables. */
export const sparkPython = pythonPeer("pyspark==4.3.0", "pyarrow==26.0.1", "pandas==2.3.3");

/** Runs queries over the views of the Parquet files that match, in DuckDB. */
export async function byDuckDb(files: string, queries: readonly string[]): Promise<Row[][]> {
  const instance = await duckdb.DuckDBInstance.create();
  const connection = await instance.connect();
  const read = `read_parquet('${files}', hive_partitioning = true, union_by_name = true)`;
  await connection.run(`CREATE VIEW fleet AS SELECT * FROM ${read}`);
  for (const statement of readFileSync(SQL, "utf8").split(";\n")) {
    if (statement.trim() !== "") await connection.run(statement);
  }
  const answers: Row[][] = [];
  for (const query of queries) answers.push((await connection.runAndReadAll(query)).getRowObjectsJson());
  connection.closeSync();
  return answers;
}

/** Runs queries over the views of the Parquet files in a folder, in Spark as it is without settings. */
export function bySpark(folder: string, queries: readonly string[]): Row[][] {
  const options = { maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"] };
  return JSON.parse(execFileSync(sparkPython, [SPARK, folder, SQL, ...queries], options).toString());
}

/** Rows as lines: numbers over 32 bits are text in one engine and numbers in the other, and neither has an order. */
export function linesOf(rows: readonly Row[]): string[] {
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([key, value]) => [key, `${value}`])))
    .sort();
}
