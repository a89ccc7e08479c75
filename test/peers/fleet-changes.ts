import { expect } from "vitest";
import { differenceOf, moderated, sampleOf } from "../../src/compare/statistics.ts";
import { printable } from "../../src/facts/label.ts";
import { ticks } from "../helpers/cli.ts";
import type { Row } from "./fleet-engines.ts";

/** Self or total of a function in two deploys: a row of the view `changes`. */
export interface ChangedRow {
  readonly name: string;
  readonly matchedBy: string;
  readonly before: number;
  readonly after: number;
  readonly change: number;
  /** Undefined if it was not asked for. */
  readonly error: number | undefined;
  readonly freedom: number | undefined;
  readonly t: number | undefined;
}

/** A row of the view `changes`. */
export function changedRow(row: Row): ChangedRow {
  const { measure, key, key_before, key_after, matched_by } = row;
  return {
    name: nameOf(measure, key, key_before, key_after),
    matchedBy: `${matched_by}`,
    before: Number(row.share_before),
    after: Number(row.share_after),
    change: Number(row.change),
    error: Number(row.error),
    freedom: Number(row.freedom),
    t: Number(row.t),
  };
}

function nameOf(...parts: readonly unknown[]): string {
  return parts.map((part) => printable(`${part}`)).join(" | ");
}

interface JsonDiff {
  readonly before: { readonly ticks: number; readonly runs: readonly { readonly ticks: number }[] };
  readonly after: JsonDiff["before"];
  readonly rows: readonly JsonRow[];
}

interface JsonRow {
  readonly key: string;
  readonly keyBefore: string | null;
  readonly matchedBy: string | null;
  readonly self: JsonChange;
  readonly total: JsonChange;
}

interface JsonChange {
  readonly before: number;
  readonly after: number;
  readonly change: number;
}

async function diffOf(
  before: readonly string[],
  after: readonly string[],
  options: readonly string[],
): Promise<JsonDiff> {
  const all = ["--json", "-n", "1000000", ...options];
  const { status, stdout, stderr } = await ticks(["diff", ...all, ...before, "--", ...after]);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** By name: the share of each run, with the ticks of the run. */
type RunShares = readonly { readonly ticks: number; readonly shares: ReadonlyMap<string, number> }[];

/** Each run is one more command: of more runs, only the shares are compared. */
const MOST_RUNS = 60;

const known = new Map<string, Promise<RunShares[number]>>();

/** The shares of each run. */
async function sharesOf(logs: readonly string[], options: readonly string[]): Promise<RunShares> {
  const runs: RunShares[number][] = [];
  for (const log of logs) runs.push(await sharesOfRun(log, options));
  return runs;
}

/** The shares of a run, from its comparison with itself. */
function sharesOfRun(log: string, options: readonly string[]): Promise<RunShares[number]> {
  const name = [log, ...options].join(" ");
  let shares = known.get(name);
  if (shares === undefined) {
    shares = readShares(log, options);
    known.set(name, shares);
  }
  return shares;
}

async function readShares(log: string, options: readonly string[]): Promise<RunShares[number]> {
  const { before, rows } = await diffOf([log], [log], options);
  const shares = rows.flatMap(({ key, self, total }): [string, number][] => [
    [nameOf("self", key), self.before],
    [nameOf("total", key), total.before],
  ]);
  return { ticks: before.ticks, shares: new Map(shares) };
}

/** What `ticks diff` finds by the names of files and members, the view does not: one is gone, the other new. */
const BY_NAME = ["file", "member"];
const NONE: JsonChange = { before: 0, after: 0, change: 0 };

function seenByView(row: JsonRow): JsonRow[] {
  if (!BY_NAME.includes(row.matchedBy!)) return [row];
  const gone = ({ before }: JsonChange) => ({ ...NONE, before, change: -before });
  const made = ({ after }: JsonChange) => ({ ...NONE, after, change: after });
  return [
    {
      key: row.keyBefore!,
      keyBefore: row.keyBefore,
      matchedBy: null,
      self: gone(row.self),
      total: gone(row.total),
    },
    { key: row.key, keyBefore: null, matchedBy: null, self: made(row.self), total: made(row.total) },
  ];
}

/**
 * What the view has to say, by `ticks diff` over the logs: it matches the functions and has their shares. Its own
 * test also knows what is usual for all functions; without that, the error of a row comes from the shares of the runs.
 */
export async function changesOf(
  before: readonly string[],
  after: readonly string[],
  options: readonly string[] = [],
): Promise<ChangedRow[]> {
  const diff = await diffOf(before, after, options);
  const hasErrors = before.length + after.length <= MOST_RUNS;
  const sides = hasErrors ? [await sharesOf(before, options), await sharesOf(after, options)] : [[], []];
  const all = diff.before.ticks + diff.after.ticks;
  return diff.rows.flatMap(seenByView).flatMap((row) => {
    const { key, keyBefore, matchedBy } = row;
    const keyAfter = keyBefore !== null && matchedBy === null ? null : key;
    return (["self", "total"] as const).map((measure): ChangedRow => {
      const { before: from, after: to, change } = row[measure];
      const name = nameOf(measure, key, keyBefore, keyAfter);
      const shares = { name, matchedBy: `${matchedBy}`, before: from, after: to, change };
      if (!hasErrors) return { ...shares, error: undefined, freedom: undefined, t: undefined };
      const own = [keyBefore, keyAfter].map((of, side) =>
        sides[side]!.map((run) => (of === null ? 0 : (run.shares.get(nameOf(measure, of)) ?? 0))),
      );
      const counted = own.flatMap((values, side) =>
        values.map((share, i) => (share * sides[side]![i]!.ticks) / 100),
      );
      const part = counted.reduce((sum, one) => sum + one, 0) / all;
      const [first, second] = own.map((values, side) => {
        const runs = sides[side]!;
        const least = runs.reduce((sum, run) => sum + (part * (1 - part) * 1e4) / run.ticks, 0) / runs.length;
        return moderated(sampleOf(values), { variance: 0, freedom: 0, least });
      });
      const { error, freedom } = differenceOf(first!, second!);
      return { ...shares, error, freedom, t: change / error };
    });
  });
}

/** Expects the same rows, and numbers that differ only by the order in which they were added up. */
export function expectChanges(own: readonly ChangedRow[], theirs: readonly ChangedRow[]): void {
  const wanted = new Map(theirs.map((row) => [row.name, row]));
  expect(own.map(({ name, matchedBy }) => `${name} by ${matchedBy}`).sort()).toEqual(
    theirs.map(({ name, matchedBy }) => `${name} by ${matchedBy}`).sort(),
  );
  const isFar = (a: number, b: number) => !(a === b || Math.abs(a - b) <= 1e-9 + 1e-7 * Math.abs(b));
  const wrong = own.filter((row) => {
    const other = wanted.get(row.name)!;
    if (isFar(row.before, other.before) || isFar(row.after, other.after) || isFar(row.change, other.change))
      return true;
    // Without an error there is no t.
    if (other.error === undefined || (row.error === 0 && other.error === 0)) return false;
    return isFar(row.error!, other.error) || isFar(row.freedom!, other.freedom!) || isFar(row.t!, other.t!);
  });
  expect(wrong.map((row) => [row, wanted.get(row.name)])).toEqual([]);
}
