import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { printable } from "../../src/views/label.ts";
import { ticks } from "../helpers/cli.ts";
import { FIXTURE_NAMES } from "../helpers/fixtures.ts";
import { FIXTURES, OUT } from "./fixture.ts";
import { npmPeer, pythonPeer } from "./peer.ts";

const SQL = fileURLToPath(new URL("../../docs/fleet.sql", import.meta.url));
const SPARK = fileURLToPath(new URL("fleet-spark.py", import.meta.url));
const FLEET = join(OUT, "fleet");
/** The same files on one host, where all logs have one name. */
const ONE_HOST = join(OUT, "one-host");
const VIEWS = ["breakdown", "functions", "deploys", "lines", "packages", "calls", "compiled"] as const;

type Row = Record<string, string | number | null>;
/** The rows of each view, and the functions that several hosts have at one place. */
type Views = Record<(typeof VIEWS)[number] | "shared", Row[]>;

/** A part of the report of `ticks process --format json`. */
interface Report {
  readonly ticks: number;
  readonly states: Record<string, number>;
  readonly functions: readonly (Row & {
    readonly kind: string;
    readonly self: number;
    readonly total: number;
  })[];
}

const duckdb = npmPeer("@duckdb/node-api@1.5.6-r.1").require("@duckdb/node-api");
const python = pythonPeer("pyspark==4.3.0");

/** Exports each log as one of a host of its own, and as one of the only host. */
async function exportFleet(): Promise<void> {
  const shared = join(ONE_HOST, "host=one");
  mkdirSync(shared, { recursive: true });
  for (const name of FIXTURE_NAMES) {
    const folder = join(FLEET, `host=${name}`);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "isolate.parquet");
    const { status, stderr } = await ticks(["export", "isolate.log.gz", "--no-source-maps", "-o", file], {
      cwd: join(FIXTURES, name),
    });
    if (status !== 0) throw new Error(stderr);
    copyFileSync(file, join(shared, `${name}.parquet`));
  }
}

async function byDuckDb(fleet: string): Promise<Views> {
  const instance = await duckdb.DuckDBInstance.create();
  const connection = await instance.connect();
  const files = `'${fleet}/*/*.parquet'`;
  await connection.run(`CREATE VIEW fleet AS SELECT * FROM read_parquet(${files}, hive_partitioning = true)`);
  for (const statement of readFileSync(SQL, "utf8").split(";\n")) {
    if (statement.trim() !== "") await connection.run(statement);
  }
  const views: [string, Row[]][] = [];
  for (const view of VIEWS) {
    views.push([view, (await connection.runAndReadAll(`FROM ${view}`)).getRowObjectsJson()]);
  }
  const places =
    "SELECT function, file, function_line, function_column FROM fleet WHERE file IS NOT NULL GROUP BY ALL";
  const shared = await connection.runAndReadAll(`${places} HAVING count(DISTINCT host) > 1`);
  views.push(["shared", shared.getRowObjectsJson()]);
  connection.closeSync();
  return Object.fromEntries(views) as Views;
}

function bySpark(): Views {
  const options = { maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] as ["ignore", "pipe", "ignore"] };
  return JSON.parse(execFileSync(python, [SPARK, FLEET, SQL, ...VIEWS], options).toString());
}

/** Rows as lines: numbers over 32 bits are text in one engine and numbers in the other, and neither has an order. */
function linesOf(rows: readonly Row[]): string[] {
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([key, value]) => [key, `${value}`])))
    .sort();
}

