import { pushTo } from "../base/maps.js";
import { isOfCalls } from "../compare/diff.js";
import type { Diff, DiffRow } from "../compare/diff-model.js";
import type { RunGroup } from "../compare/run-groups.js";
import { hasUnknownCounts } from "../compare/run-summary.js";
import { isEntry } from "../facts/label.js";

/** What the rows are sorted by. */
export type DiffOrder = "change" | "before" | "after" | "total" | "name";

/** A comparison and what to show of it. */
export interface DiffReport {
  readonly diff: Diff;
  readonly by: RunGroup;
  /** What the user called the sides. */
  readonly before: string;
  readonly after: string;
  readonly order: DiffOrder;
  /** The smallest change, of self or total, of a row that is shown. */
  readonly min: number;
  /** The maximum number of rows without a verdict. */
  readonly limit: number;
  /** The words of the command line for both sides, for commands to run next. Default: name none. */
  readonly words?: { readonly before: readonly string[]; readonly after: readonly string[] } | undefined;
  /** The options that say what is read of them and counted, as they were given, for these commands. Default: none. */
  readonly options?: readonly (readonly string[])[] | undefined;
  /** The command that `ticks record` ran, if it made the runs after. */
  readonly command?: readonly string[] | undefined;
  /** Whether filters left out a part of the runs. Default: no. */
  readonly isFiltered?: boolean | undefined;
}

/** Whether a side does not tell how many samples it has: what may be chance is not known. */
export function isCountUnknown({ before, after }: Diff): boolean {
  return hasUnknownCounts([...before, ...after]);
}

/** Which numbers of a row are shown: those with all that it calls if only these changed, or if it has hardly any of its own. */
export function measureOf({ self, total }: DiffRow, order: DiffOrder): "self" | "total" {
  if (order === "total") return "total";
  if (self.verdict !== "same") return "self";
  return total.verdict !== "same" || isOfCalls(self, total) ? "total" : "self";
}

/** The rows that are shown, and the others. */
interface ShownRows {
  readonly shown: readonly DiffRow[];
  readonly rest: readonly DiffRow[];
}

/** Returns the rows with a verdict, and as many of the others as wanted. */
export function shownRows({ diff, order, min, limit }: DiffReport): ShownRows {
  const sorted = order === "change" ? diff.rows : Array.from(diff.rows).sort(comparer(order));
  const shown: DiffRow[] = [];
  const rest: DiffRow[] = [];
  let others = 0;
  for (const row of sorted) {
    const isLarge = Math.max(Math.abs(row.self.change), Math.abs(row.total.change)) >= min;
    const isShown = isLarge && (row.verdict !== "same" || others++ < limit);
    (isShown ? shown : rest).push(row);
  }
  return { shown, rest };
}

function comparer(order: Exclude<DiffOrder, "change">): (a: DiffRow, b: DiffRow) => number {
  const byName = (a: DiffRow, b: DiffRow) => (a.name.key < b.name.key ? -1 : 1);
  switch (order) {
    case "before":
      return (a, b) => b.self.before - a.self.before || byName(a, b);
    case "after":
      return (a, b) => b.self.after - a.self.after || byName(a, b);
    case "total":
      return (a, b) => Math.abs(b.total.change) - Math.abs(a.total.change) || byName(a, b);
    case "name":
      return byName;
  }
}

/** Whether what runs take comes first: with the scale of shares, which say nothing on time. */
export function showsRuns({ scale }: Diff): boolean {
  return scale.name === "share";
}

/** The rows of the table, and those that it has with others. */
export interface TableRows {
  readonly rows: readonly DiffRow[];
  /** By the key of a shown row: the rows that changed only because of it. */
  readonly folded: ReadonlyMap<string, readonly DiffRow[]>;
  /** By the key of a row: it and the rows that it leads to and that changed alike, outermost first. */
  readonly chains: ReadonlyMap<string, readonly DiffRow[]>;
  /** All rows that are not in the table. */
  readonly rest: readonly DiffRow[];
}

/** Returns the shown rows with callers folded into what they call, unless the user asked for another order. */
export function tableRows(report: DiffReport): TableRows {
  const { shown, rest } = shownRows(report);
  if (report.order !== "change") return { rows: shown, folded: new Map(), chains: new Map(), rest };
  const keys = new Set(shown.map(({ name }) => name.key));
  let others = 0;
  const folded = new Map<string, DiffRow[]>();
  const hidden: DiffRow[] = [];
  const rows = shown.filter((row) => {
    const key = row.foldedInto?.key;
    if (row.self.verdict === "same" && row.name.origin === "native" && isEntry(row.name.title)) {
      hidden.push(row);
      return false;
    }
    const isLight = row.verdict === "same" && report.limit <= USUAL_ROWS && largestShare(row) < LIGHT;
    if (isLight && report.diff.hasVerdict && showsRuns(report.diff)) {
      hidden.push(row);
      return false;
    }
    if (key === undefined || !keys.has(key)) {
      // What V8 does differently follows from what the program does, in hundreds of functions.
      const isShown = report.by === "category" || row.part !== "rest" || row.verdict === "same";
      if (isShown || others++ < report.limit) return true;
      hidden.push(row);
      return false;
    }
    pushTo(folded, key, row);
    hidden.push(row);
    return false;
  });
  const chains = chainsOf(rows);
  const led = new Set(Array.from(chains.values()).flatMap((chain) => chain.slice(1)));
  const own = rows.filter((row) => !led.has(row));
  return { rows: own, folded, chains, rest: [...led, ...hidden, ...rest] };
}

/** Changes of shares in total that differ by no more points are alike. */
const ALIKE = 1;

/** Returns rows that changed in total alike, since each calls the next. */
function chainsOf(rows: readonly DiffRow[]): Map<string, readonly DiffRow[]> {
  const byKey = new Map(rows.map((row) => [row.name.key, row]));
  const isThrough = ({ self, total, part }: DiffRow) =>
    self.verdict === "same" && total.verdict !== "same" && part !== "changed";
  const nextOf = (row: DiffRow): DiffRow | undefined => {
    const cause = row.causes.find((one) => one.kind === "callee");
    const next = cause === undefined ? undefined : byKey.get(cause.callee.key);
    if (next === undefined || !isThrough(next) || next.part !== row.part) return undefined;
    const isAlike = (["before", "after"] as const).every(
      (side) => Math.abs(next.total[side] - row.total[side]) < ALIKE,
    );
    return isAlike && next.total.verdict === row.total.verdict ? next : undefined;
  };
  const chains = new Map<string, readonly DiffRow[]>();
  const taken = new Set<DiffRow>();
  const callees = new Set(rows.filter(isThrough).flatMap((row) => nextOf(row) ?? []));
  for (const head of rows) {
    if (!isThrough(head) || callees.has(head)) continue;
    const chain: DiffRow[] = [];
    for (let row: DiffRow | undefined = head; row !== undefined && !taken.has(row); row = nextOf(row)) {
      taken.add(row);
      chain.push(row);
    }
    if (chain.length > 1) chains.set(head.name.key, chain);
  }
  return chains;
}

/** Rows without a verdict and with a smaller share, in percent, are left out, unless more rows are asked for than usual. */
const LIGHT = 1;
const USUAL_ROWS = 10;

function largestShare({ self, total }: DiffRow): number {
  return Math.max(self.before, self.after, total.before, total.after);
}
