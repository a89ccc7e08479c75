import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { printable } from "../../src/facts/label.ts";
import { ticks } from "../helpers/cli.ts";
import { FIXTURE_NAMES } from "../helpers/fixtures.ts";
import { FIXTURES, OUT } from "./fixture.ts";
import { type ChangedRow, changedRow, changesOf, expectChanges } from "./fleet-changes.ts";
import { byDuckDb, bySpark, linesOf, type Row } from "./fleet-engines.ts";

/** The folder of the logs: one of each host, by its name. `FLEET_LOGS` names another one than the fixtures. */
const LOGS = process.env.FLEET_LOGS ?? FIXTURES;
/** The log of each host. */
const HOSTS: ReadonlyMap<string, string> =
  process.env.FLEET_LOGS === undefined
    ? new Map(FIXTURE_NAMES.map((name) => [name, "isolate.log.gz"]))
    : new Map(
        readdirSync(LOGS)
          .filter((name) => existsSync(join(LOGS, name, "isolate.log")))
          .map((name) => [name, "isolate.log"]),
      );
const FLEET = join(OUT, "fleet");
/** The same files on one host, where all logs have one name. */
const ONE_HOST = join(OUT, "one-host");
const VIEWS = ["breakdown", "functions", "deploys", "lines", "packages", "calls", "compiled"] as const;

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

/** Every second host has the new deploy. */
const DEPLOYS = Array.from(HOSTS, ([name, log], i) => [i % 2 === 0 ? "old" : "new", name, log] as const);
/** How all commands read the logs. */
const READING = ["--no-source-maps", "--separate-bytecodes"];

/** Exports each log as one of a host of its own, and as one of the only host. */
async function exportFleet(): Promise<void> {
  const shared = join(ONE_HOST, "host=one");
  mkdirSync(shared, { recursive: true });
  for (const [deploy, name, log] of DEPLOYS) {
    const folder = join(FLEET, `host=${name}`);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "isolate.parquet");
    const { status, stderr } = await ticks(
      ["export", log, ...READING, "--label", `deploy=${deploy}`, "-o", file],
      {
        cwd: join(LOGS, name),
      },
    );
    if (status !== 0) throw new Error(stderr);
    copyFileSync(file, join(shared, `${name}.parquet`));
  }
}

const QUERIES = VIEWS.map((view) => `SELECT * FROM ${view}`);
const CHANGES = "SELECT * FROM changes WHERE deploy_before = 'old' AND deploy_after = 'new'";
const SHARED = `SELECT function, file, function_line, function_column FROM fleet WHERE file IS NOT NULL
  GROUP BY ALL HAVING count(DISTINCT host) > 1`;

async function duckViews(fleet: string): Promise<Views> {
  const answers = await byDuckDb(`${fleet}/*/*.parquet`, [...QUERIES, SHARED]);
  return Object.fromEntries([...VIEWS, "shared"].map((view, i) => [view, answers[i]!])) as Views;
}

function sum(rows: readonly Row[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column]), 0);
}

/** What tells machine code apart, in both. */
function keyOf(...parts: readonly (string | number | null | undefined)[]): string {
  return Buffer.from(parts.map((part) => printable(`${part ?? ""}`)).join(" | ")).toString();
}

/** The report has today's names for the compilers of old versions. */
const TIERS: Record<string, string> = { "full-codegen": "ignition", crankshaft: "turbofan" };

function keyOfCode({ function: name, file, function_line, function_column, tier }: Row): string {
  // The report has no tier for the interpreter's own code.
  return keyOf(
    withoutRole(name),
    file,
    function_line,
    function_column,
    `${name}`.startsWith("Bytecode") ? "" : (TIERS[`${tier}`] ?? tier),
  );
}

function placeOf({ function: name, file, function_line, function_column }: Row): string {
  return keyOf(withoutRole(name), file, function_line, function_column);
}

/** The files call functions without a name by the call that they are passed to; the report of Node does not. */
function withoutRole(name: unknown): string {
  return `${name}`.replace(/^<.* (?:callback|handler)>$/, "<anonymous>");
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
  let changes: ChangedRow[];
  let report: Report;

  beforeAll(async () => {
    await exportFleet();
    duck = await duckViews(FLEET);
    const [changed] = await byDuckDb(`${FLEET}/*/*.parquet`, [CHANGES]);
    changes = changed!.map(changedRow);
    const logs = Array.from(HOSTS, ([name, log]) => join(LOGS, name, log));
    const { stdout } = await ticks(["process", ...logs, "--format", "json", ...READING]);
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
    const one = await duckViews(ONE_HOST);
    const withoutHost = (rows: readonly Row[]) => linesOf(rows.map(({ host, hosts, ...row }) => row));
    for (const view of VIEWS) expect(withoutHost(one[view])).toEqual(withoutHost(duck[view]));
  });

  it("have the changes of ticks diff between two deploys, in DuckDB", async () => {
    const logsOf = (of: string) =>
      DEPLOYS.flatMap(([deploy, name, log]) => (deploy === of ? [join(LOGS, name, log)] : []));
    expectChanges(changes, await changesOf(logsOf("old"), logsOf("new"), [...READING, "--idle"]));
  });

  it("are the same in PySpark, row for row", () => {
    const spark = bySpark(FLEET, [...QUERIES, CHANGES]);
    for (const [i, view] of VIEWS.entries()) expect(linesOf(spark[i]!)).toEqual(linesOf(duck[view]));
    expectChanges(spark.at(-1)!.map(changedRow), changes);
  });
});