function sum(rows: readonly Row[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}

/** What tells machine code apart, in both. */
function keyOf(...parts: readonly (string | number | null | undefined)[]): string {
  return Buffer.from(parts.map((part) => printable(`${part ?? ""}`)).join(" | ")).toString();
}

function keyOfCode({ function: name, file, function_line, function_column, tier }: Row): string {
  // The report has no tier for the interpreter's own code.
  return keyOf(name, file, function_line, function_column, `${name}`.startsWith("Bytecode") ? "" : tier);
}

function placeOf({ function: name, file, function_line, function_column }: Row): string {
  return keyOf(name, file, function_line, function_column);
}

function keyOfRow({ label, kind, name, file, line, column, tier }: Report["functions"][number]): string {
  if (["native", "library", "unknown"].includes(kind)) return keyOf(name, null, null, null, null);
  if (kind !== "js") return keyOf(`${label}`.replace(/ \{\d+\}$/, ""), null, null, null, null);
  return keyOf(name === "" ? "<anonymous>" : name, file, line, column, tier);
}

function sums<T>(
  rows: readonly T[],
  key: (row: T) => string,
  value: (row: T) => number,
): Map<string, number> {
  const all = new Map<string, number>();
  for (const row of rows) all.set(key(row), (all.get(key(row)) ?? 0) + value(row));
  return all;
}

describe("the Parquet files of a fleet", () => {
  let duck: Views;
  let report: Report;

  beforeAll(async () => {
    await exportFleet();
    duck = await byDuckDb(FLEET);
    const logs = FIXTURE_NAMES.map((name) => join(FIXTURES, name, "isolate.log.gz"));
    const { stdout } = await ticks(["process", ...logs, "--format", "json", "--separate-bytecodes"]);
    report = JSON.parse(stdout);
  });

  it("have the ticks of all logs, by state, in DuckDB", () => {
    expect(sum(duck.breakdown, "ticks")).toBe(report.ticks);
    expect(sum(duck.functions, "self_ticks")).toBe(report.ticks);
    expect(sum(duck.packages, "self_ticks")).toBe(report.ticks);
    expect(sum(duck.deploys, "self_ticks")).toBe(report.ticks);
    const states = sums(
      duck.breakdown,
      ({ state }) => `${state}`,
      (row) => Number(row.ticks),
    );
    const told = Object.entries(report.states).filter(([, count]) => count > 0);
    expect(states).toEqual(new Map(told));
  });

  it("have the self of every row of ticks process, in DuckDB", () => {
    const read = sums(duck.compiled, keyOfCode, (row) => Number(row.self_ticks));
    const told = sums(report.functions, keyOfRow, ({ self }) => self);
    expect(read.size).toBeGreaterThan(1000);
    expect(new Map([...read].filter(([, self]) => self > 0))).toEqual(
      new Map([...told].filter(([, self]) => self > 0)),
    );
  });

  it("have the total of every row of ticks process, in DuckDB", () => {
    // A row of the table can be several of the report, by what only labels tell apart (`JS:` of one Node, `LazyCompile:` of
    // another); those without ticks of their own are not in it.
    const rows = sums(report.functions, keyOfRow, () => 1);
    const shared = new Set(duck.shared.map(placeOf));
    const isSingle = (key: string) => rows.get(key) === 1 && !shared.has(key.replace(/ \| \w*$/, ""));
    const read = sums(duck.compiled, keyOfCode, (row) => Number(row.total_ticks));
    const told = sums(report.functions, keyOfRow, ({ total }) => total);
    expect([...told.keys()].filter(isSingle).length).toBeGreaterThan(1000);
    expect(new Map([...read].filter(([key]) => isSingle(key) && told.has(key)))).toEqual(
      new Map([...told].filter(([key]) => isSingle(key))),
    );
  });

  it("do not mix on one host where all logs have one name", async () => {
    const one = await byDuckDb(ONE_HOST);
    const withoutHost = (rows: readonly Row[]) => linesOf(rows.map(({ host, hosts, ...row }) => row));
    for (const view of VIEWS) expect(withoutHost(one[view])).toEqual(withoutHost(duck[view]));
  });

  it("are the same in PySpark, row for row", () => {
    const spark = bySpark();
    for (const view of VIEWS) expect(linesOf(spark[view])).toEqual(linesOf(duck[view]));
  });
});
